"""The changes of a diff one by one, as they are dropped: entries of a memory, runs of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewdeck.text.rows import Row
from reviewdeck_tui.proposal.diff_document import Notice, Tone
from reviewdeck_tui.widgets.diff_items import CHANGES, Flat


@dataclass(frozen=True, slots=True)
class FlatChange:
    """One of them, and where it stands."""

    section: int
    number: int
    """Within its section, from 0."""
    start: int
    end: int
    """The lines of the document that are its own."""


def changes_of(flat: Flat, hunks: Sequence[int]) -> list[FlatChange]:
    """All of them, in order. Where a section has headings, what stands below one is one change."""
    ends = [*flat.starts[1:], len(flat.lines)]
    found: list[FlatChange] = []
    for section, (start, end) in enumerate(zip(flat.starts, ends, strict=True)):
        begins = [at for at in range(start, end) if _is_heading(flat, at)]
        if not begins:
            begins = [at for at in hunks if start <= at < end]
        for number, (first, last) in enumerate(zip(begins, [*begins[1:], end], strict=True)):
            found.append(FlatChange(section, number, first, last))
    return found


def lines_of(flat: Flat, change: FlatChange) -> Iterator[int]:
    """The lines of a change that are added, removed or changed."""
    for at in range(change.start, change.end):
        line = flat.lines[at]
        if isinstance(line, Row) and line.kind in CHANGES:
            yield at


def _is_heading(flat: Flat, at: int) -> bool:
    line = flat.lines[at]
    return isinstance(line, Notice) and line.tone is Tone.HEADING
