"""Cards as strips: margin, sign, marks, wrapped text, and the aside. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from reviewdeck.text.words import Mark
from reviewdeck_tui.safe import inert_line
from reviewdeck_tui.widgets.cards import Card, Leaf
from reviewdeck_tui.widgets.palette import Palette
from reviewdeck_tui.widgets.segments import compact
from reviewdeck_tui.widgets.wrap import Piece, cells, clip, crop, display_line, hanging_indent, wrap

BOLD: Final = Style(bold=True)
CURSOR: Final = 2
"""Cells for the cursor's sign."""
SIGN: Final = 2
ASIDE_FROM: Final = 104
"""Columns from which the aside is at the right."""
ONE_LINE_FROM: Final = 168
"""Columns from which the aside fits into one line."""
NARROWEST: Final = 12


@dataclass(frozen=True, slots=True)
class Sheet:
    """The width and style that cards are painted for."""

    width: int
    palette: Palette
    base: Style
    margin: int = 0
    """Cells before the signs, for the leads of leaves."""
    wrap: bool = True

    @property
    def aside(self) -> int:
        """The cells for the aside; 0 if it goes below the body."""
        if self.width >= ONE_LINE_FROM:
            return 84
        return min(46, self.width * 3 // 8) if self.width >= ASIDE_FROM else 0


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the screen, and the cells that its segments take."""

    segments: tuple[Segment, ...] = ()
    width: int = 0


def height_of(card: Card, sheet: Sheet) -> int:
    """The number of screen lines that a card takes."""
    body = sum(len(_pieces(leaf, _text_width(card, sheet), sheet)) for leaf in card.leaves)
    aside = _aside_lines(card, sheet)
    return int(card.gap) + (max(body, aside) if sheet.aside else body + aside)


def is_whole(card: Card, sheet: Sheet) -> bool:
    """Whether the card shows every character of its leaves, none cut at an end or at the edge."""
    text_width = _text_width(card, sheet)
    for leaf in card.leaves:
        line = display_line(leaf.text)
        if line.cut or _pieces(leaf, text_width, sheet)[-1][1] < len(line.text.rstrip()):
            return False
    lines = (line for leaf in card.leaves for line in _body(card, leaf, sheet, sheet.base))
    return all(CURSOR + line.width <= sheet.width for line in lines)


def paint(card: Card, sheet: Sheet, *, cursor: bool, focused: bool) -> list[Strip]:
    """The strips of a card, each as wide as the sheet."""
    base = sheet.base + sheet.palette["cursor-line"] if cursor and focused else sheet.base
    painted = [line for leaf in card.leaves for line in _body(card, leaf, sheet, base)]
    if sheet.aside and card.aside:
        painted = list(_add_aside(painted, card, sheet, base))
    else:
        painted += _lines_below(card, sheet, base)
    strips = [Strip.blank(sheet.width, sheet.base)] if card.gap else []
    for at, line in enumerate(painted):
        sign = ">" if cursor and at == 0 else " "
        lead = Segment(f"{sign} ", base + sheet.palette["cursor"] + BOLD)
        segments = compact([lead, *line.segments])
        strips.append(Strip(segments).adjust_cell_length(sheet.width, base))
    return strips


def _text_width(card: Card, sheet: Sheet) -> int:
    aside = sheet.aside + 2 if card.aside and sheet.aside else 1
    return max(NARROWEST, sheet.width - CURSOR - sheet.margin - SIGN - aside)


def _aside_lines(card: Card, sheet: Sheet) -> int:
    if not card.aside:
        return 0
    if not sheet.aside:
        return len(_joined_pieces(card, sheet))
    return len(list(_asides(card, sheet)))


def _asides(card: Card, sheet: Sheet) -> Iterator[tuple[tuple[str, str], ...]]:
    parts = [(inert_line(leaf.text), leaf.tone) for leaf in card.aside]
    if sum(cells(text) + 3 for text, _ in parts) - 2 <= sheet.aside:
        yield tuple((f" · {text}" if at else text, tone) for at, (text, tone) in enumerate(parts))
        return
    for text, tone in parts:
        for start, end in wrap(text, sheet.aside - 1):
            yield ((text[start:end], tone),)


def _pieces(leaf: Leaf, width: int, sheet: Sheet) -> list[Piece]:
    text = display_line(leaf.text).text
    if not sheet.wrap:
        return [crop(text, 0, width)]
    pieces = wrap(text, width, hanging_indent(text, width))
    return pieces[: leaf.most] if leaf.most else pieces


def _body(card: Card, leaf: Leaf, sheet: Sheet, base: Style) -> Iterator[_Line]:
    text_width = _text_width(card, sheet)
    line = display_line(leaf.text, leaf.marks)
    style = base + sheet.palette[leaf.tone] + (BOLD if leaf.strong else Style.null())
    pieces = _pieces(leaf, text_width, sheet)
    indent = hanging_indent(line.text, text_width) if sheet.wrap else 0
    is_cut = bool(pieces) and pieces[-1][1] < len(line.text.rstrip())
    for at, (start, end) in enumerate(pieces):
        parts = list(_margin(leaf, sheet, base, first=at == 0))
        parts.append(Segment(f"{leaf.sign if at == 0 else ' '} ", style + BOLD))
        parts.append(Segment(" " * (indent if at else 0), style))
        marked = base + sheet.palette[leaf.tone] + sheet.palette[leaf.mark or "text"]
        parts += _mark_segments(line.text, line.marks, (start, end), style, marked)
        if is_cut and at == len(pieces) - 1:
            parts.append(Segment("…", base + sheet.palette["quiet"]))
        width = sum(cells(part.text) for part in parts)
        if card.rule and at == 0 and leaf is card.leaves[0]:
            filler = max(0, sheet.width - CURSOR - width - 2)
            parts.append(Segment(" " + card.rule * filler, base + sheet.palette["quiet"]))
        yield _Line(tuple(parts), width)


def _margin(leaf: Leaf, sheet: Sheet, base: Style, *, first: bool) -> Iterator[Segment]:
    if sheet.margin:
        lead = clip(inert_line(leaf.lead), sheet.margin - 1) if first else ""
        pad = " " * (sheet.margin - cells(lead))
        yield Segment(lead + pad, base + sheet.palette[leaf.lead_tone])


def _mark_segments(
    text: str, marks: tuple[Mark, ...], piece: Piece, plain: Style, marked: Style
) -> Iterator[Segment]:
    at, end = piece
    for mark in marks:
        start, stop = max(mark.start, at), min(mark.end, end)
        if start >= stop:
            continue
        yield Segment(text[at:start], plain)
        yield Segment(text[start:stop], marked)
        at = stop
    yield Segment(text[at:end], plain)


def _add_aside(painted: list[_Line], card: Card, sheet: Sheet, base: Style) -> Iterator[_Line]:
    asides = [
        [Segment(text, base + sheet.palette[tone]) for text, tone in line]
        for line in _asides(card, sheet)
    ]
    at = sheet.width - CURSOR - sheet.aside
    for line, aside in zip_longest(painted, asides):
        body = line or _Line()
        parts = list(body.segments)
        if aside is not None:
            parts += [Segment(" " * max(1, at - body.width), base), *aside]
        yield _Line(tuple(parts), sheet.width)


def _joined_aside(card: Card) -> str:
    return " · ".join(part for leaf in card.aside if (part := inert_line(leaf.text)))


def _joined_pieces(card: Card, sheet: Sheet) -> list[Piece]:
    return wrap(
        _joined_aside(card), max(NARROWEST, sheet.width - CURSOR - sheet.margin - 2 * SIGN - 1)
    )


def _lines_below(card: Card, sheet: Sheet, base: Style) -> Iterator[_Line]:
    """The aside below the body, where it does not fit beside it."""
    if not card.aside:
        return
    line = _joined_aside(card)
    indent = " " * (sheet.margin + 2 * SIGN)
    for start, end in _joined_pieces(card, sheet):
        text = indent + line[start:end]
        yield _Line((Segment(text, base + sheet.palette["quiet"]),), cells(text))
