"""A document as a flat list of lines, and the items of it that are visible. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Authors, DiffDocument, Fold, Section
from reviewdeck_tui.widgets.syntax_sides import FlatLine as FlatLine
from reviewdeck_tui.widgets.syntax_sides import SyntaxSides
from reviewdeck_tui.widgets.syntax_sides import as_painted as as_painted

CHANGES = frozenset({RowKind.ADDED, RowKind.REMOVED, RowKind.CHANGED})


class DiffPart(IntEnum):
    """The part of a line that an item shows."""

    WHOLE = 0
    LEFT = 1
    RIGHT = 2
    FOLD = 3
    """The lines from here to the end of the fold, as one."""


@dataclass(frozen=True, slots=True)
class FoldSpan:
    """Lines that can be folded into one."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Flat:
    """The lines of a document in order."""

    lines: list[FlatLine]
    starts: list[int]
    """The first line of each section."""
    sections: tuple[Section, ...]
    fixed: dict[int, FoldSpan]
    """The folds of the document itself, by their first line."""
    conflicts: list[int]
    offsets: list[dict[int, int]]
    """For each section, the flat index of each of its flagged lines."""
    insides: SyntaxSides
    """The syntax that each line begins inside of: a fence, a multi-line string."""

    def section(self, line: int) -> Section:
        return self.sections[bisect_right(self.starts, line) - 1]

    def flag_index(self, line: int) -> int | None:
        """The index of a flagged line within its section; None if it has no flags."""
        return self.offsets[bisect_right(self.starts, line) - 1].get(line)


def flatten(document: DiffDocument) -> Flat:
    """The lines of all sections, with their folds unfolded and recorded."""
    lines: list[FlatLine] = []
    starts: list[int] = []
    insides = SyntaxSides(lines, starts, document.sections)
    flat = Flat(lines, starts, document.sections, {}, [], [], insides)
    for section in document.sections:
        flat.starts.append(len(flat.lines))
        if section.title:
            flat.lines.append(section)
        places = _unfold(section, flat)
        flat.conflicts.extend(places[index] for index in section.conflicts)
        flat.offsets.append({places[index]: index for index in section.flags})
    return flat


def _unfold(section: Section, flat: Flat) -> Sequence[int]:
    start = len(flat.lines)
    flat.lines.extend(line for line in section.lines if not isinstance(line, Fold))
    if len(flat.lines) - start == len(section.lines):
        return range(start, len(flat.lines))
    del flat.lines[start:]
    places = []
    for line in section.lines:
        at = len(flat.lines)
        places.append(at)
        if isinstance(line, Fold):
            flat.fixed[at] = FoldSpan(at, at + len(line.rows), line.label)
            flat.lines.extend(line.rows)
        else:
            flat.lines.append(line)
    return places


def folds_of(flat: Flat, context: int) -> dict[int, FoldSpan]:
    """The possible folds with this many unchanged lines of context around a change."""
    folds = dict(flat.fixed)
    ends = [*flat.starts[1:], len(flat.lines)]
    for section, start, end in zip(flat.sections, flat.starts, ends, strict=True):
        if section.numbered:
            for span in _unchanged_spans(flat.lines, start + bool(section.title), end, context):
                folds[span.start] = span
    return folds


def _unchanged_spans(
    lines: list[FlatLine], start: int, end: int, context: int
) -> Iterator[FoldSpan]:
    at = start
    same = RowKind.SAME
    while at < end:
        line = lines[at]
        if not isinstance(line, Row) or line.kind is not same:
            at += 1
            continue
        stop = at + 1
        while stop < end and isinstance(following := lines[stop], Row) and following.kind is same:
            stop += 1
        first = at + (context if at > start else 0)
        last = stop - (context if stop < end else 0)
        if last - first > 1:
            yield FoldSpan(first, last, f"{last - first:,} lines unchanged")
        at = stop


def items_of(
    flat: Flat, folds: dict[int, FoldSpan], opened: set[int], *, split: bool
) -> array[int]:
    """The visible items in order: each is the index of a line times four, plus its part."""
    items = array("q")
    at, count = 0, len(flat.lines)
    lines = flat.lines
    while at < count:
        fold = folds.get(at)
        if fold is not None and at not in opened:
            items.append(at * 4 + DiffPart.FOLD)
            at = fold.end
            continue
        line = lines[at]
        if split:
            items.append(at * 4)
        elif isinstance(line, Authors):
            end = _end_of_rows(lines, at + 1)
            items.extend(_by_author(lines, at, end))
            at = end
            continue
        elif isinstance(line, Row) and line.kind is RowKind.CHANGED:
            items.append(at * 4 + DiffPart.LEFT)
            items.append(at * 4 + DiffPart.RIGHT)
        else:
            items.append(at * 4)
        at += 1
    return items


def _end_of_rows(lines: list[FlatLine], at: int) -> int:
    while at < len(lines) and isinstance(lines[at], Row):
        at += 1
    return at


def _by_author(lines: list[FlatLine], start: int, end: int) -> Iterator[int]:
    for part in (DiffPart.LEFT, DiffPart.RIGHT):
        for at in range(start, end):
            line = lines[at]
            if not isinstance(line, Row) or _has(line, part):
                yield at * 4 + part


def _has(row: Row, part: DiffPart) -> bool:
    return (row.left if part is DiffPart.LEFT else row.right) is not None


def hunks_of(flat: Flat) -> list[int]:
    """The first line of each run of changes; a conflict with its authors is one run."""
    hunks = []
    is_inside = False
    for at, line in enumerate(flat.lines):
        is_changed = isinstance(line, Authors) or (isinstance(line, Row) and line.kind in CHANGES)
        if is_changed and not is_inside:
            hunks.append(at)
        is_inside = is_changed
    return hunks
