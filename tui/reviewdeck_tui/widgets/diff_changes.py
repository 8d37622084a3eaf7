"""The changes of a diff one by one, as they are dropped: whole, or line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewdeck.text.rows import Row
from reviewdeck_tui.proposal.diff_document import Notice, Tone
from reviewdeck_tui.widgets.diff_items import CHANGES, Flat


@dataclass(frozen=True, slots=True)
class FlatChange:
    """An entry of a memory, a run of lines, or a single line of them, and where it stands."""

    section: int
    numbers: range
    """Which of the changed lines of its section are its own, from 0."""
    start: int
    end: int
    """The lines of the document from its first to its last."""


def changes_of(flat: Flat, hunks: Sequence[int]) -> list[FlatChange]:
    """All of them, in order. Where a section has headings, what stands below one is one change."""
    found: list[FlatChange] = []
    for section, (start, end) in enumerate(_sections(flat)):
        lines = list(_changed(flat, start, end))
        begins = [at for at in range(start, end) if _is_heading(flat, at)]
        if not begins:
            begins = [at for at in hunks if start <= at < end]
        for first, last in zip(begins, [*begins[1:], end], strict=True):
            numbers = range(bisect_left(lines, first), bisect_left(lines, last))
            found.append(FlatChange(section, numbers, first, last))
    return found


def changed_lines(flat: Flat) -> list[FlatChange]:
    """Each line that is added, removed or changed, as a change of its own."""
    return [
        FlatChange(section, range(number, number + 1), at, at + 1)
        for section, (start, end) in enumerate(_sections(flat))
        for number, at in enumerate(_changed(flat, start, end))
    ]


def _sections(flat: Flat) -> Iterator[tuple[int, int]]:
    return zip(flat.starts, [*flat.starts[1:], len(flat.lines)], strict=True)


def _changed(flat: Flat, start: int, end: int) -> Iterator[int]:
    for at in range(start, end):
        line = flat.lines[at]
        if isinstance(line, Row) and line.kind in CHANGES:
            yield at


def _is_heading(flat: Flat, at: int) -> bool:
    line = flat.lines[at]
    return isinstance(line, Notice) and line.tone is Tone.HEADING
