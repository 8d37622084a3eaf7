"""Hunks: the places where one sequence was changed into another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hunk:
    """``a[a_start:a_end]`` became ``b[b_start:b_end]``; half open, counted in items."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


def invert(hunks: Sequence[Hunk]) -> list[Hunk]:
    """The diff from b to a."""
    return [Hunk(h.b_start, h.b_end, h.a_start, h.a_end) for h in hunks]


def apply(a: Sequence[T], b: Sequence[T], hunks: Sequence[Hunk]) -> list[T]:
    """`a` with the hunks carried out, taking what is new from `b`."""
    result: list[T] = []
    at = 0
    for hunk in hunks:
        result.extend(a[at : hunk.a_start])
        result.extend(b[hunk.b_start : hunk.b_end])
        at = hunk.a_end
    result.extend(a[at:])
    return result
