"""OpenClaw's homes, read only: documents, queues, and what OpenClaw knows of both.

A home is a workspace, or an agent's own folder with the skills of its Workshop.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.homes.gated.folder import GatedFolder
from reviewdeck.homes.gated.several import SeveralConversations
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.layout import SHARED, WORKSHOP, WORKSPACE, OpenClawLayout
from reviewdeck.homes.openclaw.state import loaded_characters, settings_in, state_of
from reviewdeck.homes.openclaw.workshop import Workshop, unreviewed_skills
from reviewdeck.ports import Conversations

if TYPE_CHECKING:
    from reviewdeck.homes.openclaw.conversations import OpenClawConversations


class OpenClawHome(GatedFolder):
    """One of them."""

    def __init__(self, path: Path, layout: str, around: HomeContext) -> None:
        """Raises HomeUnavailable."""
        self._state = state_of(path.resolve(), around.env, around.user_home)
        characters = loaded_characters(settings_in(self._state))
        self._workshop = Workshop(self._state) if layout == WORKSHOP else None
        queues = [self._workshop] if self._workshop is not None else []
        super().__init__(path, OpenClawLayout(layout, characters), around, *queues)
        self._conversations: OpenClawConversations | None = None

    def own_cautions(self) -> Iterator[str]:
        """What waits unseen; what of the Workshop is not reviewed, or has not ended in its list."""
        yield from super().own_cautions()
        if self._workshop is None:
            covered = gate_of(self._state, self._around.user_home).covered
            if live := unreviewed_skills(covered, self._state):
                are = "live skills of OpenClaw's Workshop lie" if live > 1 else "live skill lies"
                yield (
                    f"{live} {are} outside of the workspace, and no gate covers the folder:"
                    " `reviewdeck openclaw install`."
                )
        elif ended := self._workshop.count(self.path)[1]:
            have = "proposals have" if ended > 1 else "proposal has"
            yield (
                f"{ended} {have} no draft any more: OpenClaw cannot apply it, and lists it as"
                " pending until `openclaw doctor --fix`."
            )

    @property
    def ungated(self) -> tuple[str, ...]:
        """What keeps the gate from this home; `plugin` where it is not installed."""
        gate = gate_of(self._state, self._around.user_home)
        return gate.off if self.path in gate.covered else ("plugin", *gate.off)

    def keeps_conversations(self) -> bool:
        """Whether OpenClaw's databases are there."""
        return (self._state / "state").is_dir()

    def conversations(self) -> Conversations | None:
        """OpenClaw's sessions, and those of other agents that work here; None where none are."""
        own = self._own_conversations() if self.keeps_conversations() else None
        if self._layout.layout != SHARED:
            return own
        # Imported late, as below.
        from reviewdeck.homes.gated.home import hooked_conversations

        found: dict[str, Conversations] = {} if own is None else {ours_in(WORKSPACE): own}
        found |= hooked_conversations(self.path, self._around)
        return SeveralConversations(found) if found else None

    def _own_conversations(self) -> OpenClawConversations:
        if self._conversations is None:
            # Imported late: SQLite takes as long to load as the rest of a home.
            from reviewdeck.homes.openclaw.conversations import OpenClawConversations

            self._conversations = OpenClawConversations(
                self.path,
                self._state,
                self._workshop,
                clock=self._around.clock,
                kernel=self._kernel,
            )
        return self._conversations
