"""CPU cost of one decision while others wait, and of a new ledger.

    python -m benchmarks.deciding_bench [--waiting N] [--write]

The pass after a decision evaluates everything that it concerns. With --write the table goes into
docs/internals/performance.md.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from reviewdeck.engine.engine import Engine
from reviewdeck.ledger.opening import open_ledger

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import report
from benchmarks.engine_stage import make_home, open_at

TIMES = 7


class Bench:
    """One run in one folder."""

    def __init__(self, folder: Path, waiting: int) -> None:
        self._folder = folder
        self._waiting = waiting
        self.rows: list[tuple[str, str, str]] = []

    def run(self) -> None:
        """Runs all measurements."""
        self._row("a new ledger", [_time(self._new_ledger) for _ in range(TIMES)])
        deck = open_at(make_home(self._folder / "home", self._waiting), self._folder / "ledger.db")
        try:
            self._row(f"the first pass over {self._waiting:,}", [_time(deck.intake)])
            self._row("a pass without changes", [_time(deck.intake)])
            self._decide(deck, "rejecting one", _reject)
            self._decide(deck, "committing one, which changes MEMORY.md", _commit)
        finally:
            deck.close()

    def _new_ledger(self) -> None:
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        open_ledger(str(folder / "ledger.db"), now=lambda: datetime.now(UTC)).close()

    def _decide(self, deck: Engine, work: str, decide: Callable[[Engine], None]) -> None:
        decided, passed = [], []
        for _ in range(TIMES):
            decided.append(_time(lambda: decide(deck)))
            passed.append(_time(deck.intake))
        self._row(work, decided)
        self._row("… and the next pass", passed)

    def _row(self, work: str, took: list[tuple[float, float]]) -> None:
        clock, own = (statistics.median(part) * 1000 for part in zip(*took, strict=True))
        self.rows.append((work, f"{clock:,.0f} ms", f"{own:,.0f} ms"))


def _time(call: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock seconds, and CPU seconds of this process."""
    clock, own = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - clock, time.process_time() - own


def _newest(deck: Engine) -> str:
    return list(deck.ledger.last_evaluations(deck.home_ids[0]))[-1]


def _reject(deck: Engine) -> None:
    deck.reject(_newest(deck), "No.")


def _commit(deck: Engine) -> None:
    newest = _newest(deck)
    deck.approve(newest, deck.ledger.item(newest).digest or "")


def main() -> None:
    """Measures, prints the table, and writes it when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", type=int, default=1_000)
    parser.add_argument("--write", action="store_true", help="into docs/internals/performance.md")
    options = parser.parse_args()
    where = report.machine()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.waiting)
        bench.run()
    head = (f"with {options.waiting:,} waiting", "clock", "CPU")
    text = (
        "## One decision beside a queue\n\nWritten by `python -m benchmarks.deciding_bench"
        f" --write`, medians of {TIMES}. {where}\n\n" + report.table(head, bench.rows)
    )
    sys.stdout.write(text)
    if options.write:
        report.write_section("deciding", text)


if __name__ == "__main__":
    main()
