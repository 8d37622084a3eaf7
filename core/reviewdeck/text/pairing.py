"""Which entry of one version is which entry of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from itertools import islice
from typing import Final, TypeAlias

from rapidfuzz import fuzz, process

from reviewdeck.text.diff import merging_hunks

EDITED: Final = 55.0
"""Likeness (Indel ratio, 0 to 100) from which an entry counts as an edit of another."""
RIVALS: Final = 70.0
"""Likeness from which two additions are taken to be about the same thing."""

LONGEST: Final = 4_000
"""Characters of a text that are looked at for likeness: the comparison is quadratic."""

_Pair: TypeAlias = tuple[float, int, int]
"""Likeness, negative so that the greatest comes first; an index in `old`, and one in `new`."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Three versions of a list of entries, and which entry is which."""

    base: Sequence[str]
    ours: Sequence[str]
    theirs: Sequence[str]
    in_ours: dict[int, int]
    """Index in the base to index in ours, for what ours still has, edited or not."""
    in_theirs: dict[int, int]
    new_in_ours: list[int]
    new_in_theirs: list[int]


def versions_of(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Versions:
    """Pairs each side with the base: exactly first, then by likeness."""
    in_ours, in_theirs = pair(base, ours), pair(base, theirs)
    return Versions(
        base,
        ours,
        theirs,
        in_ours,
        in_theirs,
        _unpaired(len(ours), in_ours),
        _unpaired(len(theirs), in_theirs),
    )


def _unpaired(count: int, paired: dict[int, int]) -> list[int]:
    taken = set(paired.values())
    return [index for index in range(count) if index not in taken]


def pair(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Index in `old` to index in `new`: in order where possible, then moved, then edited."""
    paired: dict[int, int] = {}
    at = 0
    shift = 0
    for hunk in merging_hunks(old, new):
        paired.update((i, i + shift) for i in range(at, hunk.a_start))
        at, shift = hunk.a_end, hunk.b_end - hunk.a_end
    paired.update((i, i + shift) for i in range(at, len(old)))
    _pair_moved(old, new, paired)
    _pair_edited(old, new, paired)
    return paired


def _pair_moved(old: Sequence[str], new: Sequence[str], paired: dict[int, int]) -> None:
    places: dict[str, list[int]] = defaultdict(list)
    for j in reversed(_unpaired(len(new), paired)):
        places[new[j]].append(j)
    for i in range(len(old)):
        if i not in paired and places.get(old[i]):
            paired[i] = places[old[i]].pop()


def _pair_edited(old: Sequence[str], new: Sequence[str], paired: dict[int, int]) -> None:
    """The likest two first. Of each old entry only as many candidates are looked at as it takes."""
    right = _unpaired(len(new), paired)
    cut = [new[j][:LONGEST] for j in right]
    waiting: list[tuple[_Pair, Iterator[_Pair]]] = []
    for i in range(len(old)):
        if i not in paired:
            candidates = _candidates(i, old[i][:LONGEST], right, cut)
            waiting += ((first, candidates) for first in islice(candidates, 1))
    heapify(waiting)
    taken: set[int] = set()
    while waiting:
        (_, i, j), candidates = waiting[0]
        if j not in taken:
            paired[i] = j
            taken.add(j)
            heappop(waiting)
        elif following := next((pair for pair in candidates if pair[2] not in taken), None):
            heapreplace(waiting, (following, candidates))
        else:
            heappop(waiting)


def _candidates(i: int, text: str, right: Sequence[int], cut: Sequence[str]) -> Iterator[_Pair]:
    """What an entry may have become, the likest first and of equally like ones the first."""
    found = process.extract(
        text, cut, scorer=fuzz.ratio, processor=None, score_cutoff=EDITED, limit=None
    )
    return ((-score, i, right[place]) for _, score, place in found)


def pair_added(versions: Versions) -> dict[int, int]:
    """Additions of ours to additions of theirs that are the same or about the same thing."""
    ours = [versions.ours[i] for i in versions.new_in_ours]
    theirs = [versions.theirs[j] for j in versions.new_in_theirs]
    paired = pair(ours, theirs)
    return {
        versions.new_in_ours[i]: versions.new_in_theirs[j]
        for i, j in paired.items()
        if likeness(ours[i], theirs[j], RIVALS)
    }


def likeness(one: str, other: str, least: float) -> float:
    """Indel ratio of two texts, 0 to 100; 0 when it is less than `least`."""
    return fuzz.ratio(one[:LONGEST], other[:LONGEST], score_cutoff=least)
