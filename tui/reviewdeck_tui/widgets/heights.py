"""The heights of items in screen lines, exact only near the visible part.

Items are grouped. A group with a long line starts with an estimate and is measured when it
comes near the screen, so that the first line never waits for the wrapping of all others.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

GROUP: Final = 32


class Heights:
    """An index from screen lines to items and back."""

    def __init__(self, heights: array[int], exact: bytearray) -> None:
        self._heights = heights
        self._exact = exact
        """One byte for each group."""
        count = len(heights)
        self._sums = [sum(heights[at : at + GROUP]) for at in range(0, count, GROUP)]
        self._index()

    @property
    def total(self) -> int:
        """The number of screen lines, in part estimated."""
        return self._tops[-1]

    @property
    def is_exact(self) -> bool:
        """Whether nothing is estimated."""
        return self._next < 0

    def locate(self, line: int) -> tuple[int, int]:
        """The item that a screen line shows, and the line within it."""
        group = bisect_right(self._tops, line) - 1
        group = min(max(group, 0), len(self._sums) - 1)
        within = line - self._tops[group]
        at = group * GROUP
        last = min(at + GROUP, len(self._heights)) - 1
        while at < last and within >= self._heights[at]:
            within -= self._heights[at]
            at += 1
        return at, within

    def top(self, item: int) -> int:
        """The first screen line of an item."""
        group = item // GROUP
        return self._tops[group] + sum(self._heights[group * GROUP : item])

    def height(self, item: int) -> int:
        """The number of screen lines of an item."""
        return self._heights[item]

    def measure_around(self, line: int, count: int, measure: Callable[[int], int]) -> bool:
        """Measures the items of these screen lines; whether any height changed."""
        group = self.locate(line)[0] // GROUP
        top, end = self._tops[group], line + count
        is_changed = False
        while group < len(self._sums) and top < end:
            is_changed |= self._measure(group, measure)
            top += self._sums[group]
            group += 1
        self._index()
        return is_changed

    def measure_next(self, measure: Callable[[int], int]) -> None:
        """Measures the first group that is still estimated."""
        if not self.is_exact:
            self._measure(self._next, measure)
            self._index()

    def _measure(self, group: int, measure: Callable[[int], int]) -> bool:
        if self._exact[group]:
            return False
        self._exact[group] = 1
        before, start = self._sums[group], group * GROUP
        for item in range(start, min(start + GROUP, len(self._heights))):
            self._heights[item] = measure(item)
        self._sums[group] = sum(self._heights[start : start + GROUP])
        return self._sums[group] != before

    def _index(self) -> None:
        self._tops = [0, *accumulate(self._sums)]
        self._next = self._exact.find(0)
