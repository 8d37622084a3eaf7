"""The names by which a person may call a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewdeck.errors import UnknownId
from reviewdeck.model import Revision
from reviewdeck.ports import Snapshot

if TYPE_CHECKING:
    from reviewdeck.engine.view import View

_MEMORIES = {
    "memory": "memories/MEMORY.md",
    "memory.md": "memories/MEMORY.md",
    "user": "memories/USER.md",
    "user.md": "memories/USER.md",
}


def resolve_document(view: View, name: str) -> str:
    """The path of a document: `memory`, `USER.md`, a skill, a file of a skill, or the path itself.

    Raises UnknownId.
    """
    home = view.home()
    inside = name.removeprefix(f"{home.id}/").removeprefix("./")
    known = {*home.documents(), *view.ledger.latest(home.id)}
    if inside in known:
        return inside
    if path := _MEMORIES.get(inside.lower()):
        return path
    if path := _of_skill(home.snapshot(), inside):
        return path
    ends = sorted(path for path in known if path.endswith((f"/{inside}", f"/{inside}/SKILL.md")))
    if len(ends) == 1:
        return ends[0]
    raise UnknownId(
        f"There is no document {name!r}." if not ends else f"{name!r} could be several documents.",
        hint=f"It could be {', '.join(ends[:4])}."
        if ends
        else "Name a memory (memory, user), a skill, or a path below the home.",
    )


def resolve_revision(view: View, path: str, prefix: str) -> Revision:
    """A revision that a document once was at, by a unique prefix of it. Raises UnknownId."""
    seen = view.history(path)
    wanted = prefix.strip().lower()
    found = {one.revision for one in seen if wanted and one.revision.startswith(wanted)}
    if len(found) == 1:
        return found.pop()
    raise UnknownId(
        f"{prefix!r} could be several revisions of {path}."
        if found
        else f"{path} has no revision {prefix!r}.",
        hint=f"`reviewdeck history {path}` shows them.",
    )


def _of_skill(snapshot: Snapshot, name: str) -> str | None:
    first, _, file = name.partition("/")
    skill = snapshot.skill(first) if first else None
    return None if skill is None else skill.path_of(file or "SKILL.md")
