"""How often our diffs and merges are those of git."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.text import documents
from tests.text.cases import KINDS, edited_markdown, seeded, triple
from tests.text.git import diff_all, merge_file, merge_ort

from reviewdeck.text.conflicts import Clean
from reviewdeck.text.diff import diff
from reviewdeck.text.lines import split
from reviewdeck.text.merge import merge


@dataclass(frozen=True, slots=True)
class Agreement:
    """Merges of one kind of text, where git's two merges agree with each other."""

    kind: str
    cases: int
    counts: Counter[str]

    def share(self, verdict: str) -> str:
        """In per cent of the cases."""
        return f"{100 * self.counts[verdict] / max(1, self.cases):.2f} %"


def identical_diffs(count: int) -> tuple[int, int]:
    """The number of `count` diffs of edited Markdown that have exactly git's hunks."""
    random = seeded(31)
    texts = documents.markdown()
    pool = [block for text in texts for block in text.split("\n\n") if block.strip()]
    drawn = ((old, edited_markdown(old, random, pool)) for old in random.choices(texts, k=count))
    pairs = [(old, new) for old, new in drawn if old != new]
    with TemporaryDirectory() as folder:
        expected = diff_all(Path(folder), pairs, "--histogram")
    same = 0
    for (old, new), hunks in zip(pairs, expected, strict=True):
        ours = diff(split(old), split(new))
        same += [(h.a_start, h.a_end, h.b_start, h.b_end) for h in ours] == hunks
    return same, len(pairs)


def merges(kind: str, count: int) -> Agreement:
    """Compares `count` merges with `git merge-file` and with the ort strategy."""
    random = seeded(32)
    cases = [triple(kind, random) for _ in range(count)]
    with TemporaryDirectory() as folder:
        by_ort = merge_ort(Path(folder), cases)
        by_file = [merge_file(Path(folder), case) for case in cases]
    counts: Counter[str] = Counter()
    for case, first, second in zip(cases, by_ort, by_file, strict=True):
        if first == second:
            merged = merge(case.base, case.ours, case.theirs)
            counts[_verdict(merged.text if isinstance(merged, Clean) else None, first)] += 1
    return Agreement(kind, counts.total(), counts)


def _verdict(ours: str | None, expected: str | None) -> str:
    if ours == expected:
        return "same"
    if ours is None:
        return "false conflict"
    return "missed conflict" if expected is None else "other text"


def all_kinds(count: int) -> list[Agreement]:
    """`merges` for each kind of text."""
    return [merges(kind, count) for kind in KINDS]
