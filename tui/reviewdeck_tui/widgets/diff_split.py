"""Several texts side by side: a column for each, all of one width."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip

from reviewdeck_tui.proposal.diff_document import SideBySide, SplitColumn
from reviewdeck_tui.widgets.diff_cells import (
    GUTTER,
    DiffCell,
    Frame,
    Stretch,
    blank,
    paint_side,
    pieces_of,
    stretches_of,
)
from reviewdeck_tui.widgets.segments import compact
from reviewdeck_tui.widgets.syntax_sides import Sides
from reviewdeck_tui.widgets.syntax_state import OUTSIDE, Inside
from reviewdeck_tui.widgets.wrap import MOST_CHARACTERS, display_line, is_plain


def column_width(frame_width: int, columns: int) -> int:
    """The cells of a column; a rule separates two columns."""
    return max(1, (frame_width - columns + 1) // columns)


def side_by_side_height(line: SideBySide, frame: Frame) -> int:
    """The number of screen lines: those of the longest column."""
    text_width = frame.room(column_width(frame.width, len(line.columns)), numbered=False)
    return max(
        len(pieces_of(display_line(column.text or "").text, text_width, frame)[0])
        for column in line.columns
    )


def side_by_side_stretches(line: SideBySide, frame: Frame) -> list[list[Stretch]]:
    """What each screen line of each column shows."""
    width = column_width(frame.width, len(line.columns))
    return [
        stretches_of(display_line(column.text).text, at, (left, left + width), GUTTER, frame)
        for at, column in enumerate(line.columns)
        if column.text is not None
        for left in [at * (width + 1)]
    ]


def rough_height(line: SideBySide, frame: Frame) -> int:
    """A cheap estimate of the height; negative when it is not exact."""
    text_width = frame.room(column_width(frame.width, len(line.columns)), numbered=False)
    longest = max((column.text or "" for column in line.columns), key=len)
    length = min(len(longest), MOST_CHARACTERS)
    if length <= text_width and all(is_plain(column.text or "") for column in line.columns):
        return 1
    return -1 - length // text_width


def paint_side_by_side(line: SideBySide, language: str, frame: Frame, sides: Sides) -> list[Strip]:
    """The strips of the columns, each as wide as the frame."""
    if len(sides) != len(line.columns):
        sides = (OUTSIDE,) * len(line.columns)
    width = column_width(frame.width, len(line.columns))
    columns = [
        paint_side(_cell(column, inside), width, language, frame, numbered=False)
        for column, inside in zip(line.columns, sides, strict=True)
    ]
    rule = Segment("│", frame.base + frame.palette["quiet"])
    strips = []
    for at in range(max(map(len, columns))):
        segments: list[Segment] = []
        for column, painted in zip(line.columns, columns, strict=True):
            tone = column.tone if column.text is not None else ""
            segments += [rule] if segments else []
            segments += painted[at] if at < len(painted) else blank(width, frame, tone)
        strip = Strip(compact(segments))
        strips.append(strip.adjust_cell_length(frame.width, frame.base))
    return strips


def _cell(column: SplitColumn, inside: Inside) -> DiffCell:
    return DiffCell(
        column.text, column.sign, None, column.tone, column.marks, column.flags, inside=inside
    )
