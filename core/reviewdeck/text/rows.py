"""A diff as rows to be shown: what kind each is, its two sides, and the marks in them.

Nothing here is coloured or escaped. A front end passes the texts through `visible` first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

from reviewdeck.text.hunks import Hunk
from reviewdeck.text.words import Mark, marks

PAIRED_FROM: Final = 40.0
"""Likeness of two lines, 0 to 100, from which one is shown as the other changed."""
LONGEST: Final = 1_000
"""Characters of a line that are looked at when lines are paired."""
MAX_PAIRS: Final = 4_096
"""Pairs of lines of one hunk that are weighed; a larger hunk is paired from the top."""


class RowKind(StrEnum):
    """What a row says."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"
    """Left became right: marks say in which words."""
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
    """What changed within the line, in characters."""
    right_marks: tuple[Mark, ...] = ()
    note: str = ""
    """A difference that cannot be seen in the text: line ends, white space, a byte order mark."""


def rows(a: Sequence[str], b: Sequence[str], hunks: Sequence[Hunk], context: int) -> Iterator[Row]:
    """The rows of a diff between lines that keep their ends, with so many unchanged ones around."""
    at_a, at_b = 0, 0
    for index, hunk in enumerate(hunks):
        yield from _between(a, at_a, at_b, hunk.a_start, context, context if index else 0)
        yield from _changed(a, b, hunk)
        at_a, at_b = hunk.a_end, hunk.b_end
    yield from _between(a, at_a, at_b, len(a), 0, context)


def _between(
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
        text = _bare(a[at_a + k])
        yield Row(RowKind.SAME, text, text, at_a + k, at_b + k)


def _changed(a: Sequence[str], b: Sequence[str], hunk: Hunk) -> Iterator[Row]:
    i, j = hunk.a_start, hunk.b_start
    for x, y in [*_pairs(a, b, hunk), (hunk.a_end, hunk.b_end)]:
        yield from (_removed(a, k) for k in range(i, x))
        yield from (_added(b, k) for k in range(j, y))
        if x < hunk.a_end and y < hunk.b_end:
            yield _replaced(a, b, x, y)
        i, j = x + 1, y + 1


def _removed(a: Sequence[str], at: int) -> Row:
    return Row(RowKind.REMOVED, _bare(a[at]), None, at, None, note=_ending(a[at]))


def _added(b: Sequence[str], at: int) -> Row:
    return Row(RowKind.ADDED, None, _bare(b[at]), None, at, note=_ending(b[at]))


def _replaced(a: Sequence[str], b: Sequence[str], i: int, j: int) -> Row:
    old, new = _bare(a[i]), _bare(b[j])
    left, right = marks(old, new)
    return Row(RowKind.CHANGED, old, new, i, j, left, right, hidden_difference(a[i], b[j]))


def _pairs(a: Sequence[str], b: Sequence[str], hunk: Hunk) -> list[tuple[int, int]]:
    """Which removed line became which added line, in order on both sides."""
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
    found = []
    x = y = 0
    while x < len(old) and y < len(new):
        if score[x][y] and best[x][y] == best[x + 1][y + 1] + score[x][y]:
            found.append((old[x], new[y]))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return found


def _line_likeness(old: str, new: str) -> float:
    old, new = old.strip(), new.strip()
    if not old or not new:
        return 0.0
    return fuzz.ratio(old[:LONGEST], new[:LONGEST], score_cutoff=PAIRED_FROM)


def _bare(line: str) -> str:
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")


def _ending(line: str) -> str:
    return "" if line.endswith("\n") else "no newline at the end"


def hidden_difference(old: str, new: str) -> str:
    """What differs between two lines and cannot be seen; empty when nothing does."""
    said = []
    ends = [line[len(_bare(line)) :] for line in (old, new)]
    if ends[0] != ends[1]:
        said.append(f"line end: {_end_name(ends[0])} → {_end_name(ends[1])}")
    texts = [_bare(line) for line in (old, new)]
    if texts[0].startswith("\ufeff") != texts[1].startswith("\ufeff"):
        said.append(f"byte order mark {'removed' if texts[0].startswith(chr(0xFEFF)) else 'added'}")
    trails = [text[len(text.rstrip()) :] for text in texts]
    if trails[0] != trails[1]:
        said.append("trailing white space")
    return ", ".join(said)


def _end_name(end: str) -> str:
    return {"\n": "LF", "\r\n": "CRLF", "": "none"}[end]
