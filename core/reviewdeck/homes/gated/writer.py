"""Writes to a home with a gate of ours, and notes rejections for its sessions."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated.documents import INDEX, is_derived
from reviewdeck.agents.gated.roots import NotStaged, Root, ours_in
from reviewdeck.agents.gated.spool import SpoolLock, read_json, write_json
from reviewdeck.agents.hermes.kit import items
from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.folder import prune
from reviewdeck.files.reads import open_directory
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.gated import derived_index
from reviewdeck.homes.gated.layout import gates_in, memory_of, pending_in
from reviewdeck.homes.kinds import WriterOptions
from reviewdeck.homes.queues import RecordFolders, queues_of
from reviewdeck.model import Change, DocumentWrite, Proposal

KEPT: Final = 200
"""The most verdicts that are kept. The gate shows each once."""
_INDEXES: Final = "derived-index"
"""The token under which the indexes that follow from a write are written."""


class GatedWriter(FolderWriter):
    """One such folder, for writing. Implements `HomeWriter`."""

    new_mode = 0o644

    def __init__(self, root: Path, layout: str, how: WriterOptions) -> None:
        super().__init__(
            root,
            pending=RecordFolders(pending_in(layout), queues_of(layout)),
            probe=how.probe,
            lock_wait=how.lock_wait,
            mark=how.mark,
        )
        self._layout = layout
        self._places = [Root(gate, str(root)) for gate in gates_in(layout)]

    def write_compared(self, changes: Sequence[Change], token: str) -> None:
        """Writes changes that have been compared, and the indexes of their memories.

        Qwen Code makes an index anew only when it wrote a fact itself.
        """
        paths = {memory_of(self._layout, change.path) for change in changes}
        indexes = [posixpath.join(folder, INDEX) for folder in sorted(filter(None, paths))]
        derived = [path for path in indexes if self._is_derived(path)]
        super().write_compared(changes, token)
        for path in derived:
            # The change is written: an index that another program holds is made by the next one.
            with suppress(ReviewdeckError, OSError):
                self._write_index(path)

    def _is_derived(self, path: str) -> bool:
        live = self.read(path)
        if not is_derived(self._layout, path) or live.problem is not None or not live.exists:
            return False
        return derived_index.is_derived(live.text, dict(self._facts(path)))

    def _write_index(self, path: str) -> None:
        live, after = self.read(path), derived_index.index_of(self._facts(path)).encode()
        if live.exists and after != live.data:
            super().write_compared([Change(path, live.data, after, mode=self.new_mode)], _INDEXES)
            self.settle(_INDEXES)

    def _facts(self, path: str) -> Iterator[tuple[str, str]]:
        """The facts of an index, the latest first; a team's by their names."""
        folder = self._root / posixpath.dirname(path)
        files = [file for file in folder.rglob("*.md") if file.is_file() and file.name != INDEX]
        files.sort(key=lambda file: file.relative_to(folder).as_posix())
        if folder.name != "team-memory":
            files.sort(key=lambda file: (-file.stat().st_mtime_ns, file.name))
        for file in files:
            fact = self.read(f"{posixpath.dirname(path)}/{file.relative_to(folder).as_posix()}")
            if fact.problem is None and fact.exists:
                yield file.relative_to(folder).as_posix(), fact.text

    def retire(self, records: Sequence[tuple[str, str]]) -> list[bool]:
        """Removes pending records, and the folders of an agent's queue that are empty then.

        Qwen Code would accept an empty one too, and replace the approved skill with it.
        """
        retired = super().retire(records)
        queues = queues_of(self._layout)
        held = (record for record in records if any(queue.holds(record[0]) for queue in queues))
        sources = [source for source, _ in held]
        folders = [tuple(source.split("/")[:-1]) for source in sources]
        if folders:
            with suppress(OSError), open_directory(self._root) as home:
                prune(self._steps, home, folders)
        return retired

    def notify_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """Stores the verdict, which the gate shows to the session. Never raises."""
        source = proposal.source or ""
        gates = [place for place in self._places if source.startswith(f"{ours_in(place.layout)}/")]
        if not proposal.session or not gates:
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
        with suppress(OSError, NotStaged), SpoolLock(gates[0]):
            path = gates[0].own("verdicts.json")
            told = items(read_json(path))
            write_json(path, [*told, *(one for one in new if one not in told)][-KEPT:])
