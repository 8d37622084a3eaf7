"""A table whose lines end where their text does, as a pipe or a file is to have them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.table import Table


class TrimmedTable(Table):
    """A rich table without spaces at the ends of its lines."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Renders the table line by line."""
        rendered = super().__rich_console__(console, options)
        segments = (part for part in rendered if isinstance(part, Segment))
        for line in Segment.split_lines(segments):
            while line and not line[-1].text.rstrip(" "):
                line.pop()
            if line:
                last = line.pop()
                line.append(Segment(last.text.rstrip(" "), last.style, last.control))
            yield from line
            yield Segment.line()
