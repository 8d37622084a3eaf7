"""One side of a diff line as segments: its gutter, sign, marks, colours, wrapped text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final

from rich.segment import Segment
from rich.style import Style

from reviewdeck.text.words import Mark
from reviewdeck_tui.widgets import syntax
from reviewdeck_tui.widgets.palette import Palette
from reviewdeck_tui.widgets.syntax_state import OUTSIDE, Inside
from reviewdeck_tui.widgets.wrap import (
    Piece,
    WrappedText,
    cells,
    crop,
    display_line,
    hanging_indent,
    wrap,
)

BOLD: Final = Style(bold=True)
UNDERLINED: Final = Style(underline=True)

Run = tuple[int, int, Style]
"""The start, end and style of a stretch of text."""

GUTTER: Final = 2
"""A sign, and the hook of a continued line."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything apart from the document that decides how it is painted."""

    width: int
    split: bool
    wrap: bool
    digits: int
    """Width of line numbers; 0 if no section has any."""
    scroll: int
    """Cells scrolled out of sight on the left, where lines are not wrapped."""
    search: re.Pattern[str] | None
    palette: Palette
    base: Style

    @property
    def side(self) -> int:
        return (self.width - 1) // 2 if self.split else self.width

    @property
    def narrowest(self) -> int:
        """The least width of a row's text."""
        return self.room(self.side, numbered=True)

    def room(self, side: int, *, numbered: bool) -> int:
        """The cells for text in a side of this width."""
        return max(1, side - GUTTER - (self.digits + 1 if numbered and self.digits else 0))


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text that one line of the screen shows."""

    side: int
    """0 for the left or only text, 1 for the right, and so on."""
    start: int
    end: int
    """In characters of the text as it is displayed."""
    length: int
    """The characters of the whole text."""
    columns: tuple[int, int]
    """The cells that it takes, with its gutter."""


@dataclass(frozen=True, slots=True)
class DiffCell:
    """One side of a row, before it is laid out."""

    text: str | None
    sign: str
    number: int | None
    tone: str
    """added, removed, dropped, or empty for unchanged."""
    marks: tuple[Mark, ...] = ()
    flags: tuple[Mark, ...] = ()
    note: str = ""
    inside: Inside = OUTSIDE
    """The syntax that the line begins inside of."""
    is_pointed_at: bool = False
    """Whether a key would drop just this line."""


def blank(width: int, frame: Frame, tone: str) -> list[Segment]:
    """An empty line, on the background of a tone."""
    return [Segment(" " * width, _ground(tone, frame))]


def _ground(tone: str, frame: Frame) -> Style:
    has_ground = tone in ("added", "removed")
    return frame.base + frame.palette[f"{tone}-line"] if has_ground else frame.base


def paint_side(
    cell: DiffCell, width: int, language: str, frame: Frame, *, numbered: bool
) -> list[list[Segment]]:
    """One side of a row as lines of exactly this many cells."""
    if cell.text is None:
        return [blank(width, frame, "")]
    text_width = frame.room(width, numbered=numbered)
    line = display_line(cell.text, cell.marks, cell.flags)
    text = with_note(cell, line.text)
    pieces, indent = pieces_of(text, text_width, frame)
    ground = _ground(cell.tone, frame)
    runs = _style_runs(replace(line, text=text), cell, language, ground, frame)
    lines = []
    for number, (piece, painted) in enumerate(zip(pieces, _cut(text, runs, pieces), strict=True)):
        lead = indent if number else 0
        used = lead + cells(text[piece[0] : piece[1]])
        is_cut_left, is_cut_right = not frame.wrap and piece[0] > 0, piece[1] < len(text)
        hook = "↳" if number else "‹" if is_cut_left else " "
        segments = _gutter(cell, frame, ground, hook, numbered=numbered, goes_on=number > 0)
        segments.append(Segment(" " * lead, ground))
        segments += painted
        segments.append(Segment(" " * (text_width - used), ground))
        if is_cut_right and not frame.wrap:
            segments[-1] = Segment("›".rjust(text_width - used), ground + frame.palette["quiet"])
        lines.append([segment for segment in segments if segment.text])
    return lines


def pieces_of(text: str, text_width: int, frame: Frame) -> tuple[list[Piece], int]:
    """The part of a text on each of its lines, and the indentation of those after the first.

    A line that is not wrapped leaves the last cell free for the sign that it goes on.
    """
    if frame.wrap:
        indent = hanging_indent(text, text_width)
        return wrap(text, text_width, indent), indent
    piece = crop(text, frame.scroll, text_width)
    return [piece if piece[1] == len(text) else crop(text, frame.scroll, text_width - 1)], 0


def stretches_of(
    text: str, side: int, columns: tuple[int, int], gutter: int, frame: Frame
) -> list[Stretch]:
    """What each line of a side shows of its text; nothing from where it is wider than the side."""
    first, last = columns
    pieces, indent = pieces_of(text, last - first - gutter, frame)
    shown = []
    for number, (start, end) in enumerate(pieces):
        right = first + gutter + cells(text[start:end]) + (indent if number else 0)
        if right > last:
            break  # A wide character in a narrow column moves what follows it out of place.
        next_start = pieces[number + 1][0] if number + 1 < len(pieces) else end
        shown.append(Stretch(side, start, next_start, len(text), (first, right)))
    return shown


def _gutter(
    cell: DiffCell, frame: Frame, ground: Style, hook_sign: str, *, numbered: bool, goes_on: bool
) -> list[Segment]:
    """A number, a sign, and the hook of a continued or cut line."""
    quiet = ground + frame.palette["quiet"]
    hook = Segment(hook_sign, quiet)
    if cell.is_pointed_at:
        hook = Segment(">", ground + frame.palette["heading"] + BOLD)
    segments = [Segment(cell.sign, ground + frame.palette[cell.tone or "quiet"] + BOLD), hook]
    if numbered and frame.digits:
        number = "" if goes_on or cell.number is None else str(cell.number)
        segments.insert(0, Segment(f"{number:>{frame.digits}} ", quiet))
    return segments


def with_note(cell: DiffCell, text: str) -> str:
    """The text, followed by its note about what is invisible in it."""
    return f"{text}  ⟨{cell.note}⟩" if cell.note else text


def _style_runs(
    line: WrappedText, cell: DiffCell, language: str, ground: Style, frame: Frame
) -> Iterator[Run]:
    """The text from left to right in runs of one style."""
    plain = ground + frame.palette[cell.tone or "text"]
    events = [
        (place, begins, layer, style)
        for layer, spans in enumerate(_layers(line, cell, language, frame))
        for start, end, style in spans
        for place, begins in zip(line.whole(start, end), (1, 0), strict=True)
        if start < end
    ]
    events.sort(key=itemgetter(0, 1, 2))
    active: dict[int, Style] = {}
    at = 0
    for place, begins, layer, style in events:
        if place > at:
            yield at, place, _sum(plain, active)
            at = place
        if begins:
            active[layer] = style
        else:
            active.pop(layer, None)
    if at < len(line.text):
        yield at, len(line.text), _sum(plain, active)


def _layers(line: WrappedText, cell: DiffCell, language: str, frame: Frame) -> Iterator[list[Run]]:
    """The colours of the text, each layer over the ones before it."""
    palette, text, tone = frame.palette, line.text, cell.tone
    colours = syntax.runs(text, language, cell.inside)
    yield [(start, end, palette[kind]) for start, end, kind in colours]
    yield [(mark.start, mark.end, palette[f"{tone}-mark"]) for mark in line.marks if tone]
    is_flagged = palette["flag"] + palette["flag-mark"] + UNDERLINED
    yield [(flag.start, flag.end, is_flagged) for flag in line.flags]
    if frame.search is not None:
        yield [(*match.span(), palette["match-mark"]) for match in frame.search.finditer(text)]


def _sum(plain: Style, active: dict[int, Style]) -> Style:
    for layer in sorted(active):
        plain += active[layer]
    return plain


def _cut(text: str, runs: Iterable[Run], pieces: Sequence[Piece]) -> Iterator[list[Segment]]:
    """The runs of each piece of the text, in one pass over both."""
    remaining = iter(runs)
    run = next(remaining, None)
    for first, last in pieces:
        segments = []
        while run is not None and run[0] < last:
            start, end, style = run
            if end > first:
                segments.append(Segment(text[max(start, first) : min(end, last)], style))
            if end > last:
                break
            run = next(remaining, None)
        yield segments
