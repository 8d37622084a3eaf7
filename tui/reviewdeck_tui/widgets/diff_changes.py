"""The changes of a diff that can be dropped: whole, or line by line."""

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
    """The numbers of its changed lines within the section, from 0."""
    start: int
    end: int
    """Its first and last line in the document."""


def changes_of(flat: Flat, hunks: Sequence[int]) -> list[FlatChange]:
    """The changes in order. In a section with headings, each heading starts one change."""
    changes: list[FlatChange] = []
    for section, (start, end) in enumerate(_sections(flat)):
        lines = list(_changed_places(flat, start, end))
        begins = [at for at in range(start, end) if _is_heading(flat, at)]
        if not begins:
            begins = [at for at in hunks if start <= at < end]
        for first, last in zip(begins, [*begins[1:], end], strict=True):
            numbers = range(bisect_left(lines, first), bisect_left(lines, last))
            changes.append(FlatChange(section, numbers, first, last))
    return changes


def changed_lines(flat: Flat) -> list[FlatChange]:
    """Each added, removed or changed line, as a change of its own."""
    return [
        FlatChange(section, range(number, number + 1), at, at + 1)
        for section, (start, end) in enumerate(_sections(flat))
        for number, at in enumerate(_changed_places(flat, start, end))
    ]


def _sections(flat: Flat) -> Iterator[tuple[int, int]]:
    return zip(flat.starts, [*flat.starts[1:], len(flat.lines)], strict=True)


def _changed_places(flat: Flat, start: int, end: int) -> Iterator[int]:
    for at in range(start, end):
        line = flat.lines[at]
        if isinstance(line, Row) and line.kind in CHANGES:
            yield at


def _is_heading(flat: Flat, at: int) -> bool:
    line = flat.lines[at]
    return isinstance(line, Notice) and line.tone is Tone.HEADING
