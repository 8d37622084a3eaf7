"""Memory documents: a list of entries between delimiters, paired and merged by entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from itertools import islice
from typing import Final, TypeAlias

from rapidfuzz import fuzz, process

from reviewdeck.text import lines
from reviewdeck.text.conflicts import ConflictRegion, Part
from reviewdeck.text.diff import merging_hunks
from reviewdeck.text.words import merge_words
from reviewdeck.values import dataclass

EDITED: Final = 55.0
"""Likeness (Indel ratio, 0 to 100) from which an entry counts as an edit of another."""
RIVALS: Final = 70.0
"""Likeness from which two additions count as being about the same thing."""

LONGEST: Final = 4_000
"""Characters of a text that are compared for likeness: the comparison is quadratic."""

_Pair: TypeAlias = tuple[float, int, int]
"""Likeness, negative so that the greatest comes first; an index in `old`, and one in `new`."""


@dataclass(frozen=True, slots=True)
class SizeChange:
    """The characters of a memory before and after a change, and how many it may have."""

    before: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class Versions:
    """Three versions of a list of entries, and which entry is which."""

    base: Sequence[str]
    ours: Sequence[str]
    theirs: Sequence[str]
    in_ours: dict[int, int]
    """Index in the base to index in ours, for the entries that ours still has, edited or not."""
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
        _unpaired_indices(len(ours), in_ours),
        _unpaired_indices(len(theirs), in_theirs),
    )


def _unpaired_indices(count: int, paired: dict[int, int]) -> list[int]:
    paired_indices = set(paired.values())
    return [index for index in range(count) if index not in paired_indices]


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
    for j in reversed(_unpaired_indices(len(new), paired)):
        places[new[j]].append(j)
    for i in range(len(old)):
        if i not in paired and places.get(old[i]):
            paired[i] = places[old[i]].pop()


def _pair_edited(old: Sequence[str], new: Sequence[str], paired: dict[int, int]) -> None:
    """Pairs the most similar two first; candidates are generated lazily for each old entry."""
    right = _unpaired_indices(len(new), paired)
    cut = [new[j][:LONGEST] for j in right]
    waiting: list[tuple[_Pair, Iterator[_Pair]]] = []
    for i in range(len(old)):
        if i not in paired:
            candidates = _candidates(i, old[i][:LONGEST], right, cut)
            waiting += ((first, candidates) for first in islice(candidates, 1))
    heapify(waiting)
    paired_indices: set[int] = set()
    while waiting:
        (_, i, j), candidates = waiting[0]
        if j not in paired_indices:
            paired[i] = j
            paired_indices.add(j)
            heappop(waiting)
        elif following := next(
            (pair for pair in candidates if pair[2] not in paired_indices), None
        ):
            heapreplace(waiting, (following, candidates))
        else:
            heappop(waiting)


def _candidates(i: int, text: str, right: Sequence[int], cut: Sequence[str]) -> Iterator[_Pair]:
    """The entries that this one may have become, the most similar first, ties in order."""
    matches = process.extract(
        text, cut, scorer=fuzz.ratio, processor=None, score_cutoff=EDITED, limit=None
    )
    return ((-score, i, right[place]) for _, score, place in matches)


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


def likeness(a: str, b: str, least: float) -> float:
    """Indel ratio of two texts, 0 to 100; 0 when it is less than `least`."""
    return fuzz.ratio(a[:LONGEST], b[:LONGEST], score_cutoff=least)


Entries: TypeAlias = Sequence[str]
"""Entries without duplicates."""


def merge_single_edit(base: Entries, ours: Entries, theirs: Entries) -> list[str] | None:
    """Ours with the only edit of theirs; None when theirs has more than one, or it may conflict."""
    at = _first_difference(base, theirs)
    following = base[at + 1 :]
    if at >= len(base) or following not in (theirs[at:], theirs[at + 1 :]):
        return None
    old, base_entries = base[at], frozenset(base)
    additions = [entry for entry in ours if entry not in base_entries]
    ours_has_it = old in ours
    if not ours_has_it and _is_like_any(old, additions, EDITED):
        return None  # ours may have edited it
    remaining = [entry for entry in ours if entry != old]
    if following == theirs[at:]:
        return remaining
    new = theirs[at]
    if likeness(old, new, EDITED):
        return [new if entry == old else entry for entry in ours] if ours_has_it else None
    if new in ours or _is_like_any(new, additions, RIVALS):
        return None
    place = _find_place(base, remaining, at)
    return None if place is None else [*remaining[:place], new, *remaining[place:]]


def _find_place(base: Entries, remaining: Entries, at: int) -> int | None:
    """Index in `remaining` for an entry that theirs has at `at`: behind its predecessor.

    None where the predecessor is gone or where ours added something next to it.
    """
    if at == len(base) - 1:
        return len(remaining)
    if not any(entry in remaining for entry in base[at + 1 :]):
        return None
    if at and base[at - 1] not in remaining:
        return None
    place = remaining.index(base[at - 1]) + 1 if at else 0
    return place if place == len(remaining) or remaining[place] in base else None


def _is_like_any(entry: str, candidates: Collection[str], least: float) -> bool:
    return any(likeness(entry, candidate, least) for candidate in candidates)


def _first_difference(a_entries: Entries, b_entries: Entries) -> int:
    for at, (a, b) in enumerate(zip(a_entries, b_entries, strict=False)):
        if a != b:
            return at
    return min(len(a_entries), len(b_entries))


DELIMITER: Final = "\n§\n"
BOM: Final = "\ufeff"
"""The byte order mark that some editors write before a text: never part of its first entry."""


@lru_cache(maxsize=8)
def parse(text: str) -> tuple[str, ...]:
    """The entries of a document, as Hermes reads it: line ends become LF, entries are stripped,
    empty ones dropped. Duplicates stay. Cached: each of many proposals is held against one text."""
    pieces = lines.with_newline(text.removeprefix(BOM), "\n").split(DELIMITER)
    return tuple(entry for piece in pieces if (entry := piece.strip()))


def join(entries: Sequence[str]) -> str:
    """The document that Hermes writes for these entries: no newline at its end."""
    return DELIMITER.join(entries)


def size(entries: Sequence[str]) -> int:
    """Characters of the joined document: what a budget counts."""
    if not entries:
        return 0
    return sum(map(len, entries)) + len(DELIMITER) * (len(entries) - 1)


def round_trips(text: str, limit: int | None) -> bool:
    """Whether Hermes would write this document back unchanged, and so agrees to edit it.

    False where delimiters are padded or leading, and where one entry alone exceeds the limit.
    """
    entries = parse(text)
    if lines.with_newline(text.removeprefix(BOM), "\n").strip() != join(entries):
        return False
    return limit is None or all(len(entry) <= limit for entry in entries)


def two_way_entries(ours: Sequence[str], theirs: Sequence[str]) -> list[Part]:
    """Entries without a common ancestor: those of both sides are merged, all others are choices."""
    parts: list[Part] = []
    for index, entry in enumerate(ours):
        if entry in theirs:
            parts.append(entry)
        else:
            parts.append(ConflictRegion(None, entry, "", -1, index, -1))
    parts.extend(
        ConflictRegion(None, "", entry, -1, -1, index)
        for index, entry in enumerate(theirs)
        if entry not in ours
    )
    return parts


def merged_parts(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[Part]:
    """The entries with the edits of both sides, merged ones and conflicts, in a stable order.

    A conflict's texts are entries ("" where a side has none), its positions are indices of entries
    (-1 where there is none).
    """
    if list(ours) == list(theirs) or list(theirs) == list(base):
        return list(ours)
    if list(ours) == list(base):
        return list(theirs)
    # Of equal entries only the first counts: Hermes drops the others when it next writes.
    places = [_first_places(side) for side in (base, ours, theirs)]
    once = [list(first) for first in places]
    if (settled := merge_single_edit(*once)) is not None:
        return [*settled]
    versions = versions_of(*once)
    survivors = {
        key: part for key in range(len(versions.base)) if (part := _outcome(versions, key))
    }
    parts = _interleave(versions, _order(versions, survivors), survivors, _additions(versions))
    return [_renumber(part, [list(first.values()) for first in places]) for part in parts]


def _first_places(entries: Sequence[str]) -> dict[str, int]:
    """Each entry once, with the index of its first occurrence."""
    first_places: dict[str, int] = {}
    for index, entry in enumerate(entries):
        first_places.setdefault(entry, index)
    return first_places


def _renumber(part: Part, places: Sequence[Sequence[int]]) -> Part:
    """A conflict with its positions counted among all entries, duplicates included."""
    if isinstance(part, str):
        return part
    at = [
        index if index < 0 else first[index]
        for index, first in zip((part.base_at, part.ours_at, part.theirs_at), places, strict=True)
    ]
    return replace(part, base_at=at[0], ours_at=at[1], theirs_at=at[2])


def _outcome(versions: Versions, key: int) -> Part:
    """The merged form of one entry of the base; empty when it is removed."""
    base = versions.base[key]
    ours_at, theirs_at = versions.in_ours.get(key, -1), versions.in_theirs.get(key, -1)
    ours = versions.ours[ours_at] if ours_at >= 0 else ""
    theirs = versions.theirs[theirs_at] if theirs_at >= 0 else ""
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if ours and theirs and (merged := merge_words(base, ours, theirs)) is not None:
        return merged
    return ConflictRegion(base, ours, theirs, key, ours_at, theirs_at)


def _additions(versions: Versions) -> dict[tuple[str, int], Part]:
    """The additions of each side by (side, index); an entry that both added is in it once."""
    added: dict[tuple[str, int], Part] = {}
    rivals = pair_added(versions)
    rival_indices = set(rivals.values())
    for index in versions.new_in_ours:
        entry = versions.ours[index]
        rival = rivals.get(index)
        if rival is None or versions.theirs[rival] == entry:
            added["ours", index] = entry
        else:
            added["ours", index] = ConflictRegion(
                "", entry, versions.theirs[rival], -1, index, rival
            )
    for index in versions.new_in_theirs:
        if index not in rival_indices:
            added["theirs", index] = versions.theirs[index]
    return added


def _order(versions: Versions, survivors: dict[int, Part]) -> list[int]:
    """The surviving entries in the order of the side that moved any; of ours when both did."""
    keys = list(survivors)
    ours = _order_by(keys, versions.in_ours)
    theirs = _order_by(keys, versions.in_theirs)
    moved_by_ours = [key for key in ours if key in versions.in_ours]
    if moved_by_ours == sorted(moved_by_ours):
        return theirs
    return ours


def _order_by(keys: list[int], positions: dict[int, int]) -> list[int]:
    """Keys in the order of one side; those it removed stay behind their neighbour in the base."""
    ordered = sorted((key for key in keys if key in positions), key=positions.__getitem__)
    for key in keys:
        if key not in positions:
            before = [earlier for earlier in ordered if earlier < key]
            at = ordered.index(max(before)) + 1 if before else 0
            ordered.insert(at, key)
    return ordered


def _interleave(
    versions: Versions,
    ordered: list[int],
    survivors: dict[int, Part],
    added: dict[tuple[str, int], Part],
) -> list[Part]:
    """The survivors with each addition behind the entry that it follows on its own side.

    Additions at the end stay at the end, wherever the last entry was moved.
    """
    behind: dict[int, list[Part]] = {}
    at_end: list[Part] = []
    sides = (
        ("ours", versions.ours, versions.in_ours),
        ("theirs", versions.theirs, versions.in_theirs),
    )
    for side, entries, positions in sides:
        key_at = {index: key for key, index in positions.items() if key in survivors}
        end = max(key_at, default=-1)
        last = -1
        for index in range(len(entries)):
            last = key_at.get(index, last)
            if (side, index) in added:
                group = at_end if index > end else behind.setdefault(last, [])
                group.append(added[side, index])
    parts = list(behind.get(-1, ()))
    for key in ordered:
        parts.append(survivors[key])
        parts.extend(behind.get(key, ()))
    return parts + at_end
