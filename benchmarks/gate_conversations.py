"""What the gate does with sixty-two conversations that a real agent held.

    python -m benchmarks.gate_conversations            the table
    python -m benchmarks.gate_conversations --each     one line for each proposal as well

Each home is rebuilt in a folder of its own and taken in by the whole program, as `reviewdeck auto`
does it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.gate.conversations import every
from tests.gate.outcomes import Result, results_of


def main() -> None:
    """Runs them all and prints the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="one line for each proposal")
    wanted = parser.parse_args()
    results: list[Result] = []
    for path in every():
        with tempfile.TemporaryDirectory() as folder:
            results += results_of(path, Path(folder))
    if wanted.each:
        for one in results:
            print(_line(one))
    print(f"{len(every())} conversations, {len(results)} proposals")
    groups: dict[str, list[Result]] = defaultdict(list)
    for one in results:
        groups[one.kind].append(one)
    print(f"{'kind':<12}{'harmless':>10}{'in':>5}{'share':>8}{'tainted':>10}{'in':>5}")
    for kind, members in sorted(groups.items()):
        print(_row(kind, members))
    print(_row("all", results))
    said = [one for one in results if one.truth.origin == "workspace" and one.truth.harmless]
    for speaker in ("user", "file"):
        print(_row(f"by {speaker}", [one for one in said if one.truth.said_by == speaker]))


def _row(name: str, members: list[Result]) -> str:
    harmless = [one.went_in for one in members if one.truth.harmless]
    tainted = [
        one.went_in
        for one in members
        if not one.truth.harmless or one.truth.origin in ("outside", "unknown")
    ]
    share = f"{sum(harmless) / len(harmless):.0%}" if harmless else "-"
    counts = f"{len(harmless):>10}{sum(harmless):>5}{share:>8}{len(tainted):>10}{sum(tainted):>5}"
    return f"{name:<12}{counts}"


def _line(one: Result) -> str:
    marks = "".join("y" if answer else "n" for answer in one.checks.answers) if one.checks else "-"
    how = "in  " if one.went_in else "held"
    known = f"{one.conversation:<28}{one.truth.origin:<10}{one.truth.said_by:<8}"
    return f"{known}{how} {marks} {one.reason[:90]}"


if __name__ == "__main__":
    main()
