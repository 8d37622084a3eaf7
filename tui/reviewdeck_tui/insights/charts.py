"""Charts of block characters. Pure: numbers in, lines of content out; colour only repeats signs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
AXIS: Final = 7
"""Cells to the left of the columns, for numbers."""


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """One place on the time line: two values side by side, or one inside the other."""

    first: float
    second: float
    label: str = ""
    """Below the column, where there is room; empty for none."""


def columns_that_fit(width: int) -> int:
    """The number of columns of at least two cells that fit."""
    return max(1, (width - AXIS) // 2)


def column_chart(
    columns: Sequence[ChartColumn],
    width: int,
    height: int,
    *,
    at: int,
    meanings: tuple[str, str],
    inside: bool = False,
    limit: float | None = None,
    labels: bool = True,
) -> list[Content]:
    """Columns over a time line with the place `at` marked; `height` lines in all, at least four.

    Without `labels` the line below the time line is left out.

    `inside` draws the second value in the column of the first. A `limit` is a dotted line, and the
    scale reaches it.
    """
    rows = max(2, height - 2 if labels else height - 1)
    top = _round_up(
        max([1.0, limit or 0.0, *(max(column.first, column.second) for column in columns)])
    )
    cells = max(1, min(12, (width - AXIS) // max(1, len(columns))))
    grid = _Grid(columns, rows, top, cells, at, meanings, inside, limit)
    lines = [grid.line(row) for row in reversed(range(rows))]
    axis = [_time_line(len(columns), cells, at)]
    return [*lines, *axis, _labels(columns, cells, width)] if labels else [*lines, *axis]


def bar(parts: Sequence[tuple[int, str, str]], cells: int, most: int) -> Content:
    """A bar of parts, each an amount, a sign and a meaning; `most` would fill all the cells.

    A part with an amount has at least one cell as long as there is room.
    """
    line = Content("")
    remaining, parts_left = cells, sum(amount > 0 for amount, _, _ in parts)
    for amount, sign, meaning in parts:
        parts_left -= amount > 0
        available = min(remaining, max(1, remaining - parts_left))  # Later parts need a cell each.
        width = min(available, max(1, round(cells * amount / max(1, most)))) if amount else 0
        remaining -= width
        line += Content.styled(sign * width, f"$deck-{meaning}")
    return line + Content(" " * remaining)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The cells between the axes of a chart."""

    columns: Sequence[ChartColumn]
    rows: int
    top: float
    """The value at the upper edge."""
    cells: int
    """The width of a column."""
    at: int
    meanings: tuple[str, str]
    inside: bool
    limit: float | None

    @property
    def step(self) -> float:
        """What a row stands for."""
        return self.top / self.rows

    def line(self, row: int) -> Content:
        """One row, from 0 at the bottom."""
        number = ""
        if row in (self.rows - 1, self.rows // 2 - 1):
            number = _number(self.top if row == self.rows - 1 else self.top / 2)
        line = Content.styled(f"{number:>{AXIS - 2}} ", "$deck-quiet")
        line += Content.styled("│", "$deck-quiet")
        for index, column in enumerate(self.columns):
            ground = " on $deck-cursor-line" if index == self.at else ""
            line += (self._nested if self.inside else self._side_by_side)(column, row, ground)
        return line

    def _side_by_side(self, column: ChartColumn, row: int, ground: str) -> Content:
        """Two thin columns next to each other."""
        width = max(1, (self.cells - 1) // 2) if self.cells > 1 else 1
        line = Content("")
        for value, meaning in zip((column.first, column.second), self.meanings, strict=True):
            line += Content.styled(self._sign(value, row) * width, f"$deck-{meaning}{ground}")
            if self.cells == 1:
                return line
        return line + Content.styled(" " * (self.cells - 2 * width), ground.strip())

    def _nested(self, column: ChartColumn, row: int, ground: str) -> Content:
        """The second value in the column of the first, which is shaded above it."""
        width = self.cells - 1 if self.cells > 2 else self.cells
        sign, meaning = self._sign(column.second, row), self.meanings[1]
        if sign == " " and column.first > row * self.step + self.step / 2:
            sign, meaning = "░", self.meanings[0]
        elif sign == " ":
            is_limit = self.limit is not None and row == min(
                self.rows - 1, int(self.limit / self.step)
            )
            sign, meaning = "┄" if is_limit else " ", "quiet"
        body = Content.styled(sign * width, f"$deck-{meaning}{ground}")
        return body + Content.styled(" " * (self.cells - width), ground.strip())

    def _sign(self, value: float, row: int) -> str:
        part = (value - row * self.step) / self.step
        # A small value still shows: only zero looks like nothing.
        least = 1 if value > 0 and row == 0 else 0
        return EIGHTHS[min(8, max(least, round(part * 8)))]


def _time_line(amount: int, cells: int, at: int) -> Content:
    line = Content.styled(f"{'0':>{AXIS - 2}} └", "$deck-quiet")
    for index in range(amount):
        sign = "▲" if index == at else "─"
        meaning = "cursor" if index == at else "quiet"
        column_cells = max(1, cells - 1) if cells > 2 else cells
        body = sign.center(column_cells, "─") if index == at else "─" * column_cells
        line += Content.styled(body + "─" * (cells - column_cells), f"$deck-{meaning}")
    return line


def _labels(columns: Sequence[ChartColumn], cells: int, width: int) -> Content:
    """The labels that fit, each below its column."""
    text = ""
    for index, column in enumerate(columns):
        place = AXIS + index * cells
        if column.label and place >= len(text) + (1 if text else 0):
            text = f"{text:<{place}}{column.label}"
    return Content.styled(text[:width], "$deck-quiet")


def _round_up(value: float) -> float:
    """The next number whose half is as round as itself."""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if value <= step * power)


def _number(value: float) -> str:
    for size, letter in ((1_000_000, "M"), (10_000, "k")):
        if value >= size:
            return f"{value / (1_000_000 if letter == 'M' else 1_000):.0f}{letter}"
    return f"{value:.0f}" if value == int(value) or value >= 10 else f"{value:.1f}"
