"""The engine's figures, side by side with what they are held against, in one run.

    python benchmarks/engine_bench.py [--hermes PYTHON] [--write] [--small]

Without `--hermes`, an environment with hermes-agent 0.19.0 is made in a temporary directory.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reviewdeck.engine.decide import commit
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.summary import Summary, summary
from reviewdeck.model import Draft, Verb

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.engine_stage import (  # noqa: E402 - needs the path above
    add_record,
    facts,
    fill,
    make_home,
    open_at,
)
from benchmarks.report import machine, table, write_section  # noqa: E402 - the same

HERMES = "hermes-agent==0.19.0"
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Took:
    """The duration of a measurement."""

    clock: float
    work: float
    """Seconds of this process' own: what another program does on the machine is not in it."""


def timed(call: Callable[[], object]) -> Took:
    """Measures a call."""
    clock, work = time.perf_counter(), time.process_time()
    call()
    return Took(time.perf_counter() - clock, time.process_time() - work)


def child(*arguments: str, env: dict[str, str] | None = None) -> Took:
    """How long a program takes, its start included: the best of several."""
    best = Took(float("inf"), float("inf"))
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        clock = time.perf_counter()
        subprocess.run(arguments, check=False, env=env, stdout=subprocess.DEVNULL)
        clock = time.perf_counter() - clock
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = Took(min(best.clock, clock), min(best.work, work))
    return best


class Bench:
    """One run over one temporary directory."""

    def __init__(self, root: Path, hermes: str, *, small: bool) -> None:
        self.root, self.hermes = root, hermes
        self.many, self.full = (1_000, 5_000) if small else (10_000, 100_000)
        self.rows: list[tuple[str, str, str, str]] = []

    def row(self, work: str, measured: str, target: str, *, met: bool) -> None:
        """One line of the table."""
        self.rows.append((work, measured, target, "yes" if met else "**no**"))
        sys.stderr.write(f"{work}: {measured} ({target})\n")

    def intake(self) -> None:
        """A home full of records, twice."""
        home = make_home(self.root / "intake", self.many)
        deck = open_at(home, self.root / "intake.db")
        first, second = timed(deck.intake), timed(deck.intake)
        deck.close()
        rate, of_work = self.many / first.clock, self.many / first.work
        measured = f"{rate:,.0f} records/s ({of_work:,.0f} per second of work)"
        self.row(
            f"intake and staging of {self.many:,} records",
            measured,
            "≥ 2,000 records/s",
            met=rate >= 2000,
        )
        measured = f"{second.clock:.2f} s ({second.work:.2f} s of work)"
        self.row("the second pass over them", measured, "≤ 0.6 s", met=second.clock <= 0.6)

    def applying(self) -> None:
        """A thousand additions to one document: Hermes, decided by an operator, judged by us."""
        amount = 1_000
        theirs = self._hermes(make_home(self.root / "theirs", amount))
        decided = open_at(make_home(self.root / "decided", amount), self.root / "decided.db")
        decided.intake()
        _draft_all(decided)
        shown = summary(decided)
        ours = timed(lambda: _commit_all(decided, shown))
        judged = open_at(make_home(self.root / "judged", amount), self.root / "judged.db")
        total = timed(lambda: _auto(judged, amount))
        times, of_work = theirs.clock / ours.clock, theirs.work / ours.work
        measured = (
            f"{ours.clock:.2f} s against {theirs.clock:.2f} s: {times:.1f} × ({of_work:.1f} × work)"
        )
        name = f"applying {amount:,} decided additions to one document"
        self.row(name, measured, "≥ 3 × faster than Hermes' approve-all", met=times >= 3)
        times, of_work = theirs.clock / total.clock, theirs.work / total.work
        measured = f"{total.clock:.2f} s: {times:.1f} × Hermes' pace ({of_work:.1f} × work)"
        self.row("a whole `auto` over them", measured, "no slower than Hermes", met=times >= 1)
        size = (self.root / "decided.db").stat().st_size / amount
        self.row("ledger for each of these decisions", f"{size / 1024:.1f} KiB", "–", met=True)
        decided.close()
        judged.close()

    def _hermes(self, home: Path) -> Took:
        env = {**os.environ, "HERMES_HOME": str(home), "PYTHONPATH": ""}
        script = Path(__file__).with_name("engine_hermes.py")
        ran = subprocess.run(
            [self.hermes, str(script)], check=True, env=env, capture_output=True, text=True
        )
        clock, work, applied = ran.stdout.split()[-3:]
        if int(applied) != 1_000:
            raise SystemExit(f"Hermes applied {applied} of 1,000.")
        return Took(float(clock), float(work))

    def looking(self) -> None:
        """Lists over a little and over a lot, and the memory that it takes."""
        bare = child(sys.executable, "-c", "pass")
        pages: dict[int, Took] = {}
        for amount in (1_000, self.full):
            home = make_home(self.root / f"home-{amount}", amount)
            (home / "pending").rename(home / "waiting")
            deck = open_at(home, self.root / f"{amount}.db")
            deck.intake()  # of an empty folder: what there is
            (home / "waiting").rename(home / "pending")
            fill(deck)
            deck.intake()
            fill_stamp(deck)
            deck.close()
            pages[amount] = self._command(amount, "list")
        few, many = pages[1_000], pages[self.full]
        measured = f"{_against(many, bare)}; with 1,000: {_against(few, bare)}"
        name = f"first page of `list` with {self.full:,} proposals"
        met = many.clock <= 0.35 and many.clock <= 1.5 * few.clock
        self.row(name, measured, "≤ 0.35 s, the same with 1,000", met=met)
        short = self._command(self.full, "status", "--short")
        self.row("`status --short`", _against(short, bare), "≤ 0.2 s", met=short.clock <= 0.2)
        self._measure_unchanged()

    def _command(self, amount: int, *words: str) -> Took:
        home = self.root / f"home-{amount}"
        database = str(self.root / f"{amount}.db")
        script = "from reviewdeck.cli.entry import main; main()"
        program = [sys.executable, "-c", script, *words]
        return child(*program, "--home", str(home), "--ledger", database)

    def _measure_unchanged(self) -> None:
        """A pass over a folder in which nothing changed, in a process of its own."""
        script = (
            "import re, sys, time; from pathlib import Path;"
            "from benchmarks.engine_stage import open_at;"
            "deck = open_at(Path(sys.argv[1]), Path(sys.argv[2])); deck.pending();"
            "t = time.perf_counter(); taken = deck.intake(); t = time.perf_counter() - t;"
            # Not of rusage: that begins with what the parent of a process had.
            "status = Path('/proc/self/status').read_text();"
            "mb = int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) / 1024;"
            "print(t, mb, len(taken[0].evaluated))"
        )
        home, database = self.root / f"home-{self.full}", self.root / f"{self.full}.db"
        ran = subprocess.run(
            [sys.executable, "-c", script, str(home), str(database)],
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        clock, megabytes, evaluated = map(float, ran.stdout.split())
        measured = f"{clock:.2f} s, {evaluated:.0f} evaluated"
        self.row(f"a pass over {self.full:,} unchanged records", measured, "–", met=not evaluated)
        measured = f"{megabytes:.0f} MB"
        name = f"resident memory with {self.full:,} proposals, after a pass"
        self.row(name, measured, "≤ 150 MB", met=megabytes <= 150)

    def single(self, amount: int = 300) -> None:
        """One record at a time, from its file to its verdict."""
        home = make_home(self.root / "single")
        deck = open_at(home, self.root / "single.db")
        deck.intake()
        took: list[Took] = []
        for number, fact in enumerate(facts(amount, seed=7)):
            add_record(home, number, fact)
            took.append(timed(deck.intake))
        deck.close()
        at = int(amount * 0.99) - 1
        clock, work = sorted(t.clock for t in took)[at], sorted(t.work for t in took)[at]
        middle = sorted(t.clock for t in took)[amount // 2]
        measured = (
            f"{clock * 1000:.1f} ms ({work * 1000:.1f} ms of work); median {middle * 1000:.1f} ms"
        )
        self.row("one record from file to verdict, p99", measured, "≤ 20 ms", met=clock <= 0.02)


def _against(took: Took, bare: Took) -> str:
    times, of_work = took.clock / bare.clock, took.work / bare.work
    return f"{took.clock * 1000:.0f} ms, {times:.1f} × ({of_work:.1f} × work)"


def fill_stamp(deck: Engine) -> None:
    """Stores the home's stamp, so that the next look finds nothing changed."""
    (open_home,) = deck.open_homes
    ledger, home = deck.ledger, open_home.home
    stamp = home.stamp(home.documents())
    ledger.end_refresh(ledger.begin_refresh(home.id), {}, stamp=stamp)


def _draft_all(deck: Engine) -> None:
    for id in deck.ledger.last_evaluations(deck.home_ids[0]):
        item = deck.ledger.item(id)
        deck.ledger.put_draft(Draft(id, Verb.APPROVE, item.digest, deck.now()))


def _commit_all(deck: Engine, shown: Summary) -> None:
    report = commit(deck, shown)
    if report.failed or not report.committed:
        raise SystemExit("Not everything was applied.")


def _auto(deck: Engine, amount: int) -> None:
    applied = len(deck.auto().applied)
    if applied < 0.95 * amount:
        raise SystemExit(f"Only {applied} of {amount} were applied.")


def install(root: Path) -> str:
    """An environment with Hermes in it; gives its Python."""
    venv.create(root, with_pip=True)
    python = str(root / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", HERMES], check=True)
    return python


def main() -> None:
    """Measures, prints the table, and writes it when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hermes", help="a Python with hermes-agent in its environment")
    parser.add_argument("--write", action="store_true", help="into docs/internals/performance.md")
    parser.add_argument("--small", action="store_true", help="a tenth of everything")
    options = parser.parse_args()
    where = machine()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bench = Bench(root, options.hermes or install(root / "hermes"), small=options.small)
        bench.applying()
        bench.intake()
        bench.looking()
        bench.single()
    head = ("work", "measured", "target", "met")
    text = (
        "## The engine\n\nWritten by `make bench` (`benchmarks/engine_bench.py`), with Hermes"
        f" 0.19.0 in an environment of its own. {where}\nTimes are wall-clock; in brackets the"
        " CPU of the process, which other programs on the machine affect less.\n\n"
        + table(head, bench.rows)
    )
    sys.stdout.write(text)
    if options.write:
        write_section("engine", text)


if __name__ == "__main__":
    main()
