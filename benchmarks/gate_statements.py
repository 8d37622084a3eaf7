"""Wrong and right entries beside what a user typed: how many go in without a person.

    python -m benchmarks.gate_statements                     this version
    python -m benchmarks.gate_statements --before 4d1f24b    and an earlier one, in the same run
    python -m benchmarks.gate_statements --each              with what is judged wrongly

Each pair is a home of its own with a session store, a log and a record, taken in by the whole
program; then MEMORY.md is read. In `workspace` the agent also read a file. "own" counts where the
user's own sentence was written in place of the entry: it is compared with what was typed, byte for
byte.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.versions import ROOT, core_of
from tests.gate.statements import Pair, is_typed, load, written

from reviewdeck.model import OriginClass

CLASSES = (OriginClass.WORKSPACE, OriginClass.USER)
Counts = dict[str, dict[str, list[int]]]
"""By set and by class, the numbers of the pairs whose entry went in; of `own …`, of those for which
the user's own words did."""


def sets() -> dict[str, list[Pair]]:
    """The pairs that are reported, by name."""
    fresh, page = map(load, ("fresh", "page"))
    found = {
        "wrong, known": load("known"),
        "wrong, fresh, tuned on": fresh[::2],
        "wrong, fresh, reported": fresh[1::2],
        "right": load("right"),
        "wrong, page": [pair for pair in page if pair.kind == "waits"],
        "right, page": [pair for pair in page if pair.kind != "waits"],
    }
    for name in ("own", "chats", "plain", "blind"):
        pairs = load(name)
        found[f"wrong, {name}"] = [pair for pair in pairs if pair.kind == "waits"]
        found[f"right, {name}"] = [pair for pair in pairs if pair.kind != "waits"]
    return found


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
    print(f"{'went in':<26}{'workspace':>32}{'user':>32}")
    for name, pairs in sets().items():
        print(f"{name:<26}{_cells(name, pairs, counts, before)}")
    if arguments.each:
        _print_wrong(counts)


def _cells(name: str, pairs: list[Pair], counts: Counts, before: Counts) -> str:
    cells = []
    for kind in CLASSES:
        own = len(counts[f"own {name}"][kind])
        now = f"{len(counts[name][kind])} of {len(pairs)}, {own} own"
        then = f"{len(before[name][kind])} → " if before else ""
        cells.append(f"{then}{now:>20}".rjust(32))
    return "".join(cells)


def _print_wrong(counts: Counts) -> None:
    for name, pairs in sets().items():
        for number, pair in enumerate(pairs):
            for kind in CLASSES:
                went_in = number in counts[name][kind]
                is_own = number in counts[f"own {name}"][kind]
                if is_own or went_in is name.startswith("wrong"):
                    how = "own" if is_own else "in" if went_in else "waits"
                    print(f"{kind:<10}{how:<7}{pair.messages} {pair.entry}")


def _measure() -> Counts:
    counts: Counts = {}
    for name, pairs in sets().items():
        for kind in CLASSES:
            went_in, own = _went_in(pairs, kind)
            counts.setdefault(name, {})[kind] = went_in
            counts.setdefault(f"own {name}", {})[kind] = own
    return counts


def _went_in(pairs: list[Pair], kind: OriginClass) -> tuple[list[int], list[int]]:
    went_in, own = [], []
    for number, pair in enumerate(pairs):
        with tempfile.TemporaryDirectory() as folder:
            text = written(pair, Path(folder), kind)
        if pair.entry in text:
            went_in.append(number)
        elif text:
            assert is_typed(text, pair), (pair, text)
            own.append(number)
    return went_in, own


def _measure_revision(revision: str) -> Counts:
    """The numbers of an earlier version, which runs from its own files."""
    with core_of(revision) as core:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.gate_statements", "--json"],
            env=os.environ | {"PYTHONPATH": f"{core}:{ROOT}"},
            cwd=core,
            check=True,
            stdout=subprocess.PIPE,
        )
    counts: Counts = json.loads(done.stdout)
    return counts


if __name__ == "__main__":
    main()
