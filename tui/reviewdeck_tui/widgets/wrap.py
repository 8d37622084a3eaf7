"""Text in cells: where a line breaks, and which characters stay together. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, split_graphemes

from reviewdeck.text.inert import visible
from reviewdeck.text.words import Mark

MOST_CHARACTERS: Final = 10_000
"""The most characters of one line that are shown."""
TAB: Final = 4

_NARROW: Final = re.compile(
    "[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u259f]*"
)
"""Latin, punctuation, arrows, mathematical signs, lines and blocks."""
_LEAD: Final = re.compile(r" *(?:(?:[-*+]|\d{1,3}[.)]) )?")

Piece = tuple[int, int]
"""The start and end of a screen line in a text."""


@dataclass(frozen=True, slots=True)
class WrappedText:
    """A line as the screen shows it: inert, tabs as spaces, cut at a maximum."""

    text: str
    marks: tuple[Mark, ...] = ()
    flags: tuple[Mark, ...] = ()
    cut: int = 0
    """The number of characters that are not shown."""
    starts: tuple[int, ...] = ()
    """The start of each grapheme; empty when each is one character."""

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """This range, widened to whole graphemes."""
        if not self.starts:
            return start, end
        first = self.starts[max(0, bisect_right(self.starts, start) - 1)]
        last = bisect_left(self.starts, end)
        return first, self.starts[last] if last < len(self.starts) else end


def display_line(
    raw: str, marks: tuple[Mark, ...] = (), flags: tuple[Mark, ...] = ()
) -> WrappedText:
    """An untrusted line, made inert for the screen, with its marks."""
    cut = max(0, len(raw) - MOST_CHARACTERS)
    head = raw[:MOST_CHARACTERS] if cut else raw
    text = _inert(head)
    ending = f" … {cut:,} more characters are not shown" if cut else ""
    if text != head:
        marks, flags = _move_marks(head, marks), _move_marks(head, flags)
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
    """Whether each character takes one cell, found out without Unicode tables."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def wrap(text: str, width: int, indent: int = 0) -> list[Piece]:
    """The line breaks of a text, at words. Lines after the first are narrower by `indent`."""
    width = max(1, width)
    if len(text) * 2 <= width or (len(text) <= width and is_narrow(text)):
        return [(0, len(text))]
    following = max(1, width - indent)
    if is_narrow(text):
        return _wrap_plain(text, width, following)
    return _wrap_wide(text, width, following)


def hanging_indent(text: str, width: int) -> int:
    """The indentation of continued lines: to where the words of a list item begin."""
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


def clip(text: str, size: int) -> str:
    """The text in at most `size` cells, with an ellipsis where it is cut."""
    if cells(text) <= size:
        return text
    start, end = crop(text, 0, max(0, size - 1))
    return text[start:end] + "…" if size > 0 else ""


def cells(text: str) -> int:
    """The cells that a text takes."""
    return len(text) if is_narrow(text) else cell_len(text)


def _inert(text: str) -> str:
    return visible(text, keep="\n\t").replace("\n", "␊").replace("\t", " " * TAB)


def _move_marks(raw: str, marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    if not marks:
        return ()
    ends = sorted({min(place, len(raw)) for mark in marks for place in (mark.start, mark.end)})
    shown_at, at, length = {}, 0, 0
    for end in ends:
        length += len(_inert(raw[at:end]))
        shown_at[end], at = length, end
    places = [(shown_at[min(m.start, len(raw))], shown_at[min(m.end, len(raw))]) for m in marks]
    return tuple(Mark(start, end) for start, end in places if start < end)


def _wrap_plain(text: str, width: int, following: int) -> list[Piece]:
    pieces, at, space_left, length = [], 0, width, len(text)
    while length - at > space_left:
        space = text.rfind(" ", at, at + space_left + 1)
        end = space if space > at and text[at:space].strip() else at + space_left
        pieces.append((at, end))
        at = end + 1 if end == space else end
        space_left = following
    pieces.append((at, length))
    return pieces


def _wrap_wide(text: str, width: int, following: int) -> list[Piece]:
    """The same by graphemes; wide scripts break anywhere."""
    graphemes = split_graphemes(text)[0]
    pieces: list[Piece] = []
    width_left, first, at, used, space = width, 0, 0, 0, -1
    while at < len(graphemes):
        start, _, size = graphemes[at]
        if text[start] == " " and at > first:
            space = at
        if used + size > width_left and at > first:
            broken = space > first
            end, after = (graphemes[space][0], space + 1) if broken else (start, at)
            pieces.append((graphemes[first][0], end))
            first, at, used, space, width_left = after, after, 0, -1, following
            continue
        used += size
        at += 1
    pieces.append((graphemes[first][0] if first < len(graphemes) else len(text), len(text)))
    return pieces
