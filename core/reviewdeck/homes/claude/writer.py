"""Writing to a Claude Code home, and leaving word for its sessions of what was turned down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.homes.claude.hook.roots import NotStaged, Root
from reviewdeck.homes.claude.hook.spool import SpoolLock, read_json, write_json
from reviewdeck.homes.claude.hook.stage import PENDING
from reviewdeck.homes.claude.hook.verdicts import VERDICTS
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.kinds import Patience
from reviewdeck.model import Change, DocumentWrite, Proposal

KEPT: Final = 200
"""Verdicts that are kept: the latest. The gate tells each once."""
_NEW: Final = 0o644


class ClaudeWriter(FolderWriter):
    """One folder of Claude Code's, for writing."""

    def __init__(self, root: Path, layout: str, how: Patience) -> None:
        super().__init__(
            root, pending=(PENDING,), probe=how.probe, lock_wait=how.lock_wait, mark=how.mark
        )
        self._place = Root(layout, str(root))

    def prepared(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes, with the permissions that Claude Code gives a file that is not there yet."""
        return [
            replace(one, mode=_NEW) if one.before is None and one.mode is None else one
            for one in changes
        ]

    def tell_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """Leaves the verdict where the gate tells it to the session. Never raises."""
        if not proposal.session:
            return
        named = [one.document for one in proposal.edits if isinstance(one, DocumentWrite)]
        new: list[Mapping[str, Any]] = [
            {
                "session": proposal.session,
                "document": document,
                "state": "rejected",
                "reason": reason,
                "at": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            }
            for document in named or [proposal.target]
        ]
        # The decision stands in the ledger: a session that is not told of it loses a note.
        with suppress(OSError, NotStaged), SpoolLock(self._place):
            path = self._place.place(VERDICTS)
            known = read_json(path)
            write_json(path, [*(known if isinstance(known, list) else []), *new][-KEPT:])
