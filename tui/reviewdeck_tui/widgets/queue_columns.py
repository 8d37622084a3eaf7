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
from reviewdeck_tui.widgets.rows import Heading, QueueRow
from reviewdeck_tui.widgets.segments import compact

LEAD: Final = 5
"""Cursor, draft, mark, glyph and a space."""
_ROOMY: Final = 120
"""Cells from which the gist has sixty beside everything else."""
_SHORT: Final = {"write_file": "write", "remove_file": "remove", "unreadable": "broken"}
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


def columns_for(width: int, *, homes: bool) -> ColumnWidths:
    """The columns that fit in this width; the gist takes what remains."""
    kind = 11 if width >= _ROOMY else 8 if width >= 66 else 7
    target = 14 if width >= 130 else 10 if width >= _ROOMY else 6
    origin = 12 if width >= _ROOMY else 0
    checks = 0 if width < 60 else 14 if width < 100 else 20 if width < 150 else 28
    home = (14 if width >= 110 else 9) if homes and width >= 56 else 0
    age = 3 if width >= 40 else 0
    fixed = [kind, target, origin, home, checks, age]
    gist = width - LEAD - (not age) - sum(size + 1 for size in fixed if size)
    return ColumnWidths(kind, target, max(0, gist), origin, home, checks, age)


def head_words(columns: ColumnWidths, lead: str) -> str:
    """The names of the columns over their cells, after the lead."""
    heads = (
        ("action", columns.kind),
        ("where", columns.target),
        ("what", columns.gist),
        ("from", columns.origin),
        ("home", columns.home),
        ("to check", columns.checks),
    )
    line = set_cell_size(lead, LEAD) + "".join(f"{_cells(*head)} " for head in heads if head[1])
    return line + _cells("age", columns.age, right=True) if columns.age else line


def heading_segments(heading: Heading, width: int, palette: Palette, base: Style) -> list[Segment]:
    """The line over a section: its name in the colour of its state, its words, a rule."""
    name = _cells(f"  {heading.name} ", min(width, cell_len(heading.name) + 3))
    left = width - cell_len(name)
    words = _cells(heading.words, min(left, cell_len(heading.words)))
    quiet = base + palette["quiet"]
    rule = " " + "─" * (left - cell_len(words) - 1) if left > cell_len(words) + 1 else ""
    return [
        Segment(name, base + palette[heading.state] + _BOLD),
        Segment(words, quiet),
        Segment(rule, base + palette["rule"]),
    ]


def row_segments(
    row: QueueRow,
    columns: ColumnWidths,
    palette: Palette,
    base: Style,
    *,
    cursor: bool,
    marked: bool,
    is_in_front: bool = True,
) -> list[Segment]:
    """The cells of one proposal. `base` holds the background."""
    if cursor:
        base += palette["cursor-line" if is_in_front else "behind-line"]
    text = base + palette["text"]
    quiet = base + palette["quiet"]
    segments = [
        Segment(">" if cursor else " ", base + palette["cursor"] + _BOLD),
        Segment(_cells(row.draft[:1], 1), base + palette["draft"] + _BOLD),
        Segment("*" if marked else " ", base + palette["draft"] + _BOLD),
        # The sign alone has the colour of the state: repeated in every cell it would say nothing.
        Segment(
            _cells(row.glyph[:1], 1) + " ",
            base + palette["dangerous" if row.dangerous else row.state] + _BOLD,
        ),
    ]
    strong = text + _BOLD if cursor and is_in_front else text
    cells = (
        (_word(row.kind, columns.kind), columns.kind, quiet),
        (row.target, columns.target, quiet),
        (row.gist, columns.gist, strong),
        (row.origin, columns.origin, quiet),
        (row.home, columns.home, quiet),
        (_fitting(row.checks, row.cluster, columns.checks), columns.checks, quiet),
    )
    for value, size, style in cells:
        if size:
            segments.append(Segment(_cells(value[:MOST_CHARACTERS], size) + " ", style))
    if columns.age:
        segments.append(Segment(_cells(row.age[:MOST_CHARACTERS], columns.age, right=True), quiet))
    return compact(segments)


def _fitting(checks: tuple[str, ...], cluster: int, size: int) -> str:
    """The checks that fail and the size of a cluster, as many as fit, and how many do not."""
    words = [*checks, *([f"{min(cluster, 999)} alike"] if cluster > 1 else [])]
    for amount in range(len(words), 0, -1):
        more = f" +{len(words) - amount}" if amount < len(words) else ""
        line = ", ".join(words[:amount]) + more
        if len(line) <= size or amount == 1:
            return line
    return ""


def _word(kind: str, size: int) -> str:
    """A shorter word where the author's own does not fit."""
    return _SHORT.get(kind, kind) if len(kind) > size else kind


_BOLD: Final = Style(bold=True)


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
