"""Matches the items that two sequences have in common, in order: the basis of a diff.

Anchored on items that occur once on both sides (Bram Cohen's patience diff), then on the rarest
common runs (the histogram diff of JGit), then on a longest common subsequence (Hyyrö 2004, bit
parallel, in rapidfuzz' `Indel`). Every step counts against a budget that grows with the input;
when it is used up, the remaining gaps are compared in windows and reported as coarse.

`Indel` compares items by hash, so it is given numbers or characters: a number is its own hash.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import field
from itertools import compress, count
from operator import ne
from typing import Final, TypeAlias

from rapidfuzz.distance import Indel

from reviewdeck.values import dataclass

Run: TypeAlias = tuple[int, int, int]
"""Start in a, start in b, length."""

MAX_CELLS: Final = 64_000_000
"""The largest table for one comparison: a bit a cell, so 8 MB."""
SMALL_CELLS: Final = 1_000_000
"""Up to this size comparing everything is faster than first dropping items of one side only."""
WINDOW: Final = 2_048
"""Items that are compared at a time where the table would be too large."""


def common_runs(a: Sequence[int], b: Sequence[int]) -> tuple[list[Run], bool]:
    """Runs of a common subsequence, in order, and whether it is coarse: perhaps not the longest.

    Beyond `MAX_CELLS` pairs only windows are compared, so time and memory stay linear.
    """
    if len(a) * len(b) <= SMALL_CELLS:
        return _blocks(_text(a), _text(b)), False
    shared = set(a).intersection(b)
    at_a = [i for i, item in enumerate(a) if item in shared]
    at_b = [j for j, item in enumerate(b) if item in shared]
    shared_a, shared_b = _text([a[i] for i in at_a]), _text([b[j] for j in at_b])
    is_coarse = len(shared_a) * len(shared_b) > MAX_CELLS
    blocks = _in_windows(shared_a, shared_b) if is_coarse else _blocks(shared_a, shared_b)
    runs = [(at_a[i + k], at_b[j + k], 1) for i, j, length in blocks for k in range(length)]
    return runs, is_coarse


def _text(numbers: Sequence[int]) -> Sequence[Hashable]:
    """The numbers as characters, which rapidfuzz compares fastest, if they are small enough."""
    if max(numbers, default=0) > sys.maxunicode:
        return numbers
    return "".join(map(chr, numbers))


def _blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Run]:
    blocks = Indel.opcodes(a, b).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _in_windows(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Run]:
    """Blocks found `WINDOW` items at a time; only those in the first half of a window count."""
    runs: list[Run] = []
    i = j = 0
    while i < len(a) and j < len(b):
        is_last = len(a) - i <= WINDOW and len(b) - j <= WINDOW
        half = WINDOW if is_last else WINDOW // 2
        ends = (i + half, j + half)
        start_i, start_j = i, j
        for x, y, length in _blocks(a[i : i + WINDOW], b[j : j + WINDOW]):
            usable = min(length, half - x, half - y)
            if usable <= 0:
                break
            runs.append((start_i + x, start_j + y, usable))
            ends = (start_i + x + usable, start_j + y + usable)
        if is_last:
            break
        i, j = ends if ends[0] > start_i and ends[1] > start_j else (i + half, j + half)
    return runs


GALLOP: Final = 16
"""Equal items that are counted one by one before slices are compared."""
RARE: Final = 64
"""An item that occurs more often than this is no anchor."""
HISTOGRAM_LIMIT: Final = 2_000
"""Gaps up to this many items are split at their rarest run rather than at all unique items."""
EFFORT: Final = 15
"""Steps per item of the input."""

Range: TypeAlias = tuple[int, int, int, int]
"""Start and end in a, start and end in b; half open. Plain tuples, since there are many."""
Anchors: TypeAlias = tuple[list[int], list[int]]
"""Positions in a, in order, and the positions in b that belong to them."""


@dataclass(frozen=True, slots=True)
class Matching:
    """How two sequences differ."""

    changes: list[Range]
    coarse: bool
    """Whether parts were compared only in windows, because the budget was used up."""


@dataclass(slots=True)
class _Comparison:
    """The state of one comparison: items as numbers, the runs so far and the gaps still open."""

    a: list[int]
    b: list[int]
    effort: int
    runs: list[Run] = field(default_factory=list)
    open: list[Range] = field(default_factory=list)
    coarse: bool = False


def match(a: Sequence[str], b: Sequence[str], *, anchored: bool = True) -> Matching:
    """The places where `a` and `b` differ, in order, with at least one common item between.

    Items are compared for equality. Without anchors it is a longest common subsequence, which is
    faster for a few words and scatters more. Time and memory grow linearly with the lengths.
    """
    a, b = list(a), list(b)
    # In a short text rarity is counted over all of it, so equal ends are not trimmed.
    is_whole = anchored and len(a) + len(b) <= HISTOGRAM_LIMIT
    start, tail = (0, 0) if is_whole else _equal_ends(a, b)
    end_a, end_b = len(a) - tail, len(b) - tail
    if start in (end_a, end_b):
        is_equal = end_a == start == end_b
        return Matching([] if is_equal else [(start, end_a, start, end_b)], coarse=False)
    search = _number(a[start:end_a], b[start:end_b])
    gap = (0, end_a - start, 0, end_b - start)
    if anchored:
        search.open.append(gap)
    else:
        _compare(search, gap)
    while search.open:
        _settle(search, search.open.pop())
    return Matching(_changes_between(search, start), search.coarse)


def _equal_ends(a: list[str], b: list[str]) -> tuple[int, int]:
    """Length of the common start, and of the common end of the remainder."""
    start = run_length(a, 0, b, 0)
    return start, run_length(a[start:][::-1], 0, b[start:][::-1], 0)


def run_length(a: Sequence[object], i: int, b: Sequence[object], j: int) -> int:
    """Length of the equal run from `a[i]` and `b[j]`; slices make long runs cheap."""
    limit = min(len(a) - i, len(b) - j)
    done = 0
    while done < limit and done < GALLOP and a[i + done] == b[j + done]:
        done += 1
    if done < GALLOP or done == limit:
        return done
    step = GALLOP
    while done < limit and a[i + done : i + done + step] == b[j + done : j + done + step]:
        done += step
        step *= 2
    if done >= limit:
        return limit
    while step > 1:
        step //= 2
        if a[i + done : i + done + step] == b[j + done : j + done + step]:
            done += step
    return min(done, limit)


def _number(a: list[str], b: list[str]) -> _Comparison:
    """Numbers in place of items: rapidfuzz compares by hash, and a number is its own.

    An item's number is its last index in the two lists joined.
    """
    items = a + b
    number = dict(zip(items, range(len(items)), strict=True))
    numbers = list(map(number.__getitem__, items))
    return _Comparison(numbers[: len(a)], numbers[len(a) :], EFFORT * len(items) + 10_000)


def _changes_between(search: _Comparison, offset: int) -> list[Range]:
    changes = []
    at_a = at_b = offset
    for i, j, length in [*sorted(search.runs), (len(search.a), len(search.b), 0)]:
        i, j = i + offset, j + offset
        if i > at_a or j > at_b:
            changes.append((at_a, i, at_b, j))
        at_a, at_b = i + length, j + length
    return changes


def _settle(search: _Comparison, gap: Range) -> None:
    """Finds the runs of one gap, or splits it into smaller gaps."""
    is_large = gap[1] - gap[0] + gap[3] - gap[2] > HISTOGRAM_LIMIT
    if is_large:
        gap = _trim(search, gap)
    alo, ahi, blo, bhi = gap
    if alo == ahi or blo == bhi:
        return
    a, b = search.a[alo:ahi], search.b[blo:bhi]
    search.effort -= len(a) + len(b)
    if len(a) == 1 or len(b) == 1:
        _find_single(search, a, b, alo, blo)
        return
    if set(a).isdisjoint(b):
        return
    if search.effort < 0:
        _compare(search, gap)
    elif is_large and (anchors := _unique_anchors(a, b, alo, blo))[0]:
        _split_at_anchors(search, gap, _longest_ascending(anchors))
    elif (run := _rarest_run(search, gap)) is not None:
        i, j, length = run
        search.runs.append(run)
        search.open.append((alo, i, blo, j))
        search.open.append((i + length, ahi, j + length, bhi))
    else:
        _compare(search, gap)


def _find_single(search: _Comparison, a: list[int], b: list[int], alo: int, blo: int) -> None:
    """The run of a gap with one item on a side."""
    if len(a) == 1 and a[0] in b:
        search.runs.append((alo, blo + b.index(a[0]), 1))
    elif len(b) == 1 and b[0] in a:
        search.runs.append((alo + a.index(b[0]), blo, 1))


def _trim(search: _Comparison, gap: Range) -> Range:
    alo, ahi, blo, bhi = gap
    a, b = search.a, search.b
    start = alo
    while alo < ahi and blo < bhi and a[alo] == b[blo]:
        alo, blo = alo + 1, blo + 1
    if alo > start:
        search.runs.append((start, blo - (alo - start), alo - start))
    end = ahi
    while alo < ahi and blo < bhi and a[ahi - 1] == b[bhi - 1]:
        ahi, bhi = ahi - 1, bhi - 1
    if ahi < end:
        search.runs.append((ahi, bhi, end - ahi))
    return alo, ahi, blo, bhi


def _unique_anchors(a: list[int], b: list[int], alo: int, blo: int) -> Anchors:
    """Positions of the items that occur exactly once on both sides."""
    where = dict(zip(b, range(blo, blo + len(b)), strict=True))
    # Repeated items are those with an index other than their last.
    for item in set(compress(b, map(ne, map(where.__getitem__, b), count(blo)))):
        del where[item]
    # Two lists and no pairs: tens of thousands of tuples would keep the garbage collector busy.
    places = list(map(where.get, a))
    seconds = [j for j in places if j is not None]
    if len(set(seconds)) < len(seconds):
        once = {j for j, times in Counter(seconds).items() if times == 1}
        places = [j if j in once else None for j in places]
        seconds = [j for j in seconds if j in once]
    return [i for i, j in enumerate(places, alo) if j is not None], seconds


def _longest_ascending(anchors: Anchors) -> Anchors:
    """The longest subsequence that ascends on both sides: patience sorting."""
    firsts, seconds = anchors
    if seconds == sorted(seconds):
        return anchors
    tops: list[int] = []
    top_index: list[int] = []
    before: list[int] = []
    for index, j in enumerate(seconds):
        pile = bisect_left(tops, j)
        before.append(top_index[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(j)
            top_index.append(index)
        else:
            tops[pile], top_index[pile] = j, index
    chain = []
    at = top_index[-1]
    while at >= 0:
        chain.append(at)
        at = before[at]
    chain.reverse()
    return [firsts[at] for at in chain], [seconds[at] for at in chain]


def _split_at_anchors(search: _Comparison, gap: Range, anchors: Anchors) -> None:
    """Grows each anchor into a run and leaves the gaps between the runs open."""
    at_a, ahi, at_b, bhi = gap
    firsts, seconds = anchors
    index = 0
    while index < len(firsts):
        i, j = firsts[index], seconds[index]
        if i > at_a and j > at_b:
            search.open.append((at_a, i, at_b, j))
        length = min(run_length(search.a, i, search.b, j), ahi - i, bhi - j)
        search.runs.append((i, j, length))
        at_a, at_b = i + length, j + length
        index = bisect_left(firsts, at_a, index + 1)
    search.open.append((at_a, ahi, at_b, bhi))


def _rarest_run(search: _Comparison, gap: Range) -> Run | None:
    """The longest common run among those that hold the rarest common item of `a`."""
    alo, ahi, blo, bhi = gap
    a, b = search.a, search.b
    places: dict[int, list[int]] = {}
    for i in range(alo, ahi):
        places.setdefault(a[i], []).append(i)
    best: Run | None = None
    rarest = RARE + 1
    j = blo
    while j < bhi:
        following = j + 1
        passed = -1
        for i in places.get(b[j], ()):
            count = len(places[b[j]])
            if count > rarest:
                break
            if i < passed:
                continue
            start = 0
            while i - start > alo and j - start > blo and a[i - start - 1] == b[j - start - 1]:
                start += 1
            end = 1
            while i + end < ahi and j + end < bhi and a[i + end] == b[j + end]:
                end += 1
            search.effort -= start + end
            if count > 1:
                count = min(len(places[item]) for item in a[i - start : i + end])
            if best is None or start + end > best[2] or count < rarest:
                best, rarest = (i - start, j - start, start + end), count
            passed = i + end
            following = max(following, j + end)
        j = following
    return best


def _compare(search: _Comparison, gap: Range) -> None:
    """Adds the longest common subsequence of a gap, without anchors."""
    alo, ahi, blo, bhi = gap
    runs, coarse = common_runs(search.a[alo:ahi], search.b[blo:bhi])
    search.runs.extend((alo + i, blo + j, length) for i, j, length in runs)
    search.coarse |= coarse
