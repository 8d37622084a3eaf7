"""Measures working memory on its three storages: `python benchmarks/working_bench.py [--write]`.

A real Valkey is started for it from a wheel. With `--write` the table lands in
`docs/internals/performance.md`.
"""

from __future__ import annotations

import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import report  # noqa: E402 - needs the path above
from tests.working.kit import serving  # noqa: E402

from reviewdeck.working import Scope, Storage, WorkingMemory  # noqa: E402
from reviewdeck.working.in_process import InProcess  # noqa: E402
from reviewdeck.working.redis import Redis  # noqa: E402
from reviewdeck.working.sqlite import Sqlite  # noqa: E402

TIMES = 2_000
SESSIONS = 100_000
VALUE = {"filter": "kind:skill", "marks": ["4a2d3939", "9f31c04e"], "at": 17}


def now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


def main(arguments: Sequence[str]) -> None:
    """Measures, prints and perhaps writes."""
    with TemporaryDirectory() as name, serving(Path(name) / "valkey") as server:
        storages: list[tuple[Storage, float]] = [
            (InProcess(), 20.0),
            (Sqlite(Path(name) / "working.db", now), 300.0),
            (Redis(server.url), 300.0),
        ]
        rows = [row for storage, target in storages for row in _rows(storage, target)]
    rows.append(_sessions())
    head = ["work", "median", "p99", "wanted"]
    text = (
        "## Working memory\n\n"
        f"Written by `benchmarks/working_bench.py --write`. {report.machine()}\n\n"
        "One value of about 70 bytes, one caller; Valkey on the loopback.\n\n"
        + report.table(head, rows)
    )
    print(text)
    if "--write" in arguments:
        report.write_section("working", text)


def _rows(storage: Storage, target: float) -> list[list[str]]:
    memory = WorkingMemory(Scope("bench"), storage, now=now, most_notes=100)
    memory.set_task("bench")
    work: list[tuple[str, Callable[[], object]]] = [
        ("set", lambda: memory.set("key", VALUE)),
        ("get", lambda: memory.get("key")),
        ("a note, of a hundred", lambda: memory.note("a line")),
    ]
    rows = [[f"{storage.name}: {name}", *_time(call)] for name, call in work]
    for row in rows[:2]:
        row.append(f"{target:,.0f} µs")
    rows[2].append("")
    storage.close()
    return rows


def _time(call: Callable[[], object]) -> list[str]:
    samples = []
    for _ in range(TIMES):
        started = time.perf_counter()
        call()
        samples.append((time.perf_counter() - started) * 1e6)
    samples.sort()
    return [f"{median(samples):,.1f} µs", f"{samples[int(TIMES * 0.99)]:,.1f} µs"]


def _sessions() -> list[str]:
    """Python's memory after a hundred thousand sessions and after the first thousand."""
    storage = InProcess()
    tracemalloc.start()
    sizes = []
    for number in range(SESSIONS):
        memory = WorkingMemory(Scope(f"session {number}"), storage, now=now)
        memory.set("key", VALUE)
        memory.note("a line")
        memory.close()
        if number + 1 in (2_000, SESSIONS):
            sizes.append(tracemalloc.get_traced_memory()[0] / 1e6)
    tracemalloc.stop()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return [
        f"in process: {SESSIONS:,} sessions, {len(storage):,} of them kept",
        f"{sizes[1]:.1f} MB held",
        f"after 2,000: {sizes[0]:.1f} MB; process at most {resident} MB",
        "flat",
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
