"""Several real processes on one ledger."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.ledger.deciders import append_each, decide_each, open_and_add
from tests.ledger.samples import HOME, clock, decision, id_of, proposal
from tests.processes import Running

from reviewdeck.errors import Busy
from reviewdeck.ledger import connecting
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.reader import open_reader
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter

ROUNDS = 24


@pytest.mark.slow
def test_processes_that_make_a_ledger_at_the_same_time_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.db"
    with ExitStack() as stack:
        running = [
            stack.enter_context(Running(open_and_add, str(path), number)) for number in range(4)
        ]
        assert [one.receive() for one in running] == ["ready"] * 4
        for one in running:
            one.send("go")
    with open_reader(str(path)) as reader:
        assert len(reader.page(Filter())) == 4


@pytest.mark.slow
def test_of_eight_processes_that_decide_one_proposal_exactly_one_wins(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        ledger.add([proposal(n) for n in range(ROUNDS)], {})
        assert winners_of(url, 8) == [1] * ROUNDS
        states = [ledger.item(id_of(n)).state for n in range(ROUNDS)]
        assert states == [State.REJECTED, State.APPROVED] * (ROUNDS // 2)
        assert all(len(ledger.decisions(id_of(n))) == 1 for n in range(ROUNDS))
        assert len(ledger.unfinished(HOME)) == ROUNDS // 2
        assert ledger.verify() is None


@pytest.mark.slow
def test_eight_processes_that_write_to_one_chain_leave_one_chain(url: str) -> None:
    with open_ledger(url, now=clock) as ledger, ExitStack() as stack:
        running = [
            stack.enter_context(Running(append_each, url, home, 40))
            for home in [HOME] * 6 + [""] * 2
        ]
        assert [one.receive() for one in running] == ["ready"] * 8
        for one in running:
            one.send("go")
        assert [one.receive() for one in running] == ["done"] * 8
        assert [event.sequence for event in ledger.chain(HOME)] == list(range(1, 241))
        assert len(ledger.chain("")) >= 80
        assert ledger.verify() is None


def winners_of(url: str, amount: int) -> list[int]:
    """How many of so many processes won each round."""
    winners: list[int] = []
    with ExitStack() as stack:
        running = [stack.enter_context(Running(decide_each, url, me)) for me in range(amount)]
        assert [one.receive() for one in running] == ["ready"] * amount
        for number in range(ROUNDS):
            for one in running:
                one.send(number)
            winners.append(sum(one.receive() for one in running))
    return winners


def test_threads_of_one_process_take_turns(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        threads = [
            threading.Thread(target=ledger.add, args=([proposal(n)], {}), name=str(n))
            for n in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ledger.counts().by_state[State.READY] == 16


def test_a_reader_sees_what_was_committed_while_a_writer_is_at_work(url: str) -> None:
    with open_ledger(url, now=clock) as ledger, open_reader(url) as reader:
        ledger.add([proposal(1)], {})
        with ledger._database.writing(HOME) as tx:
            tx.run("UPDATE proposal SET state = 'dead'")
            assert reader.counts().by_state[State.READY] == 1
            assert ledger.counts().by_state[State.READY] == 1
        assert reader.counts().by_state[State.DEAD] == 1


def test_a_ledger_that_another_program_holds_is_busy(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "BUSY_SECONDS", 0.02)
    with open_ledger(url, now=clock) as one, open_ledger(url, now=clock) as other:
        one.add([proposal(1)], {})
        with one._database.writing(HOME) as tx, pytest.raises(Busy):
            tx.rows("SELECT 1")
            other.decide(decision(1), State.REJECTED, [State.READY])
        assert other.decide(decision(1), State.REJECTED, [State.READY])
