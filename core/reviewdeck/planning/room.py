"""Room in a full memory: the fewest entries that can go, because they ended or are said twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    kept: Collection[int] = (),
) -> tuple[Removable, ...]:
    """The entries that ended, and those that another one says as well or nearly so, which stays.

    `said` has for each when it was written, `ends` the last days that an operator set. `kept` stay,
    and are no reason for another to go: they are about to change.
    """
    found: dict[int, Removable] = {}
    for at, (text, written) in enumerate(zip(entries, said, strict=True)):
        if at in kept:
            continue
        is_set = at in ends
        end = ends[at] if is_set else end_of(text, written)
        if end is not None and end < today:
            by = ", as you set" if is_set else ""
            found[at] = Removable(at, text, f"ended on {end.isoformat()}{by}")
    staying = [at for at in range(min(len(entries), MOST_ENTRIES)) if at not in {*found, *kept}]
    sayings = {at: saying_of(entries[at]) for at in staying}
    for at in sorted(staying, key=lambda at: len(entries[at])):
        if (other := _said_by(at, sayings)) is not None:
            number, how = other
            found[at] = Removable(at, entries[at], f"“{entries[number]}” says {how}")
            del sayings[at]
    return tuple(found[at] for at in sorted(found))


def _said_by(own: int, sayings: Mapping[int, Saying]) -> tuple[int, str] | None:
    saying = sayings[own]
    for at, other in sayings.items():
        if at != own and other.says_as_well(saying):
            return at, "it as well"
    for at, other in sayings.items():
        if at != own and other.says_nearly(saying):
            return at, "nearly the same"
    return None


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
