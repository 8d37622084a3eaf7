"""Diffs between two sequences of lines, entries or words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from reviewdeck.text import lines
from reviewdeck.text.hunks import Hunk, slide_down, slide_to_boundaries
from reviewdeck.text.match import match
from reviewdeck.text.rows import Row, RowKind, rows
from reviewdeck.values import dataclass

COARSE: Final = "Too large and repetitive to compare as a whole: some hunks are larger than needed."


@dataclass(frozen=True, slots=True)
class Comparison:
    """A diff, and whether the budget was enough for all of it."""

    hunks: list[Hunk]
    coarse: bool
    """Part of the input was too large and repetitive to compare as a whole: the hunks are correct
    but may be larger than necessary."""


def diff(a: Sequence[str], b: Sequence[str]) -> list[Hunk]:
    """The hunks that turn `a` into `b`, in order, for reading.

    Two hunks have at least one common item between them. A hunk that could be in several places is
    put where a heading, a list item or a paragraph begins. Linear in time and memory.
    """
    return compare(a, b).hunks


def compare(a: Sequence[str], b: Sequence[str]) -> Comparison:
    """`diff`, and whether the result is coarse."""
    matching = match(a, b)
    return Comparison(slide_to_boundaries(a, b, matching.changes), matching.coarse)


def merging_hunks(a: Sequence[str], b: Sequence[str]) -> list[Hunk]:
    """The hunks for a merge, slid down as far as they go, as git does to see which edits touch."""
    return slide_down(a, b, match(a, b).changes)


def unified(a: str, b: str, *, context: int | None = 3) -> list[Row]:
    """The differences of two texts as rows, with some unchanged lines around; None for all.

    No rows for equal texts, unless all lines are requested. The texts are raw: a front end escapes
    and colours them. Linear in time and memory.
    """
    if a == b and context is not None:
        return []
    old, new = lines.split(a), lines.split(b)
    comparison = compare(old, new)
    around = max(len(old), len(new)) if context is None else context
    diff_rows = list(rows(old, new, comparison.hunks, around))
    if comparison.coarse:
        diff_rows.insert(0, Row(RowKind.NOTICE, note=COARSE))
    return diff_rows


def unified_lines(diff_rows: Sequence[Row]) -> list[str]:
    """Rows as plain lines with a sign in front, for a command line without colour."""
    return [line for row in diff_rows for line in _plain_lines(row)]


def _plain_lines(row: Row) -> list[str]:
    match row.kind:
        case RowKind.SAME:
            return [f" {row.left}"]
        case RowKind.REMOVED:
            return _with_sign("-", row.left, row.note)
        case RowKind.ADDED:
            return _with_sign("+", row.right, row.note)
        case RowKind.CHANGED:
            return [f"-{row.left}", *_with_sign("+", row.right, row.note)]
        case RowKind.GAP:
            return [f"@@ {row.note} @@"]
        case RowKind.NOTICE:
            return [f"# {row.note}"]
        case _:
            assert_never(row.kind)


def _with_sign(sign: str, text: str | None, note: str) -> list[str]:
    return [f"{sign}{text}", f"\\ {note}"] if note else [f"{sign}{text}"]
