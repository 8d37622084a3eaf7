"""Deciding, claiming, journaling, writing and reporting are steps of their own."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.engine.crashes import make_home, open_deck, settings_in
from tests.engine.kit import MEMORY, Agent, Ticking, digest_of, entries, quiet, set_entries

from reviewdeck.bootstrap import end_on_disk
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import LedgerUnavailable, NotDecidable, WriteFailed
from reviewdeck.files.host_journal import HostJournal, unreadable_entries
from reviewdeck.homes.hermes import bookkeeping
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.ledger.connecting import connect
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.postgres.line import Line, QueuedStatement
from reviewdeck.model import Cause, Revision, State

WANTED = "The staging host is stg-4."
BEFORE = ["Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs."]
AFTER = [BEFORE[0], WANTED, BEFORE[2]]
APPROVED = "It was approved, but its process ended before it was written."

Patch = pytest.MonkeyPatch


@pytest.fixture
def staged(tmp_path: Path) -> str:
    """The id of a waiting proposal, in a home below `tmp_path`."""
    make_home(tmp_path / "home")
    id = Agent(tmp_path / "home", Ticking()).replace("staging host", WANTED)
    deck = open_deck(tmp_path)
    deck.intake()
    deck.close()
    return id


def killed_before(step: str, root: Path, id: str) -> None:
    """Approves in a process that is killed just before a step."""

    def probe(now: str) -> None:
        if now == step:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        deck = open_deck(root, probe)
        deck.approve(id, digest_of(deck, id))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"there is no step {step}"


def journal_in(root: Path, deck: Engine) -> HostJournal:
    """The host's journal of the one home."""
    folder = root / "ledger" / "ledger.db.journal"
    return HostJournal(folder, deck.home().id, probe=quiet, lock_wait=1.0)


@pytest.mark.parametrize(
    ("step", "found", "endings"),
    [
        ("begin", State.READY, []),
        ("claim", State.APPROVED, [("finished", APPROVED)]),
        ("journal", State.APPLYING, [("finished", "")]),
        ("write", State.APPLYING, [("finished", "")]),
        ("settle", State.APPLYING, [("finished", "")]),
        ("finish", State.APPLYING, [("finished", "")]),
        ("sweep", State.APPLIED, [("tidied", "")]),
    ],
)
def test_what_a_kill_left_is_ended_and_said(
    step: str, found: State, endings: list[tuple[str, str]], staged: str, tmp_path: Path
) -> None:
    killed_before(step, tmp_path, staged)
    deck = open_deck(tmp_path)
    assert deck.find(staged).state is found
    assert find_damage(str(tmp_path / "ledger" / "ledger.db")) == ()
    assert [(one.ending, one.detail) for one in deck.recover()] == endings
    assert entries(tmp_path / "home") == (AFTER if endings else BEFORE)
    assert deck.find(staged).state is (State.APPLIED if endings else State.READY)
    assert deck.recover() == ()
    assert journal_in(tmp_path, deck).entries() == ()
    deck.close()
    assert find_damage(str(tmp_path / "ledger" / "ledger.db")) == ()


@pytest.mark.parametrize("step", ["claim", "journal", "write"])
def test_what_was_approved_goes_back_to_the_queue_where_its_document_changed(
    step: str, staged: str, tmp_path: Path
) -> None:
    killed_before(step, tmp_path, staged)
    set_entries(tmp_path / "home", "By hand.")
    deck = open_deck(tmp_path)
    (ending,) = deck.recover()
    assert (ending.ending, ending.proposals) == ("conflict", (deck.find(staged).id,))
    assert "changed by another program" in ending.detail
    assert deck.find(staged).state.is_open
    assert entries(tmp_path / "home") == ["By hand."]
    deck.close()


@pytest.mark.parametrize("step", ["write", "finish"])
def test_a_host_finishes_what_it_began_without_its_ledger(
    step: str, staged: str, tmp_path: Path
) -> None:
    killed_before(step, tmp_path, staged)
    kept = tmp_path / "kept"
    (tmp_path / "ledger" / "ledger.db").rename(kept)
    (tmp_path / "ledger" / "ledger.db").write_bytes(b"no ledger")
    with pytest.raises(LedgerUnavailable):
        open_deck(tmp_path)
    assert [one.ending for one in end_on_disk(settings_in(tmp_path))] == ["finished"]
    assert entries(tmp_path / "home") == AFTER
    kept.rename(tmp_path / "ledger" / "ledger.db")
    deck = open_deck(tmp_path)
    assert [one.ending for one in deck.recover()] == ["finished"]
    assert deck.find(staged).state is State.APPLIED
    deck.close()


def test_without_its_ledger_a_host_writes_nothing_that_went_back_to_the_queue(
    staged: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"

    def probe(step: str) -> None:
        if step == "write":
            set_entries(home, "By hand.")
        elif step == "sweep":
            raise KeyboardInterrupt

    deck = open_deck(tmp_path, probe)
    with pytest.raises(KeyboardInterrupt):
        deck.approve(staged, digest_of(deck, staged))
    assert deck.find(staged).state.is_open
    deck.close()
    set_entries(home, *BEFORE)
    (tmp_path / "ledger" / "ledger.db").write_bytes(b"no ledger")
    assert end_on_disk(settings_in(tmp_path)) == ()
    assert entries(home) == BEFORE


def test_what_a_ledger_does_not_know_is_finished_and_said(staged: str, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "ledger", tmp_path / "backup")
    killed_before("write", tmp_path, staged)
    journal = tmp_path / "ledger" / "ledger.db.journal"
    shutil.copytree(journal, tmp_path / "backup" / journal.name, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "ledger")
    (tmp_path / "backup").rename(tmp_path / "ledger")
    deck = open_deck(tmp_path)
    (ending,) = deck.recover()
    assert ending.ending == "finished"
    assert "The ledger does not know it" in ending.detail
    assert entries(tmp_path / "home") == AFTER
    assert deck.recover() == ()
    deck.close()


@pytest.mark.parametrize("step", ["write", "settle"])
def test_what_an_older_copy_of_a_ledger_never_saw_is_in_it_before_it_is_replaced(
    step: str, staged: str, tmp_path: Path
) -> None:
    ledger, old = tmp_path / "ledger" / "ledger.db", tmp_path / "old"
    shutil.copy(ledger, old)
    set_entries(tmp_path / "home", *BEFORE, "Written after the copy.")
    killed_before(step, tmp_path, staged)
    for name in ("ledger.db-wal", "ledger.db-shm"):
        ledger.with_name(name).unlink(missing_ok=True)
    old.replace(ledger)
    deck = open_deck(tmp_path)
    (ending,) = deck.recover()
    assert (ending.ending, ending.proposals) == ("finished", (deck.find(staged).id,))
    assert "The ledger does not know it" in ending.detail
    deck.intake()
    then, now = deck.history(MEMORY)[-2:]
    assert "Written after the copy." in (deck.ledger.content(then.revision) or b"").decode()
    assert entries(tmp_path / "home") == [*AFTER, "Written after the copy."]
    assert (now.cause, deck.find(staged).state) == (Cause.OUTSIDE, State.DEAD)
    assert leftovers(tmp_path / "home") == []
    deck.restore(MEMORY, then.revision, restoring(deck, then.revision))
    assert entries(tmp_path / "home") == [*BEFORE, "Written after the copy."]
    assert find_damage(str(ledger)) == ()
    deck.close()


def test_another_ledger_than_the_one_of_a_killed_process_takes_what_it_left(
    staged: str, tmp_path: Path
) -> None:
    killed_before("write", tmp_path, staged)
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (tmp_path / "ledger" / name).unlink(missing_ok=True)
    deck = open_deck(tmp_path)  # a new one
    (ending,) = deck.recover()
    assert ending.ending == "finished"
    assert "The ledger does not know it" in ending.detail
    deck.intake()
    kept = [(deck.ledger.content(seen.revision) or b"").decode() for seen in deck.history(MEMORY)]
    assert [BEFORE[1] in text for text in kept] == [True, False]
    assert (entries(tmp_path / "home"), deck.recover()) == (AFTER, ())
    deck.close()


def leftovers(home: Path) -> list[Path]:
    """What a batch displaced and nobody has cleared."""
    return [path for path in home.rglob("*") if ".reviewdeck" in path.name and path.is_file()]


def restoring(deck: Engine, revision: Revision) -> str:
    """The digest under which a memory's revision would be restored."""
    return deck.evaluate_restore(MEMORY, revision).digest or ""


def test_of_an_entry_that_cannot_be_read_the_ledger_has_a_copy(staged: str, tmp_path: Path) -> None:
    killed_before("write", tmp_path, staged)
    folder = tmp_path / "ledger" / "ledger.db.journal"
    (entry,) = folder.glob("*/*.json")
    entry.write_bytes(b"{")
    assert unreadable_entries(folder) == (str(entry),)
    deck = open_deck(tmp_path)
    assert [one.ending for one in deck.recover()] == ["finished"]
    assert entries(tmp_path / "home") == AFTER
    assert unreadable_entries(folder) == ()
    deck.close()


class Counting:
    """The statements of the ledger while the agent's own locks are held."""

    def __init__(self, patch: Patch) -> None:
        self.statements: list[str] = []
        self.holds = 0
        self._held = 0
        lock, usage = HermesWriter.lock, bookkeeping._locked

        @contextmanager
        def locked(writer: HermesWriter, paths: Sequence[str]) -> Iterator[None]:
            with lock(writer, paths), self._holding():
                yield

        @contextmanager
        def keeping(*given: Any) -> Iterator[int]:
            with usage(*given) as skills, self._holding():
                yield skills

        def traced(*given: Any) -> Any:
            connection = connect(*given)
            connection.set_trace_callback(self._note)
            return connection

        execute = Line._execute

        def executed(line: Line, queued: Sequence[QueuedStatement]) -> None:
            for each in queued:
                self._note(each.statement.text)
            execute(line, queued)

        patch.setattr(Line, "_execute", executed)
        patch.setattr(HermesWriter, "lock", locked)
        patch.setattr(bookkeeping, "_locked", keeping)
        patch.setattr("reviewdeck.ledger.sqlite.connect", traced)

    @contextmanager
    def _holding(self) -> Iterator[None]:
        self._held += 1
        self.holds += 1
        try:
            yield
        finally:
            self._held -= 1

    def _note(self, statement: str) -> None:
        if self._held:
            self.statements.append(statement)


def _approve_all(deck: Engine) -> None:
    for item in deck.pending():
        deck.approve(item.id, digest_of(deck, item.id))


def _undo(deck: Engine) -> None:
    _approve_all(deck)
    deck.undo(deck.operations(limit=1)[0].id)


def _auto(deck: Engine) -> None:
    assert deck.auto().applied


@pytest.mark.parametrize("act", [_approve_all, _undo, _auto])
def test_no_statement_is_run_while_the_agents_lock_is_held(
    act: Callable[[Engine], None], tmp_path: Path, monkeypatch: Patch
) -> None:
    agent = Agent(make_home(tmp_path / "home"), Ticking())
    agent.skill("patch", "release-notes", old_string="2. Run the tests.", new_string="2. Run tox.")
    agent.add("The linter is ruff.")
    counting = Counting(monkeypatch)
    deck = open_deck(tmp_path)
    deck.intake()
    act(deck)
    deck.close()
    assert counting.holds > 1
    assert counting.statements == []


def test_no_statement_is_run_while_recovery_holds_the_agents_lock(
    staged: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    killed_before("write", tmp_path, staged)
    counting = Counting(monkeypatch)
    deck = open_deck(tmp_path)
    assert deck.recover()
    deck.close()
    assert (counting.holds, counting.statements) == (1, [])


def test_while_one_process_writes_another_waits_for_its_turn(staged: str, tmp_path: Path) -> None:
    deck = open_deck(tmp_path)
    digest = digest_of(deck, staged)
    with journal_in(tmp_path, deck).lock():
        other = open_deck(tmp_path)
        other.open_homes[0].journal._wait = 0.1  # type: ignore[attr-defined]  # impatient
        with pytest.raises(Exception, match="held by another program"):
            other.approve(staged, digest)
        other.close()
    assert deck.operations() == ()
    deck.approve(staged, digest)
    with pytest.raises(NotDecidable):
        deck.approve(staged, digest)
    assert (tmp_path / "home" / MEMORY).read_text("utf-8").count(WANTED) == 1
    deck.close()


def test_what_could_not_be_tidied_is_not_said_to_be(
    staged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = open_deck(tmp_path)

    def refused(*_: object) -> None:
        raise WriteFailed("The disk is full.")

    with monkeypatch.context() as full:
        full.setattr(type(deck.open_homes[0].writer), "retire", refused)
        deck.approve(staged, digest_of(deck, staged))
        assert entries(tmp_path / "home") == AFTER
        (ending,) = deck.recover()
        assert (ending.ending, ending.detail) == ("stuck", "The disk is full.")
    assert [one.ending for one in deck.recover()] == ["tidied"]
    assert deck.recover() == ()
    deck.close()
