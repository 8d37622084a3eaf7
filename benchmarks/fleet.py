"""Many homes and operators on one hub, simulated: `python benchmarks/fleet.py [HOMES] [OPERATORS]`.

Each operator looks at a page and the counts, approves something, and thinks for a second. A worker
of ten homes learns of it, claims and reports; no file is written. All are threads of one process,
with the server on the same machine: the figures say what the statements cost, not what a network
does.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

import psycopg
from benchmarks.team import DURABLE
from tests import postgres
from tests.ledger.samples import claim, clock, decision, operation, proposal

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.postgres.creation import create
from reviewdeck.model import Proposal, State
from reviewdeck.model.ledger import Claim, Filter, Opener

T = TypeVar("T")
EACH = 50
"""Proposals of a home."""
HOMES_OF_A_WORKER = 10
ROUNDS = 10
THINKING = 1.0
POLL = 5.0


def approving(item: Proposal, batch: str) -> Claim:
    """The claim that applies one proposal of whichever home."""
    ours = replace(operation(1, batch), home=item.home, proposal=item.id, id=f"o{batch}")
    decided = replace(decision(1, batch), proposal=item.id, id=f"d{batch}")
    return replace(claim(1, batch=batch), operations=(ours,), decisions=(decided,))


class Fleet:
    """What all of them did, in seconds."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.looks: list[float] = []
        self.decisions: list[float] = []
        self.delays: list[float] = []
        self.decided_at: dict[str, float] = {}
        self.is_over = threading.Event()

    def operate(self, name: str, mine: Sequence[Proposal]) -> None:
        """One operator."""
        with closing(open_ledger(self.url, now=clock, opener=Opener(name, "desk"))) as ledger:
            for number, item in enumerate(mine):
                began = time.perf_counter()
                ledger.page(Filter(states=(State.READY,)), limit=50)
                ledger.counts()
                looked = time.perf_counter()
                batch = f"{name}-{number}"
                assert ledger.begin([approving(item, batch)]) == (batch,)
                self.decided_at[batch] = done = time.perf_counter()
                self.looks.append(looked - began)
                self.decisions.append(done - looked)
                time.sleep(random.uniform(0, 2 * THINKING))  # noqa: S311 - no secret

    def work(self, host: str, homes: Sequence[str]) -> None:
        """One worker."""
        with closing(open_ledger(self.url, now=clock, opener=Opener("", host))) as ledger:
            while not self.is_over.is_set():
                ledger.wait_for_news(POLL)
                for home in ledger.homes_with_work(homes):
                    for one in ledger.unfinished(home):
                        self.end(ledger, one.batch)

    def end(self, ledger: Ledger, batch: str) -> None:
        """Claims a batch and reports it as written."""
        lease = ledger.claim_batch(batch)
        if lease is None:
            return
        if (then := self.decided_at.get(batch)) is not None:
            self.delays.append(time.perf_counter() - then)
        ledger.finish(batch, clock(), (), epoch=lease.epoch)
        ledger.settle(batch)


def groups(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Parts of this size."""
    return (items[at : at + size] for at in range(0, len(items), size))


def bytes_of(url: str) -> int:
    """The size of a database."""
    with psycopg.connect(url) as connection:
        (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone() or (
            0,
        )
    return int(size)


def in_ms(took: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"median {1_000 * median(took):.0f}, p95 {1_000 * quantiles(took, n=20)[-1]:.0f} ms"


def main() -> None:
    """Prints the figures."""
    homes_wanted, people = (*map(int, sys.argv[1:]), *(200, 20)[len(sys.argv) - 1 :])
    server = postgres.server(*DURABLE)

    def make(url: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            create(connection, "the simulation")

    url = server.url(server.create("fleet", make))
    homes = [f"/homes/{number}" for number in range(homes_wanted)]
    waiting: list[Proposal] = []
    with closing(open_ledger(url, now=clock)) as ledger:
        empty = bytes_of(url)
        began = time.perf_counter()
        for home in homes:
            many = [proposal(n, home=home, base=b"base") for n in range(EACH)]
            ledger.add(many, {p.payload_sha: p.id.encode() for p in many})
            waiting += many
        took = time.perf_counter() - began
    size = bytes_of(url) - empty
    sys.stdout.write(
        f"taken in: {len(waiting)} of {homes_wanted} homes, {len(waiting) / took:.0f}/s\n"
    )
    fleet = Fleet(url)
    chosen = random.Random(7).sample(waiting, people * ROUNDS)  # noqa: S311 - no secret
    workers = [
        threading.Thread(target=fleet.work, args=(f"host-{n}", group))
        for n, group in enumerate(groups(homes, HOMES_OF_A_WORKER))
    ]
    operators = [
        threading.Thread(target=fleet.operate, args=(f"operator{n}", mine))
        for n, mine in enumerate(groups(chosen, ROUNDS))
    ]
    for thread in (*workers, *operators):
        thread.start()
    time.sleep(2)
    with psycopg.connect(url) as connection:
        of_all = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        (connections,) = connection.execute(of_all).fetchone() or (0,)
    for thread in operators:
        thread.join()
    deadline = time.monotonic() + 4 * POLL
    while len(fleet.delays) < len(chosen) and time.monotonic() < deadline:
        time.sleep(0.1)
    fleet.is_over.set()
    for thread in workers:
        thread.join()
    sys.stdout.write(
        f"connections: {connections - 1} for {len(workers)} workers and {people} operators\n"
        f"bytes a proposal: {size // len(waiting)}\n"
        f"a page and the counts: {in_ms(fleet.looks)}\n"
        f"deciding: {in_ms(fleet.decisions)}\n"
        f"decided to claimed: {in_ms(fleet.delays)}, {len(fleet.delays)} of {len(chosen)}\n"
    )
    postgres.stop_servers()


if __name__ == "__main__":
    main()
