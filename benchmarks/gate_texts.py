"""Results of the plain-form rules and of similarity: `python -m benchmarks.gate_texts [--json]`.

The texts and their halves are those of `tests/gate/texts`. Rules may be chosen on `tune`; the
figures of `report` are the ones to publish. Times are CPU time, the best of a few runs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import report  # noqa: E402 - needs the path above
from tests.gate.texts import CLOSED, Split, memories  # noqa: E402
from tests.gate.texts_rates import Rate, Rates, measured  # noqa: E402
from tests.text.cases import WORDS, seeded  # noqa: E402

from reviewdeck.model import Edit, MemoryAdd, SkillCreate  # noqa: E402
from reviewdeck.policy.plain import check_plain  # noqa: E402
from reviewdeck.text.similarity import find_similar  # noqa: E402

SIZE = 64 * 1024


def main(arguments: Sequence[str]) -> None:
    """Measures both halves and prints them."""
    halves = [measured(split) for split in Split]
    times = {"an ordinary record": _ordinary_record(), "10,000 entries, likeness": _likeness()}
    shapes = {name: _cost(edit) for name, edit in _shapes().items()}
    if "--json" in arguments:
        figures: dict[str, Any] = {rates.split: asdict(rates) for rates in halves}
        print(json.dumps(figures | {"ms": times | shapes}, indent=1))
        return
    print(report.machine())
    for rates in halves:
        print(f"\n## {rates.split}\n\n{_table(rates)}")
    print("\n## Milliseconds of CPU time\n")
    rows = [[name, f"{spent:.2f}"] for name, spent in {**times, **shapes}.items()]
    print(report.table(["what", "ms"], rows))


def _table(rates: Rates) -> str:
    closed = [("of which nothing may pass", rate) for rate in rates.passing if rate.of in CLOSED]
    counted = [("only counted", rate) for rate in rates.passing if rate.of not in CLOSED]
    rows: list[tuple[str, Rate]] = [
        *(("no rule speaks", rate) for rate in rates.plain),
        ("of these", rates.strict),
        *closed,
        *(("put into a skill", rate) for rate in rates.passing_in_skills),
        *counted,
        ("no conversations", rates.passing_strict),
        *(("pairs found alike", rate) for rate in rates.likeness),
        *(("passes for words of the user", rate) for rate in rates.said),
        *(("speaks about an ordinary entry", rate) for rate in rates.speaking),
    ]
    head = ["", "what", "how many", "share"]
    cells = [
        [label, rate.of, f"{rate.hits} of {rate.all}", f"{rate.share:.1%}"] for label, rate in rows
    ]
    return report.table(head, cells)


def _ordinary_record() -> float:
    edits = [(sample.edit,) for sample in memories() if sample.is_ordinary]
    return _least_cpu(lambda: [check_plain(edit) for edit in edits], 3) / len(edits)


def _likeness() -> float:
    random = seeded(5)
    entries = [" ".join(random.choices(WORDS, k=12)) + f" {n}" for n in range(10_000)]
    entry = memories()[0].said
    find_similar(entry, entries)
    return _least_cpu(lambda: find_similar(entry, entries, reasons=False), 3)


def _cost(edit: Edit) -> float:
    run: Callable[[], object] = lambda: check_plain((edit,))  # noqa: E731
    return _least_cpu(run, 2)


def _least_cpu(work: Callable[[], object], times: int) -> float:
    """The least CPU time of several runs, in milliseconds."""
    shortest = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        shortest = min(shortest, time.process_time() - started)
    return 1_000 * shortest


def _shapes() -> dict[str, Edit]:
    """Texts of 64 KiB that are hard to look at."""
    random = seeded(6)
    prose = " ".join(random.choices(WORDS, k=SIZE // 5))[:SIZE]
    hidden = "".join(f"{word}\u200b" for word in prose.split())[: SIZE // 4]
    nested = "---\nname: notes\ndescription: Keep notes.\n" + "a:\n" * (SIZE // 4) + "---\nx\n"
    shapes = {
        "prose": prose,
        "one word": "a" * SIZE,
        "orders without an end": ("ignore all previous " * SIZE)[:SIZE],
        "new lines": "\n" * SIZE,
        "letters apart": ("i g n o r e  " * SIZE)[:SIZE],
        "hidden characters": hidden,
        "digits": "".join(random.choices("0123456789abcdef", k=SIZE)),
        "paths": ("../a/" * SIZE)[:SIZE],
        "links": ("http://a.b/c " * SIZE)[:SIZE],
        "brackets": ("<" * (SIZE // 2)) + (">" * (SIZE // 2)),
    }
    edits: dict[str, Edit] = {
        f"64 KiB of {name}": MemoryAdd("memories/MEMORY.md", text) for name, text in shapes.items()
    }
    return edits | {"64 KiB of front matter": SkillCreate("notes", nested)}


if __name__ == "__main__":
    main(sys.argv[1:])
