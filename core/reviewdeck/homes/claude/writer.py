"""Writes to a Claude Code home, and notes rejections for its sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.claude.roots import NotStaged, Root
from reviewdeck.agents.claude.spool import SpoolLock, read_json, write_json
from reviewdeck.agents.claude.stage import PENDING
from reviewdeck.agents.hermes.kit import items
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.kinds import WriterOptions
from reviewdeck.model import Change, DocumentWrite, Proposal

KEPT: Final = 200
"""The most verdicts that are kept. The gate shows each once."""
_NEW: Final = 0o644


class ClaudeWriter(FolderWriter):
    """One folder of Claude Code, for writing. Implements `HomeWriter`."""

    def __init__(self, root: Path, layout: str, how: WriterOptions) -> None:
        super().__init__(
            root, pending=(PENDING,), probe=how.probe, lock_wait=how.lock_wait, mark=how.mark
        )
        self._place = Root(layout, str(root))

    def prepared(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes with the mode that Claude Code gives a new file."""
        return [
            replace(change, mode=_NEW) if change.before is None and change.mode is None else change
            for change in changes
        ]

    def tell_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """Stores the verdict, which the gate shows to the session. Never raises."""
        if not proposal.session:
            return
        documents = [edit.document for edit in proposal.edits if isinstance(edit, DocumentWrite)]
        new: list[Mapping[str, Any]] = [
            {
                "session": proposal.session,
                "document": document,
                "state": "rejected",
                "reason": reason,
                "at": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            }
            for document in documents or [proposal.target]
        ]
        # The decision is in the ledger: on failure the session only misses the note.
        with suppress(OSError, NotStaged), SpoolLock(self._place):
            path = self._place.own("verdicts.json")
            write_json(path, [*items(read_json(path)), *new][-KEPT:])
