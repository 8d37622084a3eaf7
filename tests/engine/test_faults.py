"""The system refuses in the middle of something: nothing is lost, nothing stays half done."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.engine.crashes import (
    JOURNAL,
    SCENARIOS,
    Scenario,
    check,
    documents,
    make_home,
    open_deck,
)
from tests.engine.kit import MEMORY, OPERATOR, Agent, Ticking, digest_of, entries

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.errors import Busy, ReviewdeckError
from reviewdeck.files.folder import key_of
from reviewdeck.ledger import connecting
from reviewdeck.ports import Probe

STRIDE = 11
"""Every eleventh step is tried: a number that shares nothing with the steps of one write."""

OWN_STEPS = frozenset({"begin", "claim", "journal", "write", "settle", "finish", "sweep"})
"""Steps of the journal: between them a process can die, but no file is touched there."""


class Refusing:
    """A probe that lets the system refuse the Nth step that touches a file, once or for good."""

    def __init__(self, at: int, number: int, *, for_good: bool) -> None:
        self._left = at
        self._number = number
        self._for_good = for_good
        self.was_reached = False

    def __call__(self, step: str) -> None:
        if step in OWN_STEPS:
            return
        self._left -= 1
        if self._left == 0 or (self._left < 0 and self._for_good):
            self.was_reached = True
            raise OSError(self._number, os.strerror(self._number))


def outcomes(template: Path, root: Path, scenario: Scenario) -> list[dict[str, str]]:
    """The states that a home may be in: as it was, and as it is when all goes well."""
    shutil.copytree(template, root)
    before = documents(root / "home")
    deck = open_deck(root)
    states = [before]

    def remember(step: str) -> None:
        if step in OWN_STEPS:
            states.append(documents(root / "home"))

    deck.close()
    deck = open_deck(root, remember)
    scenario.act(deck)
    deck.close()
    return [*states, documents(root / "home")]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_refusal_at_any_step_leaves_each_plan_whole_or_absent(
    scenario: Scenario, tmp_path: Path
) -> None:
    template = tmp_path / "template"
    scenario.propose(Agent(make_home(template / "home", later=scenario.later), Ticking()))
    open_deck(template).close()
    states = outcomes(template, tmp_path / "done", scenario)
    tried, wrong = 0, []
    numbers = (errno.EIO, errno.ENOSPC, errno.EACCES)
    for at in range(1, 500, STRIDE):
        number = numbers[tried % 3]
        refusing = Refusing(at, number, for_good=tried % 2 == 1)
        root = tmp_path / f"run-{at}"
        shutil.copytree(template, root)
        deck = open_deck(root, refusing)
        try:
            scenario.act(deck)
        except (ReviewdeckError, AssertionError):
            pass  # Said to whoever asked; what is on disk is looked at below.
        finally:
            deck.close()
        if not refusing.was_reached:
            break
        tried += 1
        name = errno.errorcode[number]
        # Hermes' ledger of its skills is a record and no gate: a line of it may be missing.
        found = check(root, states, JOURNAL)
        wrong += [f"{scenario.name}, step {at}, {name}: {one}" for one in found]
        shutil.rmtree(root)
    assert wrong == []
    assert tried >= 1


HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_lock_that_is_held_for_too_long_ends_in_busy_with_nothing_changed(
    tmp_path: Path,
) -> None:
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).replace("staging host", "The staging host is stg-4.")
    place = Settings((home,), str(tmp_path / "ledger.db"), tmp_path, actor=OPERATOR, lock_wait=0.3)
    deck = open_engine(place, now=Ticking())
    deck.intake()
    (item,) = deck.pending()
    digest = digest_of(deck, item.id)
    before, lines = documents(home), len(deck.log())
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home / f"{MEMORY}.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Busy):
        deck.approve(item.id, digest)
    assert documents(home) == before
    assert len(deck.log()) == lines
    assert deck.ledger.unfinished(str(home)) == ()
    holder.communicate("\n")
    deck.approve(item.id, digest)
    assert "The staging host is stg-4." in entries(home)
    deck.close()


class Jumping(Ticking):
    """A clock that is set, forwards and back, between any two looks at it."""

    def __init__(self) -> None:
        super().__init__()
        self._jumps = 0

    def __call__(self) -> datetime:
        self._jumps += 1
        self.moment += timedelta(days=400 if self._jumps % 2 else -401)
        return super().__call__()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_clock_that_jumps_changes_nothing_of_what_is_done(
    scenario: Scenario, tmp_path: Path
) -> None:
    results = []
    for name, clock in (("steady", Ticking()), ("jumping", Jumping())):
        root = tmp_path / name
        home = make_home(root / "home", later=scenario.later)
        scenario.propose(Agent(home, Ticking()))
        place = Settings((home,), str(root / "ledger.db"), root, actor=OPERATOR, lock_wait=5.0)
        deck = open_engine(place, now=clock)
        scenario.act(deck)
        assert deck.recover() == ()
        assert deck.ledger.verify() is None
        results.append(documents(home))
        deck.close()
    assert results[0] == results[1]


def test_a_ledger_that_another_program_holds_is_busy_and_then_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "BUSY_SECONDS", 0.1)
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).replace("staging host", "The staging host is stg-4.")
    deck = open_deck(tmp_path)
    deck.intake()
    (item,) = deck.pending()
    digest, before = digest_of(deck, item.id), documents(home)
    path = tmp_path / "ledger" / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            deck.approve(item.id, digest)
        assert documents(home) == before
        other.execute("ROLLBACK")
    deck.approve(item.id, digest)
    assert "The staging host is stg-4." in entries(home)
    deck.close()


def test_a_ledger_that_cannot_note_the_end_is_completed_by_recovery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the intent and the end the disk is full, as far as the ledger is concerned."""
    monkeypatch.setattr(connecting, "BUSY_SECONDS", 0.1)
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).replace("staging host", "The staging host is stg-4.")
    path = tmp_path / "ledger" / "ledger.db"
    held: list[sqlite3.Connection] = []

    def hold(step: str) -> None:
        if step == "finish":
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            held.append(other)

    deck = open_deck(tmp_path, hold)
    deck.intake()
    (item,) = deck.pending()
    with pytest.raises(ReviewdeckError):
        deck.approve(item.id, digest_of(deck, item.id))
    assert "The staging host is stg-4." in entries(home)
    for other in held:
        other.execute("ROLLBACK")
        other.close()
    deck.close()
    again = open_deck(tmp_path)
    assert [one.ending for one in again.recover()] == ["finished"]
    assert again.recover() == ()
    assert again.ledger.verify() is None
    again.close()


def full_disk(path: Path, *, ledger_too: bool) -> tuple[Probe, list[sqlite3.Connection]]:
    """A probe for a disk that is full as soon as a document is written; the ledger's disk, too."""
    held: list[sqlite3.Connection] = []

    def refuse(step: str) -> None:
        if not step.startswith("write "):
            return
        if ledger_too and not held:
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            held.append(other)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return refuse, held


@pytest.mark.parametrize("ledger_too", [False, True], ids=["the home", "the ledger too"])
def test_what_a_full_disk_kept_from_being_written_stays_so_or_is_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledger_too: bool
) -> None:
    monkeypatch.setattr(connecting, "BUSY_SECONDS", 0.1)
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).replace("staging host", "The staging host is stg-4.")
    probe, held = full_disk(tmp_path / "ledger" / "ledger.db", ledger_too=ledger_too)
    deck = open_deck(tmp_path, probe)
    deck.intake()
    (item,) = deck.pending()
    with pytest.raises(ReviewdeckError) as refused:
        deck.approve(item.id, digest_of(deck, item.id))
    deck.close()
    for other in held:
        other.execute("ROLLBACK")
        other.close()
    again = open_deck(tmp_path)
    again.recover()
    is_applied = "The staging host is stg-4." in entries(home)
    assert is_applied == ("Recovery will apply it" in refused.value.message) == ledger_too
    again.close()


def test_another_record_that_a_killed_rejection_took_aside_goes_back(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    id = Agent(home, Ticking()).add("The linter is ruff.")
    record = home / "pending" / "memory" / f"{id}.json"
    deck = open_deck(tmp_path)
    deck.intake()
    (item,) = deck.pending()
    deck.reject(item.id, "no")
    aside = (
        home / ".reviewdeck" / "trash" / "retired" / f"{key_of(f'pending/memory/{id}.json')}.json"
    )
    aside.write_text("another one", "utf-8")  # as if it had been killed before it looked
    deck.recover()
    assert record.read_text("utf-8") == "another one"
    assert not aside.exists()
    deck.close()


def test_the_lock_of_a_dead_process_holds_nobody_up(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).add("The linter is ruff.")
    child = os.fork()
    if child == 0:
        with (home / f"{MEMORY}.lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os._exit(0)
    os.waitpid(child, 0)
    deck = open_deck(tmp_path)
    assert len(deck.auto().applied) == 1
    deck.close()
