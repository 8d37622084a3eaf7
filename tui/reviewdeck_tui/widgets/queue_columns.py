"""The columns of a proposal's line in the queue. Pure: widths in, segments out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.palette import Palette
from reviewdeck_tui.widgets.rows import QueueRow
from reviewdeck_tui.widgets.segments import compact

LEAD: Final = 5
"""Cursor, draft, mark, glyph and a space."""
CHECKS: Final = 6
_ROOMY: Final = 120
"""Cells from which the gist has sixty beside everything else."""
_SHORT: Final = {"write_file": "write", "remove_file": "rm file", "unreadable": "broken"}
MOST_CHARACTERS: Final = 400
"""Of one text: no terminal shows more in a line."""


@dataclass(frozen=True, slots=True)
class ColumnWidths:
    """The cells of each column, without the space before it; 0 leaves it out."""

    kind: int
    target: int
    gist: int
    origin: int
    home: int
    checks: int
    age: int
    counts: int


def columns_for(width: int, *, homes: bool) -> ColumnWidths:
    """The columns that fit in this width; the gist takes what remains."""
    kind = 11 if width >= 120 else 8 if width >= 66 else 7
    target = 14 if width >= 130 else 10 if width >= _ROOMY else 6
    origin = 12 if width >= _ROOMY else 0
    checks = CHECKS if width >= 60 else 0
    home = (14 if width >= 110 else 9) if homes and width >= 56 else 0
    counts = 7 if width >= 90 else 4
    fixed = [
        kind,
        target,
        origin,
        home,
        checks,
        3 if width >= 40 else 0,
        counts if width >= 30 else 0,
    ]
    gist = width - LEAD - sum(size + 1 for size in fixed if size)
    kind, target, origin, home, checks, age, counts = fixed
    return ColumnWidths(kind, target, max(0, gist), origin, home, checks, age, counts)


def row_segments(
    row: QueueRow,
    columns: ColumnWidths,
    palette: Palette,
    base: Style,
    *,
    cursor: bool,
    marked: bool,
) -> list[Segment]:
    """The cells of one proposal. `base` holds the background."""
    if cursor:
        base += palette["cursor-line"]
    state = base + palette["dangerous" if row.dangerous else row.state]
    text = base + palette["text"]
    quiet = base + palette["quiet"]
    segments = [
        Segment(">" if cursor else " ", base + palette["cursor"] + _BOLD),
        Segment(_cells(row.draft[:1], 1), base + palette["draft"] + _BOLD),
        Segment("*" if marked else " ", base + palette["draft"] + _BOLD),
        Segment(_cells(row.glyph[:1], 1) + " ", state + _BOLD),
    ]
    strong = text + _BOLD if cursor else text
    cells = (
        (_word(row.kind, columns.kind), columns.kind, state),
        (row.target, columns.target, text),
        (row.gist, columns.gist, strong),
        (row.origin, columns.origin, quiet),
        (row.home, columns.home, quiet),
    )
    for value, size, style in cells:
        if size:
            segments.append(Segment(_cells(value[:MOST_CHARACTERS], size) + " ", style))
    if columns.checks:
        segments += _check_segments(row.checks, quiet, state)
    if columns.age:
        segments.append(
            Segment(_cells(row.age[:MOST_CHARACTERS], columns.age, right=True) + " ", quiet)
        )
    if columns.counts:
        counts = _counts(row, both=columns.counts >= 7)
        segments.append(Segment(_cells(counts, columns.counts), state if row.findings else quiet))
    return compact(segments)


def _word(kind: str, size: int) -> str:
    """A shorter word where the author's own does not fit."""
    return _SHORT.get(kind, kind) if len(kind) > size else kind


_BOLD: Final = Style(bold=True)


def _check_segments(checks: str, yes: Style, no: Style) -> list[Segment]:
    """The six answers of the gate, a no in the colour of the state."""
    marks = _cells(checks, CHECKS) + " "
    return [Segment(mark, no if mark.isalpha() else yes) for mark in marks]


def _counts(row: QueueRow, *, both: bool) -> str:
    """``2f`` for findings, ``x3`` for a cluster; only the cluster where one fits."""
    findings = f"{min(row.findings, 99)}f" if row.findings else ""
    cluster = f"x{min(row.cluster, 999)}" if row.cluster > 1 else ""
    return f"{findings:<3}{cluster}" if both else cluster or findings


@lru_cache(4_096)
def _cells(text: str, size: int, *, right: bool = False) -> str:
    """Untrusted text in exactly so many cells, with an ellipsis where it is cut."""
    cells_text = inert_line(text)
    length = cell_len(cells_text)
    if length > size:
        cells_text = (
            set_cell_size(cells_text, size - 1).rstrip() + "…" if size > 1 else cells_text[:1]
        )
        length = cell_len(cells_text)
        if length > size:
            return "?" * size
    pad = " " * (size - length)
    return pad + cells_text if right else cells_text + pad
