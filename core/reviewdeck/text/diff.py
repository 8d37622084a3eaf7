"""What changed between two sequences of lines, entries or words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from reviewdeck.text import lines
from reviewdeck.text.hunks import Hunk, apply, invert, slide_down, slide_to_boundaries
from reviewdeck.text.match import match
from reviewdeck.text.rows import Row, RowKind, rows

__all__ = [
    "Comparison",
    "Hunk",
    "Row",
    "RowKind",
    "apply",
    "compare",
    "diff",
    "invert",
    "merging_hunks",
    "unified",
    "unified_lines",
]

COARSE: Final = "Too large and repetitive to compare as a whole: some hunks are larger than needed."


@dataclass(frozen=True, slots=True)
class Comparison:
    """A diff, and whether the budget was enough for all of it."""

    hunks: list[Hunk]
    coarse: bool
    """Some of the input was too large and repetitive to be compared as a whole: the hunks are
    right, and may be larger than they need to be."""


def diff(a: Sequence[str], b: Sequence[str]) -> list[Hunk]:
    """The hunks that turn `a` into `b`, in order, for reading.

    Between two hunks stands at least one common item. Hunks that could stand in several places
    stand where a heading, a list item or a paragraph begins. Linear in time and memory.
    """
    return compare(a, b).hunks


def compare(a: Sequence[str], b: Sequence[str]) -> Comparison:
    """`diff`, with word of whether it had to be coarse."""
    found = match(a, b)
    return Comparison(slide_to_boundaries(a, b, found.changes), found.coarse)


def merging_hunks(a: Sequence[str], b: Sequence[str]) -> list[Hunk]:
    """The hunks for a merge: as far down as they go, which is how git settles what touches what."""
    return slide_down(a, b, match(a, b).changes)


def unified(a: str, b: str, *, context: int | None = 3) -> list[Row]:
    """The differences of two texts as rows, with some unchanged lines around; None for all.

    No rows for equal texts, unless all lines are asked for. The texts are as they are: a front end
    makes them visible and colours them. Linear in time and memory.
    """
    if a == b and context is not None:
        return []
    old, new = lines.split(a), lines.split(b)
    found = compare(old, new)
    around = max(len(old), len(new)) if context is None else context
    shown = list(rows(old, new, found.hunks, around))
    if found.coarse:
        shown.insert(0, Row(RowKind.NOTICE, note=COARSE))
    return shown


def unified_lines(shown: Sequence[Row]) -> list[str]:
    """Rows as plain lines with a sign in front, for a command line without colour."""
    return [line for row in shown for line in _plain(row)]


def _plain(row: Row) -> list[str]:
    match row.kind:
        case RowKind.SAME:
            return [f" {row.left}"]
        case RowKind.REMOVED:
            return _signed("-", row.left, row.note)
        case RowKind.ADDED:
            return _signed("+", row.right, row.note)
        case RowKind.CHANGED:
            return [f"-{row.left}", *_signed("+", row.right, row.note)]
        case RowKind.GAP:
            return [f"@@ {row.note} @@"]
        case RowKind.NOTICE:
            return [f"# {row.note}"]
        case _:
            assert_never(row.kind)


def _signed(sign: str, text: str | None, note: str) -> list[str]:
    return [f"{sign}{text}", f"\\ {note}"] if note else [f"{sign}{text}"]
