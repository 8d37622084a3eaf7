"""Many homes and operators on one hub, simulated: `python benchmarks/fleet.py [HOMES] [OPERATORS]`.

Each operator looks at a page and the counts, approves something, and thinks for a second. A worker
of ten homes, a process of its own, learns of it, claims and reports; no file is written. Operators
are five to a process. All share one machine with the server: the figures say what the statements
cost and who waits for whom, not what a network does.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

import psycopg
from benchmarks.hub import hub_server, new_hub
from tests import postgres
from tests.ledger.samples import claim, clock, decision, operation, proposal
from tests.processes import Running, heard

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Proposal, State
from reviewdeck.model.ledger import Claim, Filter, Opener

T = TypeVar("T")
EACH = 50
"""Proposals of a home."""
HOMES_OF_A_WORKER = 10
OPERATORS_OF_A_PROCESS = 5
ROUNDS = 10
THINKING = 1.0
POLL = 5.0
_CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"


def approving(item: Proposal, batch: str) -> Claim:
    """The claim that applies one proposal of whichever home."""
    ours = replace(operation(1, batch), home=item.home, proposal=item.id, id=f"o{batch}")
    decided = replace(decision(1, batch), proposal=item.id, id=f"d{batch}")
    return replace(claim(1, batch=batch), operations=(ours,), decisions=(decided,))


def work(pipe: Connection, url: str, host: str, homes: Sequence[str]) -> None:
    """One worker, until it is told to stop: says when it had claimed which batch."""
    claimed: dict[str, float] = {}
    with closing(open_ledger(url, now=clock, opener=Opener("", host))) as ledger:
        pipe.send("ready")
        while not pipe.poll():
            ledger.wait_for_news(POLL / 5, homes)
            for home in ledger.homes_with_work(homes):
                for one in ledger.unfinished(home):
                    lease = ledger.claim_batch(one.batch)
                    if lease is not None:
                        claimed[one.batch] = time.monotonic()
                        ledger.finish(one.batch, clock(), (), epoch=lease.epoch)
                        ledger.settle(one.batch)
    pipe.send(claimed)


class Desk:
    """The operators of one process, and what they did, in seconds."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.looks: list[float] = []
        self.decisions: list[float] = []
        self.decided: dict[str, float] = {}
        """By batch, when it was stored, by the machine's monotonic clock."""

    def operate(self, name: str, mine: Sequence[Proposal]) -> None:
        """One operator."""
        with closing(open_ledger(self._url, now=clock, opener=Opener(name, "desk"))) as ledger:
            for number, item in enumerate(mine):
                time.sleep(random.uniform(0, 2 * THINKING))  # noqa: S311 - no secret
                began = time.monotonic()
                with ledger.at_once():
                    _look(ledger)
                looked = time.monotonic()
                batch = f"{name}-{number}"
                assert ledger.begin([approving(item, batch)]) == (batch,)
                self.decided[batch] = done = time.monotonic()
                self.looks.append(looked - began)
                self.decisions.append(done - looked)


def _look(ledger: Ledger) -> None:
    waiting = Filter(states=(State.READY,))
    ledger.foresee([lambda: ledger.page(waiting, limit=50), ledger.counts])
    ledger.page(waiting, limit=50)
    ledger.counts()


def operate(pipe: Connection, url: str, people: Sequence[tuple[str, Sequence[Proposal]]]) -> None:
    """Some operators, as threads."""
    desk = Desk(url)
    pipe.send("ready")
    heard(pipe)
    threads = [threading.Thread(target=desk.operate, args=one) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send((desk.looks, desk.decisions, desk.decided))


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a fleet did; times in seconds, sorted by nothing."""

    taken_in: float
    """Proposals a second, one writer."""
    bytes_each: int
    connections: int
    commits: Sequence[float]
    """Of a single row, meanwhile, again and again."""
    looks: Sequence[float]
    decisions: Sequence[float]
    delays: Sequence[float]
    """From decided to claimed."""
    decided: int


def simulate(url: str, homes_wanted: int, people: int) -> Simulated:
    """Runs a fleet on an empty hub."""
    homes = [f"/homes/{number}" for number in range(homes_wanted)]
    waiting: list[Proposal] = []
    with closing(open_ledger(url, now=clock)) as ledger:
        empty = _bytes_of(url)
        began = time.monotonic()
        for home in homes:
            many = [proposal(n, home=home, base=b"base") for n in range(EACH)]
            ledger.add(many, {p.payload_sha: p.id.encode() for p in many})
            waiting += many
        took = time.monotonic() - began
    size = _bytes_of(url) - empty
    chosen = random.Random(7).sample(waiting, people * ROUNDS)  # noqa: S311 - no secret
    operators = [(f"operator{n}", mine) for n, mine in enumerate(_groups(chosen, ROUNDS))]
    with ExitStack() as stack:
        workers = [
            stack.enter_context(Running(work, url, f"host-{n}", group))
            for n, group in enumerate(_groups(homes, HOMES_OF_A_WORKER))
        ]
        desks = [
            stack.enter_context(Running(operate, url, group))
            for group in _groups(operators, OPERATORS_OF_A_PROCESS)
        ]
        for one in (*workers, *desks):
            one.receive()
        for one in desks:
            one.send("go")
        commits, connections = _commits(url, seconds=ROUNDS * THINKING)
        said = [one.receive() for one in desks]
        time.sleep(POLL)
        for one in workers:
            one.send("stop")
        claimed = {batch: at for one in workers for batch, at in one.receive().items()}
    decided = {batch: at for _, _, times in said for batch, at in times.items()}
    return Simulated(
        len(waiting) / took,
        size // len(waiting),
        connections,
        commits,
        [seconds for looks, _, _ in said for seconds in looks],
        [seconds for _, decisions, _ in said for seconds in decisions],
        # It is claimed as soon as it is stored, which the one who decided learns a little later.
        [max(claimed[batch] - at, 0.0) for batch, at in decided.items() if batch in claimed],
        len(decided),
    )


def _commits(url: str, seconds: float) -> tuple[list[float], int]:
    """What commits of this server take meanwhile; and its connections but this one."""
    took: list[float] = []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE moment (at double precision)")
        until = time.monotonic() + seconds
        while (began := time.monotonic()) < until:
            connection.execute("INSERT INTO moment VALUES (%s)", (began,))
            took.append(time.monotonic() - began)
            time.sleep(0.1)
        (amount,) = connection.execute(_CONNECTIONS).fetchone() or (1,)
    return took, int(amount) - 1


def _groups(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Parts of this size."""
    return (items[at : at + size] for at in range(0, len(items), size))


def _bytes_of(url: str) -> int:
    """The size of a database."""
    with psycopg.connect(url) as connection:
        (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone() or (
            0,
        )
    return int(size)


def late(took: Sequence[float]) -> float:
    """Within which 95 % are."""
    return quantiles(took, n=20)[-1]


def in_ms(took: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"median {1_000 * median(took):.1f}, 95 % within {1_000 * late(took):.1f} ms"


def main() -> None:
    """Prints the figures."""
    homes, people = (*map(int, sys.argv[1:]), *(200, 20)[len(sys.argv) - 1 :])
    done = simulate(new_hub(hub_server()), homes, people)
    sys.stdout.write(
        f"taken in: {homes * EACH} of {homes} homes, {done.taken_in:.0f}/s\n"
        f"connections: {done.connections} for {homes // HOMES_OF_A_WORKER} workers"
        f" and {people} operators\n"
        f"bytes a proposal: {done.bytes_each}\n"
        f"a commit: {in_ms(done.commits)}\n"
        f"a page and the counts: {in_ms(done.looks)}\n"
        f"deciding: {in_ms(done.decisions)}\n"
        f"decided to claimed: {in_ms(done.delays)}, {len(done.delays)} of {done.decided}\n"
    )
    postgres.stop_servers()


if __name__ == "__main__":
    main()
