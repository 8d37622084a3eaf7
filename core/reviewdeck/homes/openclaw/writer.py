"""Writes to OpenClaw's homes, and ends the proposals of its Workshop that were decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.gated.writer import GatedWriter
from reviewdeck.homes.kinds import WriterOptions
from reviewdeck.homes.openclaw.layout import WORKSHOP
from reviewdeck.homes.openclaw.workshop import Workshop, is_draft
from reviewdeck.homes.queues import RecordFolders
from reviewdeck.model import Proposal


class OpenClawWriter(GatedWriter):
    """One home, for writing. Implements `HomeWriter`."""

    def __init__(self, root: Path, state: Path, layout: str, how: WriterOptions) -> None:
        super().__init__(root, layout, how)
        self._drafts: FolderWriter | None = None
        if layout == WORKSHOP and state.is_dir():
            folders = RecordFolders((), (Workshop(state),))
            self._drafts = FolderWriter(
                state, pending=folders, probe=how.probe, lock_wait=how.lock_wait
            )

    def retire(self, records: Sequence[tuple[str, str]]) -> list[bool]:
        """Removes pending records, and the drafts of decided proposals: nothing applies them."""
        if self._drafts is None:
            return super().retire(records)
        drafts = [record for record in records if is_draft(record[0])]
        own = [record for record in records if not is_draft(record[0])]
        ended = dict(zip(drafts, self._drafts.retire(drafts), strict=True))
        ended |= dict(zip(own, super().retire(own), strict=True))
        return [ended[record] for record in records]

    def notify_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """Stores the verdict, which the gate shows to the session. Never raises."""
        if is_draft(proposal.source or ""):  # The gate tells it as one of its own records.
            proposal = replace(proposal, source=f"{ours_in(WORKSHOP)}/pending/{proposal.id}.json")
        super().notify_rejection(proposal, reason, at)

    def end_retiring(self, decided: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """Finishes interrupted removals, of drafts too."""
        super().end_retiring(lambda: [record for record in decided() if not is_draft(record[0])])
        if self._drafts is not None:
            self._drafts.end_retiring(
                lambda: [record for record in decided() if is_draft(record[0])]
            )
