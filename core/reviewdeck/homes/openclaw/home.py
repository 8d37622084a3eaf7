"""An OpenClaw workspace, read only: its documents, its queue, and what OpenClaw knows of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.gated.records import LARGEST, parse_record
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.layout import WORKSPACE, OpenClawLayout
from reviewdeck.homes.openclaw.state import loaded_characters, settings_in, state_of
from reviewdeck.homes.openclaw.workshop import workshop_cautions
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.ports import PendingFile

if TYPE_CHECKING:
    from reviewdeck.homes.openclaw.conversations import OpenClawConversations


class OpenClawHome(FolderHome):
    """One workspace."""

    pending_folders = MappingProxyType({f"{ours_in(WORKSPACE)}/pending": LARGEST})

    def __init__(self, path: Path, around: HomeContext) -> None:
        """Raises HomeUnavailable."""
        self._state = state_of(path.resolve(), around.env, around.user_home)
        characters = loaded_characters(settings_in(self._state))
        self._layout = OpenClawLayout(characters=characters)
        super().__init__(path, self._layout)
        self._around = around
        self._conversations: OpenClawConversations | None = None

    def own_cautions(self) -> Iterator[str]:
        """What the Workshop does beside the workspace."""
        yield from workshop_cautions(self._state)

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one record, strictly. Never raises for what it contains."""
        return parse_record(self._id, self.path, self._layout, file, now)

    @property
    def ungated(self) -> tuple[str, ...]:
        """What keeps the gate from this workspace; `plugin` where it is not installed."""
        gate = gate_of(self._state, self._around.user_home)
        return gate.off if self.path in gate.covered else ("plugin", *gate.off)

    def stamp(self, paths: Iterable[str]) -> str:
        """A stamp that changes when a document or a record may have changed. Never raises."""
        return super().stamp([*paths, *self._layout.places(self.path)])

    def keeps_conversations(self) -> bool:
        """Whether OpenClaw's databases are there."""
        return (self._state / "state").is_dir()

    def conversations(self) -> OpenClawConversations | None:
        """OpenClaw's sessions; None where it has no databases."""
        if not self.keeps_conversations():
            return None
        if self._conversations is None:
            # Imported late: SQLite takes as long to load as the rest of a home.
            from reviewdeck.homes.openclaw.conversations import OpenClawConversations

            self._conversations = OpenClawConversations(
                self.path, self._state, clock=self._around.clock, kernel=self._kernel
            )
        return self._conversations
