"""A ledger on PostgreSQL beside one in a file, in one run: `python benchmarks/team.py`.

SQLite is 1. Both keep what they are told: the server waits for the disk as the file does. The two
take turns, so that a busy machine slows both. Round trips of 20 ms come from a proxy that delays.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

import psycopg
from benchmarks.delayed import delayed
from tests import postgres
from tests.engine.crashes import make_home
from tests.engine.kit import OPERATOR, Agent, Ticking, quiet
from tests.ledger.deciders import append_each
from tests.ledger.samples import clock, proposal
from tests.processes import Running

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.postgres.creation import create
from reviewdeck.model import Relation, State
from reviewdeck.model.ledger import Filter, Subject

BATCH = 500
ROUNDS = int(os.environ.get("TEAM_ROUNDS", "4"))
WRITERS = 8
TRIP = 0.020
DURABLE = ("fsync=on", "full_page_writes=on", "synchronous_commit=on", "autovacuum=on")


def add(ledger: Ledger, number: int, home: str = "/homes/iris") -> None:
    """Takes in one batch."""
    first = number * BATCH
    many = [proposal(n, home=home, base=b"base") for n in range(first, first + BATCH)]
    texts = [Subject(Relation.PENDING, f"build {p.id} needs tox", p.id, "memory") for p in many]
    ledger.add(many, {p.payload_sha: f"record {p.id}".encode() for p in many}, {}, texts)


def timed(act: Callable[[], object]) -> float:
    """Seconds."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def in_turn(acts: dict[str, Callable[[int], object]], rounds: int) -> dict[str, list[float]]:
    """What each took, sorted, one after the other in each round."""
    took: dict[str, list[float]] = {name: [] for name in acts}
    for number in range(rounds):
        for name, act in acts.items():
            took[name].append(timed(lambda act=act, number=number: act(number)))  # type: ignore[misc]
    return {name: sorted(times) for name, times in took.items()}


def written(url: str, homes: int, writers: int, amount: int) -> float:
    """Lines a second of so many processes, each of its home or all of one, once all are ready."""
    with ExitStack() as stack:
        running = [
            stack.enter_context(Running(append_each, url, f"/homes/{n % homes}", amount))
            for n in range(writers)
        ]
        for one in running:
            one.receive()

        def act() -> None:
            for one in running:
                one.send("go")
            for one in running:
                one.receive()

        return writers * amount / timed(act)


def approvals(url: str, folder: Path, amount: int) -> float:
    """The median of approving, from an open deck to the file that was written."""
    ticking = Ticking()
    agent = Agent(make_home(folder), ticking)
    for number in range(amount):
        agent.add(f"The linter {number} is ruff{number}.")
    settings = Settings(
        homes=(folder,), ledger=url, user_home=folder.parent, actor=OPERATOR, lock_wait=5.0,
        host="host",
    )  # fmt: skip
    took = []
    with closing(open_engine(settings, now=ticking, probe=quiet)) as deck:
        deck.intake()
        for _ in range(amount):
            item = deck.ledger.page(Filter(states=(State.READY,)), limit=1)[0]
            took.append(timed(lambda item=item: deck.approve(item.id, str(item.digest))))  # type: ignore[misc]
    return median(took)


def row(work: str, *figures: str) -> None:
    """One line of the table."""
    sys.stdout.write(f"| {work} | {' | '.join(figures)} |\n")
    sys.stdout.flush()


def main() -> None:
    """Prints the table."""
    server = postgres.server(*DURABLE)

    def make(url: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            create(connection, "the benchmark")

    with TemporaryDirectory(prefix="reviewdeck-team-", dir=Path.home()) as name:
        folder = Path(name)

        def pair(what: str) -> dict[str, str]:
            return {
                "SQLite": str(folder / what / "ledger.db"),
                "PostgreSQL": server.url(server.create("ledger", make)),
            }

        row("work", "SQLite", "PostgreSQL", "ratio")
        row("---", "---", "---", "---")
        urls = pair("intake")
        ledgers = {kind: open_ledger(url, now=clock) for kind, url in urls.items()}

        def compared(work: str, act: Callable[[Ledger, int], object], rounds: int = 40) -> None:
            took = in_turn(
                {k: lambda n, it=it: act(it, n) for k, it in ledgers.items()},  # type: ignore[misc]
                rounds,
            )
            ms = [(1_000 * median(times), 1_000 * times[0]) for times in took.values()]
            ratios = [ours / theirs for theirs, ours in zip(*ms, strict=True)]
            row(
                work,
                *(f"{middle:.2f} ({least:.2f}) ms" for middle, least in ms),
                f"{ratios[0]:.2f} ({ratios[1]:.2f})",
            )

        compared(f"taking in {BATCH}, one writer", add, ROUNDS)
        compared("a page of a home", lambda it, n: it.page(Filter(homes=("/homes/iris",))))
        compared("a page of twenty homes", lambda it, n: it.page(
            Filter(homes=("/homes/iris", *(f"/homes/{n}" for n in range(19))))))  # fmt: skip
        compared("the counts", lambda it, n: it.counts())
        for ledger in ledgers.values():
            ledger.close()
        for kind, url in pair("writers").items():
            with open_ledger(url, now=clock):
                one = written(url, 1, 1, 40)
                all_of_one = written(url, 1, WRITERS, 10)
                apart = written(url, WRITERS, WRITERS, 10)
            row(
                f"lines a second, {kind}",
                f"one writer {one:.0f}",
                f"{WRITERS} on one home {all_of_one:.0f}",
                f"{WRITERS} on {WRITERS} {apart:.0f}",
            )
        urls = pair("approving")
        took = {kind: approvals(url, folder / kind, 8) for kind, url in urls.items()}
        row("approving", *(f"{1_000 * v:.0f} ms" for v in took.values()),
            f"{took['PostgreSQL'] / took['SQLite']:.2f}")  # fmt: skip
        far = server.create("ledger", make)
        with delayed(server.folder / ".s.PGSQL.5432", TRIP) as port:
            url = f"postgresql://{postgres.OWNER}@127.0.0.1:{port}/{far}"
            slow = approvals(url, folder / "far", 4)
        row("approving, 20 ms away", "", f"{1_000 * slow:.0f} ms",
            f"{(slow - took['PostgreSQL']) / TRIP:.0f} trips more")  # fmt: skip
    postgres.stop_servers()


if __name__ == "__main__":
    main()
