"""Room in a full memory: the fewest entries that can go, because they ended or are said twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import combinations, islice
from math import comb
from typing import Final

from reviewdeck.text.end_dates import end_of
from reviewdeck.text.similarity import Saying, saying_of
from reviewdeck.values import dataclass

DELIMITER: Final = 3
"""Characters between two entries."""
MOST_ENTRIES: Final = 1_000
"""Entries that are compared with each other."""
_MOST_SETS: Final = 20_000
"""Sets of entries of which the smallest is looked for."""


@dataclass(frozen=True, slots=True)
class Removable:
    """An entry of a memory that can go, with the reason."""

    at: int
    text: str
    reason: str

    @property
    def frees(self) -> int:
        """Characters that are free without it."""
        return len(self.text) + DELIMITER


def removable(
    entries: Sequence[str],
    today: date,
    said: Sequence[date],
    ends: Mapping[int, date],
) -> tuple[Removable, ...]:
    """The entries that ended, and those that another one says as well, which stays.

    `said` has for each when it was written, `ends` the last days that an operator set.
    """
    found: dict[int, Removable] = {}
    for at, (text, written) in enumerate(zip(entries, said, strict=True)):
        is_set = at in ends
        end = ends[at] if is_set else end_of(text, written)
        if end is not None and end < today:
            by = ", as you set" if is_set else ""
            found[at] = Removable(at, text, f"ended on {end.isoformat()}{by}")
    by_length = sorted(range(min(len(entries), MOST_ENTRIES)), key=lambda at: len(entries[at]))
    sayings = [saying_of(text) for text in entries[:MOST_ENTRIES]]
    for at in by_length:
        other = None if at in found else _said_by(at, sayings, found)
        if other is not None:
            found[at] = Removable(at, entries[at], f"“{entries[other]}” says it as well")
    return tuple(found[at] for at in sorted(found))


def _said_by(at: int, sayings: Sequence[Saying], gone: Mapping[int, Removable]) -> int | None:
    return next(
        (
            other
            for other, longer in enumerate(sayings)
            if other != at and other not in gone and longer.says_as_well(sayings[at])
        ),
        None,
    )


def fewest(found: Sequence[Removable], need: int) -> tuple[Removable, ...] | None:
    """The fewest of these that free so many characters, and of such sets the smallest; else None.

    Where there are too many sets to look at, of one that is small.
    """
    by_size = sorted(found, key=lambda each: -each.frees)
    amount, freed = 0, 0
    while freed < need:
        if amount == len(by_size):
            return None
        freed += by_size[amount].frees
        amount += 1
    if comb(len(by_size), amount) > _MOST_SETS:
        return tuple(sorted(by_size[:amount], key=lambda each: each.at))
    sets = islice(combinations(by_size, amount), _MOST_SETS)
    enough = (each for each in sets if sum(one.frees for one in each) >= need)
    best = min(enough, key=lambda each: (sum(one.frees for one in each), [one.at for one in each]))
    return tuple(sorted(best, key=lambda each: each.at))
