"""The tests of the protocol can fail: what each step is for is missed when the step is left out.

Each check is run over the code as it is, where it finds nothing, and over a mutant of it that
leaves one step out, where it has to find something.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.crashes import make_home, open_deck
from tests.engine.kit import MEMORY, Agent, Ticking, digest_of, entries, set_entries

from reviewdeck.engine import writing
from reviewdeck.engine.applier import Applier
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.holding import DraftChecker, Held
from reviewdeck.errors import Busy, ReviewdeckError
from reviewdeck.files.host_journal import HostJournal
from reviewdeck.files.locks import hold_locks
from reviewdeck.files.steps import Steps
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.ledger import sqlite
from reviewdeck.ledger.connecting import connect
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.intents import SqlIntents
from reviewdeck.model import Draft
from reviewdeck.model.ledger import Claim, Lease
from reviewdeck.ports import Probe

Patch = pytest.MonkeyPatch
WANTED = "The staging host is stg-4."


class Killed(BaseException):
    """The process ends here."""


def staged(root: Path, probe: Probe = lambda step: None) -> tuple[Engine, str]:
    """A deck on which a replacement waits, and its id."""
    home = make_home(root / "home")
    id = Agent(home, Ticking()).replace("staging host", WANTED)
    deck = open_deck(root, probe)
    deck.intake()
    return deck, deck.find(id).id


def kill_between(root: Path) -> Iterator[str]:
    """What is wrong after a kill between the write and the end of it."""

    def probe(step: str) -> None:
        if step == "finish":
            raise Killed

    deck, id = staged(root, probe)
    with pytest.raises(Killed):
        deck.approve(id, digest_of(deck, id))
    deck.close()
    again = open_deck(root)
    again.recover()
    again.intake()
    (by,) = [one.added_by for one in again.blame(MEMORY) if one.text == WANTED]
    if by.proposal != id:
        yield f"it is written, and credited to {by.cause}"
    again.close()
    yield from find_damage(str(root / "ledger" / "ledger.db"))


def unsynced(root: Path) -> Iterator[str]:
    """Renames of files that are not on the disk, and directories that are not after a rename."""
    synced: set[int] = set()
    pending: list[int] = []
    fsync, exchange = os.fsync, Kernel.exchange
    found: list[str] = []

    def sync(file: int) -> None:
        number = os.fstat(file).st_ino
        synced.add(number)
        if number in pending:
            pending.remove(number)
        fsync(file)

    def swap(kernel: Kernel, one: NameIn, other: NameIn) -> bool:
        if os.stat(one.name, dir_fd=one.directory).st_ino not in synced:
            found.append(f"{one.name} was live before it was on the disk")
        pending.append(os.fstat(one.directory).st_ino)
        return exchange(kernel, one, other)

    with Patch.context() as patch:
        patch.setattr(os, "fsync", sync)
        patch.setattr(Kernel, "exchange", swap)
        deck, id = staged(root)
        deck.approve(id, digest_of(deck, id))
        deck.close()
    yield from found
    if pending:
        yield "a directory was not on the disk after a rename"


def undurable(root: Path) -> Iterator[str]:
    """Connections on which a commit that is reported may be lost with the power."""
    deck, _ = staged(root)
    deck.close()
    with closing(sqlite.prepared(connect(root / "ledger" / "ledger.db", "mode=rw"))) as connection:
        (level,) = connection.execute("PRAGMA synchronous").fetchone()
    if level != 2:
        yield f"the level is {level}"


def beside_a_lock(root: Path) -> Iterator[str]:
    """What is written while the agent holds its lock."""
    deck, id = staged(root)
    digest, home = digest_of(deck, id), root / "home"
    folder = os.open(home / "memories", os.O_RDONLY)
    with hold_locks([("another", NameIn(folder, "MEMORY.md.lock"))], 1.0):
        deck.open_homes[0].writer._wait = 0.2  # type: ignore[attr-defined]  # ours, and impatient
        with suppress(Busy):
            deck.approve(id, digest)
        if WANTED in entries(home):
            yield "it was written while another program held the lock"
    os.close(folder)
    deck.close()


def beside_a_writer(root: Path) -> Iterator[str]:
    """What is begun on a document that is another one by the time that it is locked."""
    deck, id = staged(root)
    digest, home = digest_of(deck, id), root / "home"
    lock = HermesWriter.lock

    @contextmanager
    def late(writer: HermesWriter, paths: Sequence[str]) -> Iterator[None]:
        set_entries(home, "Another text.")
        with lock(writer, paths):
            yield

    lines = len(deck.ledger.operations())
    with Patch.context() as patch:
        patch.setattr(HermesWriter, "lock", late)
        with pytest.raises(ReviewdeckError):
            deck.approve(id, digest)
    if len(deck.ledger.operations()) != lines:
        yield "it was begun on a text that nobody was shown"
    if entries(home) != ["Another text."]:
        yield "another program's text was overwritten"
    deck.close()


def another_digest(root: Path) -> Iterator[str]:
    """What an approval writes that names something else than what would be written."""
    deck, id = staged(root)
    with suppress(ReviewdeckError):
        deck.approve(id, "0" * 64)
    if WANTED in entries(root / "home"):
        yield "it was written though another digest was named"
    deck.close()


def no_intent(patch: Patch) -> None:
    """The claim is stored only when the write is done."""
    begin, take, finish = SqlIntents.begin, SqlIntents.claim_batch, SqlIntents.finish
    waiting: dict[str, tuple[Claim, Any]] = {}

    def later(journal: SqlIntents, claims: Sequence[Claim], sign: Any) -> tuple[str, ...]:
        waiting.update({claim.operations[0].batch: (claim, sign) for claim in claims})
        return tuple(waiting)

    def now(journal: SqlIntents, batch: str, *rest: Any, epoch: int | None) -> None:
        claim, sign = waiting.pop(batch)
        begin(journal, [claim], sign)
        take(journal, batch)
        finish(journal, batch, *rest)

    patch.setattr(SqlIntents, "begin", later)
    patch.setattr(SqlIntents, "claim_batch", lambda journal, batch: Lease(1, True))
    patch.setattr(HostJournal, "put", lambda journal, entry: None)
    patch.setattr(SqlIntents, "finish", now)


def no_sync_of_the_file(patch: Patch) -> None:
    """A temporary file is renamed as soon as it is written."""

    def fill(steps: Steps, file: int, name: str, data: bytes, mode: int, owner: object) -> None:
        os.write(file, data)
        os.fchmod(file, mode)

    patch.setattr(Steps, "_fill", fill)


def no_sync_of_the_directory(patch: Patch) -> None:
    """A rename is left to the system."""
    patch.setattr(Steps, "sync", lambda steps, *directories: None)


def normal(patch: Patch) -> None:
    """`synchronous=NORMAL`."""
    patch.setattr(sqlite, "PREPARATION", (*sqlite.PREPARATION, "PRAGMA synchronous = NORMAL"))


def no_lock(patch: Patch) -> None:
    """Nobody else's lock is waited for."""

    @contextmanager
    def free(writer: HermesWriter, paths: Sequence[str]) -> Iterator[None]:
        yield

    patch.setattr(HermesWriter, "lock", free)


def no_comparison(patch: Patch) -> None:
    """What was read before the lock was there is believed."""
    patch.setattr(Applier, "_find_moved", lambda applier, parts: {})
    patch.setattr(writing, "find_moved", lambda writer, writes: None)


def no_digest(patch: Patch) -> None:
    """Whatever digest was named, what would be written is written."""

    def whatever(checker: DraftChecker, draft: Draft) -> Held:
        digest = checker.evaluation(draft.proposal).digest or ""
        return Held(replace(draft, digest=digest), digest)

    patch.setattr(DraftChecker, "hold", whatever)


CASES: tuple[tuple[Callable[[Patch], None], Callable[[Path], Iterator[str]]], ...] = (
    (no_intent, kill_between),
    (no_sync_of_the_file, unsynced),
    (no_sync_of_the_directory, unsynced),
    (normal, undurable),
    (no_lock, beside_a_lock),
    (no_comparison, beside_a_writer),
    (no_digest, another_digest),
)


@pytest.mark.parametrize("check", dict.fromkeys(check for _, check in CASES))
def test_the_code_as_it_is_passes_each_check(
    check: Callable[[Path], Iterator[str]], tmp_path: Path
) -> None:
    assert list(check(tmp_path)) == []


@pytest.mark.parametrize(("mutant", "check"), CASES)
def test_a_mutant_that_leaves_a_step_out_is_caught(
    mutant: Callable[[Patch], None],
    check: Callable[[Path], Iterator[str]],
    tmp_path: Path,
    monkeypatch: Patch,
) -> None:
    mutant(monkeypatch)
    assert list(check(tmp_path)) != []
