"""Merging by lines agrees with git, wherever git agrees with itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.text.cases import KINDS, Triple, seeded, triple
from tests.text.git import merge_file, merge_ort

from reviewdeck.text.conflicts import Clean
from reviewdeck.text.merge import merge

JUDGED_TWICE = 60
"""Cases of each kind that both of git's merges judge: one process a case."""
JUDGED = 500
"""Cases of each kind that the ort strategy judges, all in one process."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often we and git agreed."""

    counts: Counter[str]

    def share(self, verdict: str) -> float:
        """Part of all the cases."""
        return self.counts[verdict] / self.counts.total()


def tally(cases: Sequence[Triple], expected: Sequence[str | None]) -> Tally:
    """Compares our merges with git's texts (None for a conflict)."""
    counts: Counter[str] = Counter()
    for case, text in zip(cases, expected, strict=True):
        merged = merge(case.base, case.ours, case.theirs)
        ours = merged.text if isinstance(merged, Clean) else None
        if ours == text:
            counts["same"] += 1
        elif ours is None:
            counts["false conflict"] += 1
        else:
            counts["missed conflict" if text is None else "other text"] += 1
    return Tally(counts)


@pytest.mark.parametrize("kind", KINDS)
def test_a_merge_is_what_both_of_gits_merges_make_of_it(kind: str, git_folder: Path) -> None:
    random = seeded(21)
    cases = [triple(kind, random) for _ in range(JUDGED_TWICE)]
    first = merge_ort(git_folder, cases)
    second = [merge_file(git_folder, case) for case in cases]
    agreed = [index for index in range(len(cases)) if first[index] == second[index]]
    found = tally([cases[index] for index in agreed], [first[index] for index in agreed])
    assert found.counts["missed conflict"] == found.counts["other text"] == 0
    assert found.share("false conflict") < 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_conflicts_are_those_of_the_ort_strategy(kind: str, git_folder: Path) -> None:
    random = seeded(22)
    cases = [triple(kind, random) for _ in range(JUDGED)]
    found = tally(cases, merge_ort(git_folder, cases))
    assert found.share("missed conflict") + found.share("other text") <= 0.002
    assert found.share("same") >= 0.995
