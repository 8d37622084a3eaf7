"""Wrong and right entries beside what a user typed: how many go in without a person.

    python -m benchmarks.gate_statements                     this version
    python -m benchmarks.gate_statements --before 4d1f24b    and an earlier one, in the same run
    python -m benchmarks.gate_statements --each              with what is judged wrongly

Each pair is a home of its own with a session store, a log and a record, taken in by the whole
program; then MEMORY.md is read. In `workspace` the agent also read a file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.gate.statements import Pair, goes_in, load

from reviewdeck.model import OriginClass

CLASSES = (OriginClass.WORKSPACE, OriginClass.USER)
ROOT = Path(__file__).parent.parent
Counts = dict[str, dict[str, list[int]]]
"""By set and by class, the numbers of the pairs whose entry went in."""


def sets() -> dict[str, list[Pair]]:
    """The pairs that are reported, by name."""
    fresh, page = load("fresh"), load("page")
    return {
        "wrong, known": load("known"),
        "wrong, fresh, tuned on": fresh[::2],
        "wrong, fresh, reported": fresh[1::2],
        "right": load("right"),
        "wrong, page": [pair for pair in page if pair.kind == "waits"],
        "right, page": [pair for pair in page if pair.kind != "waits"],
    }


def main() -> None:
    """Measures one or two versions and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="REVISION", default="", help="an earlier version")
    parser.add_argument("--each", action="store_true", help="list what is judged wrongly")
    parser.add_argument("--json", action="store_true", help="the numbers alone")
    arguments = parser.parse_args()
    counts = _measure()
    if arguments.json:
        print(json.dumps(counts))
        return
    before = _measure_revision(arguments.before) if arguments.before else {}
    print(f"{'entries that went in':<26}{'workspace':>22}{'user':>22}")
    for name, pairs in sets().items():
        print(f"{name:<26}{_cells(name, pairs, counts, before)}")
    if arguments.each:
        _print_wrong(counts)


def _cells(name: str, pairs: list[Pair], counts: Counts, before: Counts) -> str:
    cells = []
    for kind in CLASSES:
        now = f"{len(counts[name][kind])} of {len(pairs)}"
        then = f"{len(before[name][kind])} → " if before else ""
        cells.append(f"{then}{now:>10}".rjust(22))
    return "".join(cells)


def _print_wrong(counts: Counts) -> None:
    for name, pairs in sets().items():
        for number, pair in enumerate(pairs):
            for kind in CLASSES:
                went_in = number in counts[name][kind]
                if went_in is name.startswith("wrong"):
                    print(
                        f"{kind:<10}{'in' if went_in else 'waits':<7}{pair.messages} {pair.entry}"
                    )


def _measure() -> Counts:
    return {
        name: {kind: _went_in(pairs, kind) for kind in CLASSES} for name, pairs in sets().items()
    }


def _went_in(pairs: list[Pair], kind: OriginClass) -> list[int]:
    found = []
    for number, pair in enumerate(pairs):
        with tempfile.TemporaryDirectory() as folder:
            if goes_in(pair, Path(folder), kind):
                found.append(number)
    return found


def _measure_revision(revision: str) -> Counts:
    """The numbers of an earlier version, which runs from its own files."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "core.tar"
        git = ["git", "-C", str(ROOT), "archive", "--output", str(archive), revision, "core"]
        subprocess.run(git, check=True)
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.gate_statements", "--json"],
            env=os.environ | {"PYTHONPATH": f"{folder}/core:{ROOT}"},
            cwd=folder,
            check=True,
            stdout=subprocess.PIPE,
        )
    counts: Counts = json.loads(done.stdout)
    return counts


if __name__ == "__main__":
    main()
