"""OpenClaw's Workshop: skills that it keeps beside the workspace, and decides on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def workshop_cautions(state: Path) -> Iterator[str]:
    """What of the Workshop nobody reviews here. Never raises."""
    if not (state / "skill-workshop").is_dir() and not (state / "agents").is_dir():
        return
    live = _count(state, "agents/*/agent/workshop-skills/*/SKILL.md")
    if live:
        yield (
            f"{live} live skills of OpenClaw's Workshop lie outside of the workspace: changes of"
            " them are not reviewed here."
            if live > 1
            else "A live skill of OpenClaw's Workshop lies outside of the workspace: changes of it"
            " are not reviewed here."
        )
    if waiting := _waiting(state):
        amount = f"{waiting} proposals wait" if waiting > 1 else "A proposal waits"
        yield f"{amount} in OpenClaw's Workshop: `openclaw skills workshop list` shows what."


def _count(state: Path, pattern: str) -> int:
    try:
        return len(list(state.glob(pattern)))
    except OSError:
        return 0


def _waiting(state: Path) -> int:
    """How many proposals of the Workshop wait; 0 where that cannot be read."""
    # Imported late: most folders of state have no proposals, and SQLite takes long to load.
    if not _count(state, "skill-workshop/proposals/*/"):
        return 0
    from reviewdeck.homes.openclaw.database import waiting_proposals

    return waiting_proposals(state)
