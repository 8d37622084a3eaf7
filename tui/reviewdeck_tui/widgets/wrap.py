"""Text in cells: where a line breaks, and which characters must not be parted. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, split_graphemes

from reviewdeck.text.inert import visible
from reviewdeck.text.words import Mark

MOST_CHARACTERS: Final = 10_000
"""Of one line that are shown."""
TAB: Final = 4

_NARROW: Final = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u259f]*"
)
"""Latin, punctuation, arrows, signs of mathematics, lines and blocks."""
_LEAD: Final = re.compile(r" *(?:(?:[-*+]|\d{1,3}[.)]) )?")

Piece = tuple[int, int]
"""Where one line of the screen starts and ends in a text."""


@dataclass(frozen=True, slots=True)
class WrappedText:
    """A line as the screen shows it: inert, tabs as spaces, cut when it is endless."""

    text: str
    marks: tuple[Mark, ...] = ()
    flags: tuple[Mark, ...] = ()
    cut: int = 0
    """How many characters are not shown."""
    starts: tuple[int, ...] = ()
    """Where what a reader sees as one character starts; empty when each is one."""

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """These places moved apart until no such character is parted."""
        if not self.starts:
            return start, end
        first = self.starts[max(0, bisect_right(self.starts, start) - 1)]
        last = bisect_left(self.starts, end)
        return first, self.starts[last] if last < len(self.starts) else end


def shown(raw: str, marks: tuple[Mark, ...] = (), flags: tuple[Mark, ...] = ()) -> WrappedText:
    """An untrusted line made fit for the screen, its marks moved along."""
    cut = max(0, len(raw) - MOST_CHARACTERS)
    head = raw[:MOST_CHARACTERS] if cut else raw
    text = _inert(head)
    ending = f" … {cut:,} more characters are not shown" if cut else ""
    if text != head:
        marks, flags = _moved(head, marks), _moved(head, flags)
    return WrappedText(text + ending, marks, flags, cut, _starts(text))


def _starts(text: str) -> tuple[int, ...]:
    if is_narrow(text):
        return ()
    graphemes, _ = split_graphemes(text)
    if len(graphemes) == len(text):
        return ()
    return (*(start for start, _, _ in graphemes), len(text))


def is_plain(raw: str) -> bool:
    """Whether a line takes as many cells as it has characters; False when unsure."""
    return raw.isascii() and "\t" not in raw


def is_narrow(text: str) -> bool:
    """Whether each character by itself takes one cell, found out without tables of all of them."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def wrap(text: str, width: int, indent: int = 0) -> list[Piece]:
    """Where a line breaks at words: the first piece in `width` cells, the others in less."""
    width = max(1, width)
    if len(text) * 2 <= width or (len(text) <= width and is_narrow(text)):
        return [(0, len(text))]
    rest = max(1, width - indent)
    if is_narrow(text):
        return _wrap_plain(text, width, rest)
    return _wrap_wide(text, width, rest)


def hanging(text: str, width: int) -> int:
    """How far the lines after the first are indented: to where the words of a list item begin."""
    lead = _LEAD.match(text)
    return min(len(lead[0]), max(0, width // 3)) if lead else 0


def crop(text: str, start: int, width: int) -> Piece:
    """The part of a text between two cells, for a line that is not wrapped."""
    if is_narrow(text):
        return min(start, len(text)), min(start + width, len(text))
    edges, places = [0], [0]
    for _, end, cells in split_graphemes(text)[0]:
        edges.append(edges[-1] + cells)
        places.append(end)
    first = places[bisect_left(edges, start)] if start <= edges[-1] else len(text)
    last = places[bisect_right(edges, edges[bisect_left(places, first)] + width) - 1]
    return first, max(first, last)


def cells(text: str) -> int:
    """The cells that a text takes."""
    return len(text) if is_narrow(text) else cell_len(text)


def _inert(text: str) -> str:
    return visible(text, keep="\n\t").replace("\n", "␊").replace("\t", " " * TAB)


def _moved(raw: str, marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Marks of a raw text as marks of what it looks like."""
    if not marks:
        return ()
    ends = sorted({min(place, len(raw)) for mark in marks for place in (mark.start, mark.end)})
    where, at, length = {}, 0, 0
    for end in ends:
        length += len(_inert(raw[at:end]))
        where[end], at = length, end
    places = [(where[min(m.start, len(raw))], where[min(m.end, len(raw))]) for m in marks]
    return tuple(Mark(start, end) for start, end in places if start < end)


def _wrap_plain(text: str, width: int, rest: int) -> list[Piece]:
    pieces, at, room, length = [], 0, width, len(text)
    while length - at > room:
        space = text.rfind(" ", at, at + room + 1)
        end = space if space > at and text[at:space].strip() else at + room
        pieces.append((at, end))
        at = end + 1 if end == space else end
        room = rest
    pieces.append((at, length))
    return pieces


def _wrap_wide(text: str, width: int, rest: int) -> list[Piece]:
    """The same by what a reader sees as one character; wide scripts break anywhere."""
    graphemes = split_graphemes(text)[0]
    pieces: list[Piece] = []
    room, first, at, taken, space = width, 0, 0, 0, -1
    while at < len(graphemes):
        start, _, size = graphemes[at]
        if text[start] == " " and at > first:
            space = at
        if taken + size > room and at > first:
            broken = space > first
            end, after = (graphemes[space][0], space + 1) if broken else (start, at)
            pieces.append((graphemes[first][0], end))
            first, at, taken, space, room = after, after, 0, -1, rest
            continue
        taken += size
        at += 1
    pieces.append((graphemes[first][0] if first < len(graphemes) else len(text), len(text)))
    return pieces
