"""Documents and revisions as an operator names them on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.errors import UnknownId
from reviewdeck.model import Revision
from reviewdeck.ports import Snapshot

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

_MEMORIES = {
    "memory": "memories/MEMORY.md",
    "memory.md": "memories/MEMORY.md",
    "user": "memories/USER.md",
    "user.md": "memories/USER.md",
}


def resolve_document(engine: Engine, name: str) -> str:
    """The path of a document: `memory`, `USER.md`, a skill, a file of a skill, or the path itself.

    Raises UnknownId.
    """
    home = engine.home()
    inside = name.removeprefix(f"{home.id}/").removeprefix("./")
    paths = {*home.documents(), *engine.ledger.latest(home.id)}
    if inside in paths:
        return inside
    if path := _MEMORIES.get(inside.lower()):
        return path
    if path := _find_in_skill(home.snapshot(), inside):
        return path
    ends = sorted(path for path in paths if path.endswith((f"/{inside}", f"/{inside}/SKILL.md")))
    if len(ends) == 1:
        return ends[0]
    raise UnknownId(
        f"There is no document {name!r}." if not ends else f"{name!r} could be several documents.",
        hint=f"It could be {', '.join(ends[:4])}."
        if ends
        else "Name a memory (memory, user), a skill, or a path below the home.",
    )


def resolve_revision(engine: Engine, path: str, prefix: str) -> Revision:
    """A past revision of a document, by a unique prefix. Raises UnknownId."""
    observations = engine.history(path)
    normalised = prefix.strip().lower()
    matches = {
        observation.revision
        for observation in observations
        if normalised and observation.revision.startswith(normalised)
    }
    if len(matches) == 1:
        return matches.pop()
    raise UnknownId(
        f"{prefix!r} could be several revisions of {path}."
        if matches
        else f"{path} has no revision {prefix!r}.",
        hint=f"`reviewdeck history {path}` shows them.",
    )


def _find_in_skill(snapshot: Snapshot, name: str) -> str | None:
    first, _, file = name.partition("/")
    skill = snapshot.skill(first) if first else None
    return None if skill is None else skill.path_of(file or "SKILL.md")
