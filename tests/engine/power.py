"""What a disk may hold of a home after a power cut: only what was synced, and some names more.

A file holds what it held when it was synced last; one that never was is empty, or half of it is
there. A directory lists what it listed when it was synced last; of the directories that changed
since then all may list what is new, or one alone. The ledger is its file and its write-ahead log:
SQLite syncs that with each commit, so that only the tail of a transaction that has not ended can
be torn.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest
from tests.engine.crashes import Scenario, documents, open_deck

OWN_STEPS = frozenset({"begin", "claim", "journal", "write", "settle", "finish", "sweep"})
"""Between these no document is half done: a home may be in each state that it has here."""

Files = dict[str, tuple[int, bytes | None]]
"""Mode and bytes by path; a directory has none."""


class Disk:
    """A home as its disk has it."""

    def __init__(self, home: Path) -> None:
        self._held: dict[int, int] = {}
        self._bytes: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}
        self._top = self._hold(str(home))
        for number in self._below(self._top):
            self._keep(number)

    def sync(self, file: int) -> None:
        """What `os.fsync` of this makes durable."""
        self._keep(self._hold(f"/proc/self/fd/{file}"))

    def images(self) -> Iterator[Files]:
        """What may be there if the power goes now.

        A rename to another directory is never there by half: no file system that we know lets go of
        the old name before it has the new one.
        """
        numbers = frozenset(self._below(self._top))
        changed = [one for one in numbers if self._is_directory(one) and self._is_new(one)]
        strict, held = self._image(frozenset(), 0)
        yield strict
        yield self._image(numbers, 2)[0]
        for number in sorted(changed):
            mixed, there = self._image(frozenset({number}), 0)
            if held & numbers <= there:
                yield mixed

    def close(self) -> None:
        """Lets go of every file."""
        for file in self._held.values():
            os.close(file)

    def _hold(self, path: str) -> int:
        """The number of a file that is held open from now on: no other gets the same number."""
        number = Path(path).stat().st_ino
        if number not in self._held:
            self._held[number] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return number

    def _is_directory(self, number: int) -> bool:
        return stat.S_ISDIR(os.fstat(self._held[number]).st_mode)

    def _is_new(self, number: int) -> bool:
        return self._listed(number) != self._names.get(number, {})

    def _listed(self, number: int) -> dict[str, int]:
        places = sorted(Path(f"/proc/self/fd/{self._held[number]}").iterdir())
        return {place.name: self._hold(str(place)) for place in places}

    def _below(self, number: int) -> list[int]:
        if not self._is_directory(number):
            return [number]
        below = [one for inner in self._listed(number).values() for one in self._below(inner)]
        return [number, *below]

    def _read(self, number: int) -> bytes:
        return os.pread(self._held[number], 1 << 26, 0)

    def _keep(self, number: int) -> None:
        if self._is_directory(number):
            self._names[number] = self._listed(number)
        else:
            self._bytes[number] = self._read(number)

    def _image(self, up_to_date: frozenset[int], part: int) -> tuple[Files, set[int]]:
        """These directories are as they are now; a part of each file that was never synced."""
        found: Files = {}
        there: set[int] = set()

        def add(path: str, number: int) -> None:
            there.add(number)
            mode = stat.S_IMODE(os.fstat(self._held[number]).st_mode)
            if not self._is_directory(number):
                data = self._bytes.get(number)
                if data is None:
                    now = self._read(number)
                    data = now[: len(now) // part] if part else b""
                found[path] = mode, data
                return
            found[path] = mode, None
            is_now = number in up_to_date
            names = self._listed(number) if is_now else self._names.get(number, {})
            for name, inner in names.items():
                add(f"{path}/{name}" if path else name, inner)

        add("", self._top)
        return found, there


@dataclass(frozen=True)
class Image:
    """A home, the host's journal and the log of its ledger, as a power cut may leave them."""

    step: str
    files: Files
    journal: Files
    log: bytes
    is_reported: bool = False
    """Whether somebody was told that all of it is done."""
    owed: tuple[bytes, ...] = ()
    """What others had synced by then."""


@dataclass
class Recording:
    """What the power could leave of one operation, and the states that are whole."""

    ledger: bytes
    images: list[Image] = field(default_factory=list)
    states: list[dict[str, str]] = field(default_factory=list)

    def torn(self) -> Iterator[Image]:
        """The same, where half of what the ledger wrote next is in its log."""
        for one, other in zip(self.images, self.images[1:], strict=False):
            if len(other.log) > len(one.log) and other.log.startswith(one.log):
                half = other.log[: (len(one.log) + len(other.log)) // 2]
                yield Image(f"{one.step}, torn", one.files, one.journal, half)


def alone(step: str) -> Sequence[bytes]:
    """Nobody else writes to this home."""
    return ()


def record(
    root: Path, scenario: Scenario, beside: Callable[[str], Sequence[bytes]] = alone
) -> Recording:
    """Does the scenario in the home below this, and notes what the disk may hold at each step.

    `beside` may write to the home before a step, and gives every text that it has synced so far.
    """
    home, place = root / "home", root / "ledger" / "ledger.db"
    log, entries = Path(f"{place}-wal"), Path(f"{place}.journal")
    entries.mkdir(exist_ok=True)
    found = Recording(place.read_bytes())
    disk, journal = Disk(home), Disk(entries)
    seen: set[int] = set()
    fsync = os.fsync
    owed: tuple[bytes, ...] = ()

    def look(step: str, *, is_reported: bool = False) -> None:
        tail = log.read_bytes() if log.exists() else b""
        for files, kept in product(disk.images(), list(journal.images())):
            known = hash((tail, *files.items(), None, *kept.items(), is_reported, owed))
            if known not in seen:
                seen.add(known)
                found.images.append(Image(step, files, kept, tail, is_reported, owed))

    def probe(step: str) -> None:
        nonlocal owed
        owed = tuple(beside(step))
        if step in OWN_STEPS:
            found.states.append(documents(home))
        look(step)

    def sync(file: int) -> None:
        look("fsync")
        fsync(file)
        for each in (disk, journal):
            each.sync(file)

    deck = open_deck(root, probe)
    # Another descriptor of its file, closed in this process, would take SQLite's locks away.
    unchanged = place.stat().st_mtime_ns
    found.states.append(documents(home))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", sync)
        scenario.act(deck)
        look("the end", is_reported=True)
    assert place.stat().st_mtime_ns == unchanged, "a checkpoint is more than is recorded here"
    found.states.append(documents(home))
    deck.close()
    for each in (disk, journal):
        each.close()
    return found


def lay_out(root: Path, ledger: bytes, image: Image) -> None:
    """Makes the home and the ledger what this image says."""
    shutil.rmtree(root)
    (root / "ledger").mkdir(mode=0o700, parents=True)
    _lay_out(root / "home", image.files)
    _lay_out(root / "ledger" / "ledger.db.journal", image.journal)
    (root / "ledger" / "ledger.db").write_bytes(ledger)
    (root / "ledger" / "ledger.db").chmod(0o600)
    (root / "ledger" / "ledger.db-wal").write_bytes(image.log)


def _lay_out(top: Path, files: Files) -> None:
    for path, (mode, data) in files.items():
        place = top / path
        if data is None:
            place.mkdir(parents=True)
        else:
            place.write_bytes(data)
            place.chmod(mode)
    for path, (mode, data) in files.items():
        if data is None:
            (top / path).chmod(mode)
