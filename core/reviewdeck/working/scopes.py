"""Whose work in progress it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from reviewdeck.errors import BadInput

LONGEST_ID: Final = 200
"""Characters of one id of a scope."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A session, of an agent's instance, of a project; the outer two may be left out.

    Without a session it is what the sessions of an agent, or of a project, have in common.
    """

    session: str | None = None
    agent: str | None = None
    project: str | None = None

    def __post_init__(self) -> None:
        """Raises BadInput for a scope without any id, and for an id that names nothing."""
        if not self._parts:
            raise BadInput("A scope needs a session, an agent or a project.")
        for kind, id in self._parts:
            if not id.strip() or len(id) > LONGEST_ID or not _is_encodable(id):
                raise BadInput(
                    f"This id of a {kind} cannot be used: {id[:40]!r}.",
                    hint=f"An id is text of 1 to {LONGEST_ID} characters.",
                )

    @property
    def kind(self) -> str:
        """What the scope is about: session, agent or project."""
        return self._parts[-1][0]

    @property
    def id(self) -> str:
        """The id of what it is about."""
        return self._parts[-1][1]

    @property
    def prefix(self) -> str:
        """The scope with its parents as one word: different scopes never have the same one."""
        return "/".join(f"{kind}:{quote(id, safe='')}" for kind, id in self._parts)

    @property
    def _parts(self) -> list[tuple[str, str]]:
        """Kinds and ids, the outermost first."""
        named = (("project", self.project), ("agent", self.agent), ("session", self.session))
        return [(kind, id) for kind, id in named if id is not None]


def _is_encodable(id: str) -> bool:
    try:
        id.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
