"""A ledger on PostgreSQL beside one in a file: `python benchmarks/team.py [--rows N] [--quick]`.

SQLite is 1. Both keep what they are told: the server waits for the disk as the file does. What is
compared takes turns in one run, so that a busy machine slows both; the median of the ratios of the
rounds counts. Round trips of 20 ms come from a proxy that delays. Ends with a table of what is to
be reached. `--rows` is the length of the long queue, a million; 0 leaves it out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.delayed import delayed
from benchmarks.fleet import in_ms, late, simulate
from benchmarks.hub import hub_server, new_hub, processors, time_of, watched
from benchmarks.hub_queue import LOOKS, PAGE, fill
from benchmarks.hub_worker import hear
from benchmarks.hub_writers import BATCH, Intake, Writers
from tests import postgres
from tests.engine.crashes import make_home
from tests.engine.kit import OPERATOR, Agent, Ticking, quiet
from tests.ledger.samples import clock
from tests.postgres import Server

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter

WRITERS = 8
TRIP = 0.020
FLUSH = ("commit_delay = 20000", "commit_siblings = 0")
"""A disk that takes 20 ms: what writers can share of it does not depend on processors."""
SMALL = 10_000


class Report:
    """Rows as they are measured, and what was to be reached."""

    def __init__(self) -> None:
        self._goals: list[tuple[str, str, str, bool]] = []

    def say(self, work: str, *figures: str) -> None:
        """One line, at once."""
        sys.stdout.write(f"| {work} | {' | '.join(figures)} |\n")
        sys.stdout.flush()

    def goal(self, work: str, wanted: str, figure: float, *, is_reached: bool, unit: str) -> None:
        """A line of the table at the end."""
        self._goals.append((work, wanted, f"{figure:.2f} {unit}", is_reached))

    def end(self) -> None:
        """Prints that table."""
        sys.stdout.write("\n| work | to reach | reached | |\n| --- | --- | --- | --- |\n")
        for work, wanted, figure, is_reached in self._goals:
            self.say(work, wanted, figure, "yes" if is_reached else "**no**")


def timed(act: Callable[[], object]) -> float:
    """Seconds."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def in_turn(
    one: Callable[[], object], other: Callable[[], object], rounds: int
) -> list[list[float]]:
    """What each took, one after the other in each round."""
    took: list[list[float]] = [[], []]
    for _ in range(rounds):
        took[0].append(timed(one))
        took[1].append(timed(other))
    return took


def ratio_of(ones: Sequence[float], others: Sequence[float]) -> float:
    """The median of the ratios of the rounds."""
    return median(other / one for one, other in zip(ones, others, strict=True))


def ms(took: Sequence[float]) -> str:
    """Median and least."""
    return f"{1_000 * median(took):.2f} ({1_000 * min(took):.2f}) ms"


class Pair:
    """A ledger in a file and one on a hub, opened."""

    def __init__(self, file: Ledger, hub: Ledger, server: Server, report: Report) -> None:
        self.file, self.hub, self._server, self._report = file, hub, server, report

    def compare(self, work: str, act: Callable[[Ledger], object], rounds: int = 40) -> float:
        """The ratio of what it takes on the hub, after one turn that does not count.

        Processor time comes besides: others on the machine do not change it much, while each
        answer of a server waits for its turn behind them.
        """
        in_turn(lambda: act(self.file), lambda: act(self.hub), 1)
        took = in_turn(lambda: act(self.file), lambda: act(self.hub), rounds)
        ratio = ratio_of(*took)
        file, hub = (self._processor_time(act, of, rounds) for of in (self.file, self.hub))
        used = f"processor time {1_000 * file:.2f}; {1_000 * hub:.2f} ms, {hub / file:.2f} ×"
        self._report.say(work, *map(ms, took), f"{ratio:.2f} ×; {used}")
        return ratio

    def _processor_time(self, act: Callable[[Ledger], object], ledger: Ledger, times: int) -> float:
        """Seconds of client and server for each."""
        before, began = time_of(self._server), time.process_time()
        for _ in range(times):
            act(ledger)
        ours = time.process_time() - began
        after = time_of(self._server) if ledger is self.hub else before
        return (ours + sum(at - before.get(pid, 0.0) for pid, at in after.items())) / times


def taking_in(report: Report, server: Server, folder: Path, rounds: int) -> None:
    """One writer in turn; then eight processes."""
    urls = str(folder / "intake.db"), new_hub(server)
    with open_ledger(urls[0], now=clock) as file, open_ledger(urls[1], now=clock) as hub:
        ready = {id(ledger): Intake() for ledger in (file, hub)}
        for intake in ready.values():
            intake.prepare(2 * rounds + 1)
        pair = Pair(file, hub, server, report)
        slower = pair.compare(
            f"taking in {BATCH}, one writer", lambda it: ready[id(it)].take_in(it), rounds
        )
        report.goal("taking in, one writer", "≥ 0.8 × SQLite", 1 / slower,
                    is_reached=slower <= 1 / 0.8, unit="×")  # fmt: skip
        pages(report, pair)
    # The same file with one writer is the measure; several would only wait for each other.
    with Writers(urls[0], 1, 1) as alone, Writers(urls[1], WRITERS, WRITERS) as eight:
        for writers in (alone, eight):
            writers.rate("batch", 1)
        rates = [(alone.rate("batch", 4), eight.rate("batch", 2)) for _ in range(rounds)]
    faster = ratio_of(*zip(*rates, strict=True))
    report.say(f"taking in, {WRITERS} hosts, proposals a second",
               *(f"{BATCH * median(some):.0f}" for some in zip(*rates, strict=True)),
               f"{faster:.2f} × as many")  # fmt: skip
    report.goal(f"taking in, {WRITERS} hosts", "≥ 2 × SQLite", faster,
                is_reached=faster >= 2, unit="×")  # fmt: skip


def pages(report: Report, pair: Pair) -> None:
    """A page, the counts, and both as the deck asks for them."""
    one = Filter(homes=("/homes/iris",))
    twenty = Filter(homes=("/homes/iris", *(f"/homes/{number}" for number in range(19))))

    def both(ledger: Ledger) -> None:
        with ledger.at_once():
            ledger.foresee((lambda: ledger.page(one), ledger.counts))
            ledger.page(one)
            ledger.counts()

    pair.compare("the counts alone", lambda it: it.counts())
    pair.compare("a page of a home", lambda it: it.page(one))
    slower = pair.compare("a page with the counts", both)
    report.goal("a page with the counts", "≤ 3 × SQLite", slower,
                is_reached=slower <= 3, unit="×")  # fmt: skip
    took = in_turn(lambda: pair.hub.page(one), lambda: pair.hub.page(twenty), 40)
    slower = ratio_of(*took)
    report.say("on the hub, a page of one home; of twenty", *map(ms, took), f"{slower:.2f} ×")
    report.goal("a page of 20 homes", "≤ 3 × one home", slower,
                is_reached=slower <= 3, unit="×")  # fmt: skip


def long_queue(report: Report, server: Server, folder: Path, rows: int) -> None:
    """Pages of a queue of this length beside one of ten thousand."""
    kinds: dict[str, Callable[[str], str]] = {
        "SQLite": lambda name: str(folder / f"{name}.db"),
        "PostgreSQL": lambda name: new_hub(server),
    }
    for kind, new in kinds.items():
        began = time.perf_counter()
        ledgers = [fill(new(f"queue{amount}"), amount) for amount in (SMALL, rows)]
        took = time.perf_counter() - began
        small, large = ledgers
        report.say(f"{kind}: {rows:,} proposals", f"{took:.0f} s to make", "", "")
        worst = 0.0
        for what, selection in LOOKS.items():
            times = in_turn(
                lambda: small.page(selection, limit=PAGE),  # noqa: B023 - called at once
                lambda: large.page(selection, limit=PAGE),  # noqa: B023 - the same
                100,
            )
            worst = max(worst, ratio := ratio_of(*times))
            report.say(f"{kind}, a page: {what}", *map(ms, times), f"{ratio:.2f} ×")
        for ledger in ledgers:
            ledger.close()
        report.goal(f"{kind}: the slowest page of {rows:,}", f"≤ 1.3 × of {SMALL:,}", worst,
                    is_reached=worst <= 1.3, unit="×")  # fmt: skip


def writing(report: Report, server: Server, rounds: int) -> None:
    """Lines of the log, each a commit: eight processes beside one."""
    disks = {"this disk": new_hub(server), "a flush of 20 ms": new_hub(server, *FLUSH)}
    for disk, url in disks.items():
        with Writers(url, WRITERS, WRITERS) as apart, Writers(url, WRITERS, 1) as of_one:
            of_one.rate("line", 2)
            apart.rate("line", 2)
            with watched(url) as load:
                rates = [
                    (apart.rate("line", 40, writers=1), apart.rate("line", 20))
                    for _ in range(rounds)
                ]
            same = of_one.rate("line", 5)
        ones, eights = zip(*rates, strict=True)
        faster = ratio_of(ones, eights)
        report.say(
            f"lines a second, {disk}: one writer; {WRITERS} on {WRITERS} homes; on one",
            f"{median(ones):.0f}; {median(eights):.0f}; {same:.0f}",
            f"{100 * load.waited:.1f} % waiting for a lock",
            f"{faster:.2f} ×, {processors()} processors {100 * load.busy:.0f} % busy",
        )
        report.goal(f"{WRITERS} writers on {WRITERS} homes, {disk}", "≥ 4 × one", faster,
                    is_reached=faster >= 4, unit="×")  # fmt: skip


@contextmanager
def approver(url: str, folder: Path, amount: int) -> Iterator[Callable[[], object]]:
    """What approves the next of so many proposals, from an open deck to the file."""
    ticking = Ticking()
    agent = Agent(make_home(folder), ticking)
    for number in range(amount):
        agent.add(f"The linter {number} is ruff{number}.")
    settings = Settings(
        homes=(folder,), ledger=url, user_home=folder.parent, actor=OPERATOR, lock_wait=5.0,
        host="host",
    )  # fmt: skip
    with closing(open_engine(settings, now=ticking, probe=quiet)) as deck:
        deck.intake()

        def approve() -> None:
            item = deck.ledger.page(Filter(states=(State.READY,)), limit=1)[0]
            deck.approve(item.id, str(item.digest))

        yield approve


def approving(report: Report, server: Server, folder: Path, rounds: int) -> None:
    """Approving on the machine that has the home, with the look that comes before it."""
    file, near = str(folder / "approving.db"), new_hub(server)
    far = new_hub(server).removeprefix(f"postgresql://{postgres.OWNER}@/").partition("?")[0]
    with (
        approver(file, folder / "file", rounds + 1) as in_file,
        approver(near, folder / "near", rounds + 1) as on_hub,
    ):
        in_turn(in_file, on_hub, 1)
        took = in_turn(in_file, on_hub, rounds)
    report.say("approving on the host", *map(ms, took), f"{ratio_of(*took):.2f} ×")
    with delayed(server.folder / ".s.PGSQL.5432", TRIP) as port:
        url = f"postgresql://{postgres.OWNER}@127.0.0.1:{port}/{far}"
        with approver(url, folder / "far", 4) as approve:
            slow = [timed(approve) for _ in range(4)]
    trips = (median(slow) - median(took[1])) / TRIP
    report.say("approving on the host, 20 ms away", "", ms(slow), f"{trips:.0f} round trips more")


def hearing(report: Report, server: Server, folder: Path, homes: int, people: int) -> None:
    """From decided to claimed: a real worker, and many simulated ones."""
    heard = hear(server, folder / "worker", people)
    report.say("one `reviewdeck worker`: decided to claimed; to written and reported",
               in_ms(heard.claimed), in_ms(heard.reported), "")  # fmt: skip
    done = simulate(new_hub(server), homes, people)
    delay, commit = late(done.delays), late(done.commits)
    report.say("a commit meanwhile", in_ms(done.commits), "", "")
    report.say("deciding", in_ms(done.decisions), "", "")
    report.say(
        f"decided to claimed, {homes // 10} workers and {people} operators",
        in_ms(done.delays),
        f"{len(done.delays)} of {done.decided}",
        f"{delay / commit:.1f} commits",
    )  # fmt: skip
    report.goal("decided to claimed, 95 %", "≤ 5 commits, 95 %", delay / commit,
                is_reached=delay <= 5 * commit, unit="commits")  # fmt: skip


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that it works")
    told = parser.parse_args()
    rounds = 2 if told.quick else 8
    server, report, began = hub_server(), Report(), time.monotonic()
    report.say("work", "SQLite, or the first", "PostgreSQL, or the second", "ratio")
    report.say("---", "---", "---", "---")
    with TemporaryDirectory(prefix="reviewdeck-team-", dir=Path.home()) as name:
        folder = Path(name)
        taking_in(report, server, folder, rounds)
        writing(report, server, rounds)
        approving(report, server, folder, rounds)
        hearing(report, server, folder, *((40, 5) if told.quick else (100, 10)))
        if told.rows:
            long_queue(report, server, folder, told.rows)
    report.end()
    sys.stdout.write(f"\n{time.monotonic() - began:.0f} seconds\n")
    postgres.stop_servers()


if __name__ == "__main__":
    main()
