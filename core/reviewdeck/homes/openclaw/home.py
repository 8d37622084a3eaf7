"""OpenClaw's homes, read only: documents, queues, and what OpenClaw knows of both.

A home is a workspace, or an agent's own folder with the skills of its Workshop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.gated.layout import pending_in
from reviewdeck.homes.gated.records import LARGEST, parse_record
from reviewdeck.homes.gated.several import SeveralConversations
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.layout import SHARED, WORKSHOP, WORKSPACE, OpenClawLayout
from reviewdeck.homes.openclaw.state import loaded_characters, settings_in, state_of
from reviewdeck.homes.openclaw.workshop import Workshop, holds, unreviewed_skills
from reviewdeck.homes.queues import queues_of
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import Conversations, PendingFile

if TYPE_CHECKING:
    from reviewdeck.homes.openclaw.conversations import OpenClawConversations


class OpenClawHome(FolderHome):
    """One of them."""

    def __init__(self, path: Path, layout: str, around: HomeContext) -> None:
        """Raises HomeUnavailable."""
        self._state = state_of(path.resolve(), around.env, around.user_home)
        characters = loaded_characters(settings_in(self._state))
        self._layout = OpenClawLayout(layout, characters)
        super().__init__(path, self._layout)
        self.pending_folders = dict.fromkeys(pending_in(layout), LARGEST)
        self._around, self._queues = around, queues_of(layout)
        is_workshop = layout == WORKSHOP
        self._workshop = Workshop(self._state, self.path, self._kernel) if is_workshop else None
        self._conversations: OpenClawConversations | None = None

    def own_cautions(self) -> Iterator[str]:
        """What of the Workshop is not reviewed, or not ended yet in OpenClaw's own list."""
        if self._workshop is None:
            covered = gate_of(self._state, self._around.user_home).covered
            if live := unreviewed_skills(covered, self._state):
                are = "live skills of OpenClaw's Workshop lie" if live > 1 else "live skill lies"
                yield (
                    f"{live} {are} outside of the workspace, and no gate covers the folder:"
                    " `reviewdeck openclaw install`."
                )
        elif ended := self._workshop.count()[1]:
            have = "proposals have" if ended > 1 else "proposal has"
            yield (
                f"{ended} {have} no draft any more: OpenClaw cannot apply it, and lists it as"
                " pending until `openclaw doctor --fix`."
            )

    def scan(self) -> Iterator[Sighting]:
        """The waiting records, those of the Workshop too; none of them is opened."""
        yield from super().scan()
        if self._workshop is not None:
            yield from self._workshop.see(time_ns())
        for queue in self._queues:
            yield from queue.see(self.path, self._kernel, time_ns())

    def pending(self, only: Collection[str] | None = None) -> Iterator[PendingFile]:
        """The waiting records, those of the Workshop too; or only these."""
        yield from super().pending(only)
        if self._workshop is not None:
            yield from self._workshop.scan(only)
        for queue in self._queues:
            yield from queue.scan(self.path, self._kernel, only)

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one record, strictly. Never raises for what it contains."""
        if self._workshop is not None and holds(file.source):
            return self._workshop.parse(self._id, file, now)
        for queue in self._queues:
            if queue.holds(file.source):
                return queue.parse(self._id, self.path, file, now)
        return parse_record(self._id, self.path, self._layout, file, now)

    @property
    def ungated(self) -> tuple[str, ...]:
        """What keeps the gate from this home; `plugin` where it is not installed."""
        gate = gate_of(self._state, self._around.user_home)
        return gate.off if self.path in gate.covered else ("plugin", *gate.off)

    def stamp(self, paths: Iterable[str]) -> str:
        """A stamp that changes when a document or a record may have changed. Never raises."""
        stamp = super().stamp([*paths, *self._layout.places(self.path)])
        queued = [*self._workshop.see(time_ns())] if self._workshop is not None else []
        for queue in self._queues:
            queued += queue.see(self.path, self._kernel, time_ns())
        return "\n".join((stamp, *(f"{each.source} {each.hint}" for each in queued)))

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
