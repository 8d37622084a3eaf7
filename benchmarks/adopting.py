"""CPU and memory of `adopt` over a folder of skills, beside another version.

    python -m benchmarks.adopting [--before REVISION] [--runs N] FOLDER

FOLDER holds `skills/`. Both versions take turns, each run with a ledger of its own, after one run
that compiles; the ratio is that of each pair. Memory is the most that any run held.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks import report
from benchmarks.versions import ROOT, core_of

_PROGRAM = "from reviewdeck.cli.entry import main; main()"


def cost(core: Path, home: Path) -> tuple[float, float]:
    """CPU seconds and megabytes of one run."""
    with tempfile.TemporaryDirectory() as place:
        kept = {"PATH": os.environ["PATH"], "PYTHONPATH": str(core)}
        words = [sys.executable, "-c", _PROGRAM, "adopt", "--home", str(home)]
        nothing = os.open(os.devnull, os.O_WRONLY)
        child = os.posix_spawn(
            sys.executable,
            words,
            kept | {"HOME": place, "XDG_DATA_HOME": place},
            file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)],
        )
        os.close(nothing)
        _, status, used = os.wait4(child, 0)
        if status:
            raise SystemExit(f"adopt ended with {os.waitstatus_to_exitcode(status)}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", metavar="REVISION", default="4d1f24b")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print(report.machine())
    with core_of(arguments.before) as before:
        cores = (before, ROOT / "core")
        pairs = [
            tuple(cost(core, arguments.folder.resolve()) for core in cores)
            for _ in range(arguments.runs + 1)
        ][1:]
    ratios = [now[0] / then[0] for then, now in pairs]
    for name, costs in zip((arguments.before, "now"), zip(*pairs, strict=True), strict=True):
        seconds = median(each[0] for each in costs)
        print(f"{name}: {seconds:.2f} s CPU, {max(each[1] for each in costs):.0f} MB")
    print(f"{median(ratios):.3f} × ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
