"""A longest common subsequence, or something near it where the input is too large for one table.

The algorithm is the bit parallel one of Hyyrö (2004), in rapidfuzz' `Indel`. It compares what it is
given by hash, so it is given numbers or characters: a number is its own hash.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias

from rapidfuzz.distance import Indel

Run: TypeAlias = tuple[int, int, int]
"""Start in a, start in b, length."""

MAX_CELLS: Final = 64_000_000
"""The largest table for one comparison: a bit a cell, so 8 MB."""
SMALL_CELLS: Final = 1_000_000
"""Up to here it is quicker to compare everything than to leave out what only one side has."""
WINDOW: Final = 2_048
"""Items that are compared at a time where the table would be too large."""


def common_runs(a: Sequence[int], b: Sequence[int]) -> tuple[list[Run], bool]:
    """Runs of a common subsequence, in order, and whether it may not be the longest one.

    Beyond `MAX_CELLS` pairs only windows are compared, so that time and memory stay linear.
    """
    if len(a) * len(b) <= SMALL_CELLS:
        return _blocks(_text(a), _text(b)), False
    shared = set(a).intersection(b)
    at_a = [i for i, item in enumerate(a) if item in shared]
    at_b = [j for j, item in enumerate(b) if item in shared]
    one, other = _text([a[i] for i in at_a]), _text([b[j] for j in at_b])
    is_coarse = len(one) * len(other) > MAX_CELLS
    blocks = _in_windows(one, other) if is_coarse else _blocks(one, other)
    runs = [(at_a[i + k], at_b[j + k], 1) for i, j, length in blocks for k in range(length)]
    return runs, is_coarse


def _text(numbers: Sequence[int]) -> Sequence[Hashable]:
    """Numbers as characters, the form in which rapidfuzz compares fastest, if there are as many."""
    if max(numbers, default=0) > sys.maxunicode:
        return numbers
    return "".join(map(chr, numbers))


def _blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Run]:
    blocks = Indel.opcodes(a, b).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _in_windows(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Run]:
    """The same, looking only `WINDOW` items ahead; what it finds in the first half is kept."""
    found: list[Run] = []
    i = j = 0
    while i < len(a) and j < len(b):
        is_last = len(a) - i <= WINDOW and len(b) - j <= WINDOW
        half = WINDOW if is_last else WINDOW // 2
        ends = (i + half, j + half)
        start_i, start_j = i, j
        for x, y, length in _blocks(a[i : i + WINDOW], b[j : j + WINDOW]):
            kept = min(length, half - x, half - y)
            if kept <= 0:
                break
            found.append((start_i + x, start_j + y, kept))
            ends = (start_i + x + kept, start_j + y + kept)
        if is_last:
            break
        i, j = ends if ends[0] > start_i and ends[1] > start_j else (i + half, j + half)
    return found
