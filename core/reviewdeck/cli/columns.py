"""Text in columns, measured in terminal cells. Loads nothing of the engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from reviewdeck.values import dataclass

_SGR: Final = {
    "dim": "2",
    "green": "32",
    "yellow": "33",
    "magenta": "35",
    "cyan": "36",
    "bold red": "1;31",
}
"""Styles as ECMA-48 numbers them."""
_ELLIPSIS: Final = "…"
UNLIMITED: Final = 10_000
"""Cells of a line that nothing cuts."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head, its width in cells, and its alignment."""

    head: str
    width: int
    is_right: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """An inert text and its style."""

    text: str
    style: str = ""


def width() -> int:
    """Columns of the terminal; 80 when unknown, and never fewer than 40."""
    setting = os.environ.get("COLUMNS", "")
    if setting.isdecimal() and int(setting) > 0:
        return max(40, int(setting))
    try:
        columns = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
    except (OSError, ValueError):
        columns = 0
    return max(40, columns or 80)


def page_width() -> int:
    """Cells of a table's lines: into a pipe or a file they are whole."""
    is_set = os.environ.get("COLUMNS", "").isdecimal()
    return width() if is_set or sys.stdout.isatty() else UNLIMITED


def is_coloured(stream: TextIO, unwanted: bool = False) -> bool:
    """Whether output to this stream may be coloured."""
    if unwanted or os.environ.get("NO_COLOR") or not stream.isatty():
        return False
    from reviewdeck.terminal import is_dumb  # as below

    return not is_dumb()


def cells(text: str) -> int:
    """How many cells of a terminal an inert text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # completion asks for columns too, and loads no library

    return cell_len(text)


def truncate(text: str, width: int) -> str:
    """An inert text cut to a width in cells, with an ellipsis if something was cut off."""
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    if text.isascii():
        return text[: width - 1] + _ELLIPSIS
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1) + _ELLIPSIS


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, is_coloured: bool) -> str:
    """The table as text: a head, then one line a row."""
    head = [Cell(column.head, "dim") for column in columns]
    return "".join(_line(columns, row, is_coloured) for row in (head, *rows))


def _line(columns: Sequence[Column], row: Sequence[Cell], is_coloured: bool) -> str:
    parts = (_pad(*pair, is_coloured) for pair in zip(columns, row, strict=True))
    return " ".join(parts).rstrip(" ") + "\n"


def _pad(column: Column, cell: Cell, is_coloured: bool) -> str:
    text = truncate(cell.text, column.width)
    padding = " " * (column.width - cells(text))
    if is_coloured and cell.style:
        text = f"\x1b[{_SGR[cell.style]}m{text}\x1b[0m"
    return padding + text if column.is_right else text + padding
