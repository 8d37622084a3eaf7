"""What goes to the terminal: only what is not there yet.

Textual sends every line of a widget that is painted again. Over a slow line that is what an
operator waits for, and between two proposals most lines are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, KeysView
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

from reviewdeck_tui.colours import PLAIN, rendered

Piece: TypeAlias = tuple[int, int, Strip]
"""Column, line, and what stands from there."""
Cell: TypeAlias = tuple[str, object]
"""A character, or the second half of a wide one, and its look."""

_APART: Final = 6
"""Equal cells that cost less to send again than to jump over."""
_WIDE: Final = "ぁ-ゖァ-ヺー一-龥가-힣、-〇「-】（）！？：；"
"""Characters that take two cells in every terminal: kana, ideographs, syllables, their points."""
_IS_PLAIN: Final = re.compile(rf"[ -~│─⋯…·↳§“”‘’–{_WIDE}]*").fullmatch
"""Whether every terminal gives a text as many cells as we do."""
_NOWHERE: Final = 1 << 30
_IS_WIDE: Final = re.compile(f"[{_WIDE}]").match


@dataclass(frozen=True, slots=True)
class Line:
    """What of one line of the screen is painted."""

    strips: dict[int, Strip]
    """By the columns where they begin."""
    cuts: KeysView[int]
    """All columns at which a widget begins."""


class Pieces(CompositorUpdate):
    """Some pieces of lines."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = list(pieces)

    def render_segments(self, console: Console) -> str:
        """As the terminal takes it."""
        said: list[str] = []
        look, system = PLAIN, console._color_system
        at = (-1, -1)
        for x, y, strip in self.pieces:
            said.append(_moved(at, (x, y)))
            at = (x + strip.cell_length, y)
            if system is None:
                said.append(strip.text)
            else:
                text, look = rendered(strip, system, look)
                said.append(text)
        return "".join(said) + ("" if look == PLAIN else "\x1b[0m")


def _moved(at: tuple[int, int], to: tuple[int, int]) -> str:
    """Takes the cursor from one cell to another."""
    if at[1] == to[1] and to[0] > at[0]:
        return f"\x1b[{to[0] - at[0]}C"
    column = f";{to[0] + 1}" if to[0] else ""
    return f"\x1b[{to[1] + 1}{column}H"


class Sent:
    """Remembers what is on the terminal."""

    def __init__(self) -> None:
        self._lines: dict[int, dict[int, Strip]] = {}

    def forget(self) -> None:
        """Somebody else wrote there: everything has to be sent again."""
        self._lines.clear()

    def only_changes(self, update: CompositorUpdate) -> CompositorUpdate | None:
        """The part of an update that is not on the terminal; None when there is nothing to send."""
        match update:
            case LayoutUpdate():
                lines = _of_screen(update)
            case ChopsUpdate():
                lines = _of_spans(update)
            case _:
                self.forget()
                return update
        pieces = [piece for y, line in lines for piece in self._changed(y, line)]
        return Pieces(pieces) if pieces else None

    def _changed(self, y: int, line: Line) -> Iterator[Piece]:
        known = self._lines.get(y, {})
        if not known.keys() <= line.cuts:
            known = {}  # Other widgets stand there now.
        new = {x: _continued(strip, known.get(x)) for x, strip in line.strips.items()}
        self._lines[y] = {**known, **new}
        changed = {x: strip for x, strip in new.items() if known.get(x) != strip}
        if not changed:
            return
        # A terminal may draw some texts wider than we think: what is right of one is sent whole.
        odd = (x for x in changed if not (_is_plain(new[x]) and _is_plain(known.get(x))))
        first = min(odd, default=_NOWHERE)
        for x, strip in sorted(self._lines[y].items()):
            if x >= first:
                yield x, y, strip
            elif x in changed:
                yield from _trimmed(x, y, known.get(x), strip)


def _of_screen(update: LayoutUpdate) -> Iterator[tuple[int, Line]]:
    """All lines of a painting of everything."""
    for y, strips in enumerate(update.strips, update.region.y):
        placed: dict[int, Strip] = {}
        x = update.region.x
        for strip in strips:
            placed[x] = strip
            x += strip.cell_length
        yield y, Line(placed, placed.keys())


def _of_spans(update: ChopsUpdate) -> Iterator[tuple[int, Line]]:
    """The lines of a painting of some spans; what is beside a span need not be whole."""
    lines: dict[int, Line] = {}
    for y, first, last in update.spans:
        line = lines.setdefault(y, Line({}, update.chops[y].keys()))
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x < last and end > first:
                line.strips[x] = strip if end <= last else strip.crop(0, last - x)
    yield from lines.items()


def _continued(new: Strip, old: Strip | None) -> Strip:
    """A strip with what stands behind it, when only its beginning was painted."""
    if old is None or old.cell_length <= new.cell_length:
        return new
    return Strip.join([new, old.crop(new.cell_length, None)])


def _is_plain(strip: Strip | None) -> bool:
    return strip is None or all(text.isascii() or _IS_PLAIN(text) for text, _, _ in strip)


def _trimmed(x: int, y: int, old: Strip | None, new: Strip) -> Iterator[Piece]:
    """The cells of a plain strip that are not there already."""
    if old is None or old.cell_length != new.cell_length:
        yield x, y, new
        return
    for start, end in _differing(_cells(old), _cells(new)):
        yield x + start, y, new.crop(start, end)


def _cells(strip: Strip) -> list[Cell]:
    cells: list[Cell] = []
    for text, style, _ in strip:
        ground = _ground(style)
        if text.isascii():
            cells += [(one, ground if one == " " else style) for one in text]
            continue
        for one in text:
            cells.append((one, ground if one == " " else style))
            if _IS_WIDE(one):
                cells.append((f"{one}2", style))
    return cells


@lru_cache(1_024)
def _ground(style: Style | None) -> object:
    """What a blank shows of a style."""
    if style is None or style.underline or style.reverse or style.strike or style.link:
        return style
    return style.bgcolor


def _differing(old: list[Cell], new: list[Cell]) -> Iterator[tuple[int, int]]:
    """Runs of cells that differ; what is nearer than another start would cost is one run."""
    start = end = -1
    for at, (before, after) in enumerate(zip(old, new, strict=True)):
        if before == after:
            continue
        if start >= 0 and at - end > _APART:
            yield start, end
            start = -1
        if start < 0:
            start = at
        end = at + 1
    if start >= 0:
        yield start, end
