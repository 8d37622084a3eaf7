"""Several real processes on one ledger."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.ledger.samples import HOME, clock, decision, id_of, proposal

from reviewdeck.errors import Busy
from reviewdeck.ledger import database
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.reader import open_reader
from reviewdeck.model import State
from reviewdeck.ports import Filter

ROOT = Path(__file__).parents[2]
ROUNDS = 24

OPEN_AND_ADD = """
import sys
from tests.ledger.samples import clock, proposal
from reviewdeck.ledger.opening import open_ledger
sys.stdin.readline()
with open_ledger(sys.argv[1], now=clock) as ledger:
    ledger.add([proposal(int(sys.argv[2]))], {})
"""

DECIDE = """
import sys
from tests.ledger.samples import claim, clock, decision
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import State, Verb
me = sys.argv[2]
with open_ledger(sys.argv[1], now=clock) as ledger:
    print("ready", flush=True)
    for line in sys.stdin:
        number = int(line)
        if number % 2:
            won = bool(ledger.begin([claim(number, batch=f"b{number}-{me}")]))
        else:
            made = decision(number, me, Verb.REJECT)
            won = ledger.decide(made, State.REJECTED, [State.READY])
        print(int(won), flush=True)
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    """A process of its own, that waits for a line on its input."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_processes_that_make_a_ledger_at_the_same_time_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.db"
    processes = [start(OPEN_AND_ADD, str(path), str(n)) for n in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    with open_reader(str(path)) as reader:
        assert len(reader.page(Filter())) == 4


@pytest.mark.slow
def test_of_eight_processes_that_decide_one_proposal_exactly_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(n) for n in range(ROUNDS)], {})
        processes = [start(DECIDE, str(path), str(n)) for n in range(8)]
        winners = _run_rounds(processes)
        assert winners == [1] * ROUNDS
        states = [ledger.item(id_of(n)).state for n in range(ROUNDS)]
        assert states == [State.REJECTED, State.APPLYING] * (ROUNDS // 2)
        assert all(len(ledger.decisions(id_of(n))) == 1 for n in range(ROUNDS))
        assert len(ledger.unfinished(HOME)) == ROUNDS // 2
        assert ledger.verify() is None


def _run_rounds(processes: list[subprocess.Popen[str]]) -> list[int]:
    pipes = [(p.stdin, p.stdout) for p in processes if p.stdin is not None and p.stdout is not None]
    assert [output.readline() for _, output in pipes] == ["ready\n"] * len(processes)
    winners: list[int] = []
    for number in range(ROUNDS):
        for pipe, _ in pipes:
            pipe.write(f"{number}\n")
            pipe.flush()
        winners.append(sum(int(output.readline()) for _, output in pipes))
    for process in processes:
        process.communicate(timeout=60)
    return winners


def test_threads_of_one_process_take_turns(tmp_path: Path) -> None:
    with open_ledger(str(tmp_path / "ledger.db"), now=clock) as ledger:
        threads = [
            threading.Thread(target=ledger.add, args=([proposal(n)], {}), name=str(n))
            for n in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ledger.counts().by_state[State.READY] == 16


def test_a_reader_sees_what_was_committed_while_a_writer_is_at_work(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger, open_reader(str(path)) as reader:
        ledger.add([proposal(1)], {})
        with ledger._storage.writing() as connection:
            connection.exec_driver_sql("UPDATE proposal SET state = 'dead'")
            assert reader.counts().by_state[State.READY] == 1
            assert ledger.counts().by_state[State.READY] == 1
        assert reader.counts().by_state[State.DEAD] == 1


def test_a_ledger_that_another_program_holds_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    monkeypatch.setattr(database, "BUSY_MILLISECONDS", 20)
    with open_ledger(str(path), now=clock) as one, open_ledger(str(path), now=clock) as other:
        one.add([proposal(1)], {})
        with one._storage.writing(), pytest.raises(Busy):
            other.decide(decision(1), State.REJECTED, [State.READY])
        assert other.decide(decision(1), State.REJECTED, [State.READY])
