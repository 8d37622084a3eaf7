"""The batches that this host is writing, with their bytes: one file each, beside the ledger.

Recovery needs nothing else. An entry is there from the moment that a batch is claimed until the
ledger was told how it ended; of an entry that cannot be read the ledger has another copy.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from reviewdeck.errors import HomeReadOnly
from reviewdeck.files.folder import check_token, key_of
from reviewdeck.files.locks import hold_locks
from reviewdeck.files.reads import open_directory
from reviewdeck.files.steps import Steps, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.model.ledger import JournalEntry
from reviewdeck.model.plain import from_plain, to_plain
from reviewdeck.ports import Probe
from reviewdeck.text.json import load_json

LOCK: Final = "lock"
_ENTRY: Final = ".json"
_TEMP: Final = ".tmp"
_PAST: Final = ".past"
"""An entry that the ledger has."""


class HostJournal:
    """The entries of one home. Satisfies `BatchJournal`."""

    def __init__(
        self, folder: Path, home: str, *, probe: Probe, lock_wait: float, kept_days: int = 0
    ) -> None:
        """`kept_days` is for how long an entry stays that the ledger has: a shared one may lose it
        when another server takes over.
        """
        self._kept = kept_days * 86_400
        self.folder = folder / key_of(home)
        self._steps = Steps(Kernel(), probe)
        self._wait = lock_wait

    @contextmanager
    def lock(self) -> Iterator[None]:
        with ExitStack() as stack:
            with self._translated():
                folder = stack.enter_context(self._open())
                place = NameIn(folder, LOCK)
                stack.enter_context(hold_locks([("this home's journal", place)], self._wait))
                for left in self.leftovers():
                    self._steps.remove(NameIn(folder, left))
            yield

    def put(self, entry: JournalEntry) -> None:
        name = check_token(entry.batch.batch)
        data = json.dumps(to_plain(entry), separators=(",", ":")).encode()
        with self._translated(), self._open() as folder:
            self._steps.rewrite(NameIn(folder, f"{name}{_ENTRY}"), f"{name}{_TEMP}", data)

    def entries(self) -> tuple[JournalEntry, ...]:
        return self._entries(_ENTRY)

    def past(self) -> tuple[JournalEntry, ...]:
        return tuple(entry for entry in self._entries(_PAST) if not entry.is_given_back)

    def _entries(self, end: str) -> tuple[JournalEntry, ...]:
        read = map(_read, _files(self.folder.parent, self.folder.name, end))
        entries = [entry for entry in read if entry is not None]
        return tuple(sorted(entries, key=lambda entry: entry.batch.operations[0].started_at))

    def leftovers(self) -> tuple[str, ...]:
        return tuple(file.name for file in _files(self.folder.parent, self.folder.name, _TEMP))

    def acknowledge(self, batch: str) -> None:
        name = check_token(batch)
        if not self._kept:
            self.drop(batch)
            return
        with self._translated(), self._open() as folder:
            for file in _files(self.folder.parent, self.folder.name, _PAST):
                if file.stat().st_mtime < time.time() - self._kept:
                    self._steps.remove(NameIn(folder, file.name))
            with suppress(FileNotFoundError):
                (self.folder / f"{name}{_ENTRY}").replace(self.folder / f"{name}{_PAST}")
            self._steps.remove(NameIn(folder, f"{name}{_TEMP}"))
            self._steps.sync(folder)

    def drop(self, batch: str) -> None:
        with self._translated(), self._open() as folder:
            for end in (_TEMP, _ENTRY):
                self._steps.remove(NameIn(folder, f"{check_token(batch)}{end}"))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with translate_errors(str(self.folder)):
                yield
        except HomeReadOnly as error:
            hint = "Nothing was changed. Run as the user who owns the ledger."
            raise HomeReadOnly(error.message, hint=hint) from error

    @contextmanager
    def _open(self) -> Iterator[int]:
        if not self.folder.is_dir():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for made in (self.folder.parent, self.folder.parent.parent):
                with open_directory(made) as above:
                    self._steps.sync(above)
        with open_directory(self.folder) as folder:
            yield folder


def unreadable_entries(folder: Path) -> tuple[str, ...]:
    """The files of a host's entries, of all homes, that cannot be read."""
    return tuple(str(file) for file in _files(folder) if _read(file) is None)


def _files(folder: Path, home: str = "*", end: str = _ENTRY) -> list[Path]:
    try:
        return sorted(folder.glob(f"{home}/*{end}"))
    except PermissionError:  # Who may not look into it has begun nothing here.
        return []


def _read(file: Path) -> JournalEntry | None:
    try:
        entry = from_plain(JournalEntry, load_json(file.read_bytes()))
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return entry if entry.batch.operations else None
