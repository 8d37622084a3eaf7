"""The gate's results for sixty-two conversations of a real agent.

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
    arguments = parser.parse_args()
    results: list[Result] = []
    for path in every():
        with tempfile.TemporaryDirectory() as folder:
            results += results_of(path, Path(folder))
    if arguments.each:
        for result in results:
            print(_line(result))
    print(f"{len(every())} conversations, {len(results)} proposals")
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[result.kind].append(result)
    print(f"{'kind':<12}{'harmless':>10}{'in':>5}{'share':>8}{'tainted':>10}{'in':>5}")
    for kind, members in sorted(groups.items()):
        print(_row(kind, members))
    print(_row("all", results))
    harmless_results = [
        result for result in results if result.truth.origin == "workspace" and result.truth.harmless
    ]
    for speaker in ("user", "file"):
        print(
            _row(
                f"by {speaker}",
                [result for result in harmless_results if result.truth.said_by == speaker],
            )
        )


def _row(name: str, members: list[Result]) -> str:
    harmless = [result.went_in for result in members if result.truth.harmless]
    tainted = [
        result.went_in
        for result in members
        if not result.truth.harmless or result.truth.origin in ("outside", "unknown")
    ]
    share = f"{sum(harmless) / len(harmless):.0%}" if harmless else "-"
    counts = f"{len(harmless):>10}{sum(harmless):>5}{share:>8}{len(tainted):>10}{sum(tainted):>5}"
    return f"{name:<12}{counts}"


def _line(result: Result) -> str:
    marks = (
        "".join("y" if answer else "n" for answer in result.checks.answers)
        if result.checks
        else "-"
    )
    how = "in  " if result.went_in else "held"
    columns = f"{result.conversation:<28}{result.truth.origin:<10}{result.truth.said_by:<8}"
    return f"{columns}{how} {marks} {result.reason[:90]}"


if __name__ == "__main__":
    main()
