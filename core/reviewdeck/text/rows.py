"""A diff as rows to display: each has a kind, two sides, and marks in them.

The texts are neither coloured nor escaped: a front end passes them through `visible` first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

from reviewdeck.text.hunks import Hunk
from reviewdeck.text.lines import bare
from reviewdeck.text.words import Mark, marks
from reviewdeck.values import dataclass

PAIRED_FROM: Final = 40.0
"""Likeness of two lines, 0 to 100, from which they are shown as one changed line."""
LONGEST_LINE: Final = 1_000
"""Characters of a line that are compared when lines are paired."""
MAX_PAIRS: Final = 4_096
"""Pairs of lines of one hunk that are compared; a larger hunk is paired from the top."""


class RowKind(StrEnum):
    """The kinds of rows of a diff."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"
    """Left became right; the marks are the words that differ."""
    GAP = "gap"
    """Unchanged lines that are not shown."""
    NOTICE = "notice"
    """A sentence about the diff itself, in `note`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a diff."""

    kind: RowKind
    left: str | None = None
    """The old line without its line end; None when there is none."""
    right: str | None = None
    left_at: int | None = None
    """Index of the line, from 0."""
    right_at: int | None = None
    left_marks: tuple[Mark, ...] = ()
    """The changed characters of the line."""
    right_marks: tuple[Mark, ...] = ()
    note: str = ""
    """An invisible difference: line ends, white space, a byte order mark."""


def rows(a: Sequence[str], b: Sequence[str], hunks: Sequence[Hunk], context: int) -> Iterator[Row]:
    """The rows of a diff between lines that keep their ends, with so many unchanged ones around."""
    at_a, at_b = 0, 0
    for index, hunk in enumerate(hunks):
        yield from _context_rows(a, at_a, at_b, hunk.a_start, context, context if index else 0)
        yield from _hunk_rows(a, b, hunk)
        at_a, at_b = hunk.a_end, hunk.b_end
    yield from _context_rows(a, at_a, at_b, len(a), 0, context)


def _context_rows(
    a: Sequence[str], at_a: int, at_b: int, end: int, lead: int, trail: int
) -> Iterator[Row]:
    """Unchanged lines: `trail` after the hunk before, `lead` before the hunk that follows."""
    count = end - at_a
    hidden = count - lead - trail
    for k in range(count):
        if hidden > 0 and trail <= k < count - lead:
            if k == trail:
                yield Row(RowKind.GAP, left_at=at_a + k, right_at=at_b + k, note=f"{hidden} lines")
            continue
        text = bare(a[at_a + k])
        yield Row(RowKind.SAME, text, text, at_a + k, at_b + k)


def _hunk_rows(a: Sequence[str], b: Sequence[str], hunk: Hunk) -> Iterator[Row]:
    i, j = hunk.a_start, hunk.b_start
    for x, y in [*_pairs(a, b, hunk), (hunk.a_end, hunk.b_end)]:
        yield from (_removed_row(a, k) for k in range(i, x))
        yield from (_added_row(b, k) for k in range(j, y))
        if x < hunk.a_end and y < hunk.b_end:
            yield _changed_row(a, b, x, y)
        i, j = x + 1, y + 1


def _removed_row(a: Sequence[str], at: int) -> Row:
    return Row(RowKind.REMOVED, bare(a[at]), None, at, None, note=_end_note(a[at]))


def _added_row(b: Sequence[str], at: int) -> Row:
    return Row(RowKind.ADDED, None, bare(b[at]), None, at, note=_end_note(b[at]))


def _changed_row(a: Sequence[str], b: Sequence[str], i: int, j: int) -> Row:
    old, new = bare(a[i]), bare(b[j])
    left, right = marks(old, new)
    return Row(RowKind.CHANGED, old, new, i, j, left, right, hidden_difference(a[i], b[j]))


def _pairs(a: Sequence[str], b: Sequence[str], hunk: Hunk) -> list[tuple[int, int]]:
    """Pairs of a removed line and the added line that it became, in order on both sides."""
    old = range(hunk.a_start, hunk.a_end)
    new = range(hunk.b_start, hunk.b_end)
    if not old or not new:
        return []
    if len(old) * len(new) > MAX_PAIRS:
        return list(zip(old, new, strict=False))
    if len(old) == len(new) == 1:
        return [(hunk.a_start, hunk.b_start)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    score = [[_line_likeness(a[i], b[j]) for j in new] for i in old]
    for x in reversed(range(len(old))):
        for y in reversed(range(len(new))):
            best[x][y] = max(best[x + 1][y], best[x][y + 1], best[x + 1][y + 1] + score[x][y])
    pairs = []
    x = y = 0
    while x < len(old) and y < len(new):
        if score[x][y] and best[x][y] == best[x + 1][y + 1] + score[x][y]:
            pairs.append((old[x], new[y]))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return pairs


def _line_likeness(old: str, new: str) -> float:
    old, new = old.strip(), new.strip()
    if not old or not new:
        return 0.0
    return fuzz.ratio(old[:LONGEST_LINE], new[:LONGEST_LINE], score_cutoff=PAIRED_FROM)


def _end_note(line: str) -> str:
    return "" if line.endswith("\n") else "no newline at the end"


def hidden_difference(old: str, new: str) -> str:
    """The invisible differences between two lines in words; empty when there are none."""
    differences = []
    ends = [line[len(bare(line)) :] for line in (old, new)]
    if ends[0] != ends[1]:
        differences.append(f"line end: {_end_name(ends[0])} → {_end_name(ends[1])}")
    texts = [bare(line) for line in (old, new)]
    if texts[0].startswith("\ufeff") != texts[1].startswith("\ufeff"):
        differences.append(
            f"byte order mark {'removed' if texts[0].startswith(chr(0xFEFF)) else 'added'}"
        )
    trails = [text[len(text.rstrip()) :] for text in texts]
    if trails[0] != trails[1]:
        differences.append("trailing white space")
    return ", ".join(differences)


def _end_name(end: str) -> str:
    return {"\n": "LF", "\r\n": "CRLF", "": "none"}[end]
