"""Text in columns, measured in the cells of a terminal. Loads nothing of the engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TextIO

_SGR: Final = {
    "dim": "2",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "bold red": "1;31",
}
"""Styles as ECMA-48 numbers them."""
_MORE: Final = "…"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head, its width in cells, and where its text stands."""

    head: str
    width: int
    is_right: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """An inert text, and how it looks."""

    text: str
    style: str = ""


def width() -> int:
    """Columns of the terminal; 80 when unknown, and never fewer than 40."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return max(40, int(given))
    try:
        found = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
    except (OSError, ValueError):
        found = 0
    return max(40, found or 80)


def is_coloured(stream: TextIO, unwanted: bool = False) -> bool:
    """Whether what goes there may have colours."""
    if unwanted or os.environ.get("NO_COLOR") or not stream.isatty():
        return False
    return os.environ.get("TERM", "").lower() not in {"dumb", "unknown"}


def cells(text: str) -> int:
    """How many cells of a terminal an inert text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, width: int) -> str:
    """An inert text in at most so many cells; a sign at its end says that there is more."""
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    if text.isascii():
        return text[: width - 1] + _MORE
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1) + _MORE


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, is_coloured: bool) -> str:
    """A head and one line for each row."""
    head = [Cell(column.head, "dim") for column in columns]
    return "".join(_line(columns, row, is_coloured) for row in (head, *rows))


def _line(columns: Sequence[Column], row: Sequence[Cell], is_coloured: bool) -> str:
    parts = (_filled(*pair, is_coloured) for pair in zip(columns, row, strict=True))
    return " ".join(parts) + "\n"


def _filled(column: Column, cell: Cell, is_coloured: bool) -> str:
    text = shortened(cell.text, column.width)
    rest = " " * (column.width - cells(text))
    if is_coloured and cell.style:
        text = f"\x1b[{_SGR[cell.style]}m{text}\x1b[0m"
    return rest + text if column.is_right else text + rest
