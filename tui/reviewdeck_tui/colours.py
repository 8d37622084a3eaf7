"""Styled text as a terminal takes it, with no colour said twice.

Rich says every colour of every segment anew and takes it back after it: two thirds of what a
changed line costs. Here a segment says what differs from the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style

from reviewdeck_tui import sixteen


class Look(NamedTuple):
    """What a style comes to in a terminal, as codes."""

    marks: str
    """Bold, underlined and the like: codes with semicolons."""
    ink: str
    ground: str


PLAIN: Final = Look("", "39", "49")
"""How a terminal writes before anybody tells it."""
_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}
"""What takes a mark away."""


def rendered(segments: Iterable[Segment], system: ColorSystem, now: Look) -> tuple[str, Look]:
    """The segments in colour, and how the terminal writes after them."""
    said = []
    for text, style, _ in segments:
        look = _look_of(style or Style.null(), system)
        if not look.marks and text.isspace():  # A blank has no ink.
            look = look._replace(ink=now.ink)
        said += [_change(now, look), text]
        now = look
    return "".join(said), now


def _change(old: Look, new: Look) -> str:
    if old == new:
        return ""
    codes = [code for was, code in zip(old[1:], new[1:], strict=True) if was != code]
    if old.marks != new.marks:
        was, now = (set(filter(None, marks.split(";"))) for marks in (old.marks, new.marks))
        if not was - now <= _OFF.keys():
            return f"\x1b[0m{_change(PLAIN, new)}"
        gone = {_OFF[mark] for mark in was - now}
        kept = now if "22" in gone else now - was  # One code ends both bold and dim.
        codes = [*sorted(gone), *sorted(kept), *codes]
    return f"\x1b[{';'.join(codes)}m"


def _code(colour: Color, system: ColorSystem, *, is_ink: bool) -> str:
    if system is ColorSystem.STANDARD and colour.triplet is not None:
        return (sixteen.ink if is_ink else sixteen.ground)(colour.triplet)
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground=is_ink))


@lru_cache(1_024)
def _look_of(style: Style, system: ColorSystem) -> Look:
    inks = [
        _code(colour, system, is_ink=is_ink) if colour else default
        for colour, is_ink, default in (
            (style.color, True, PLAIN.ink),
            (style.bgcolor, False, PLAIN.ground),
        )
    ]
    marks = style.without_color._make_ansi_codes(system)
    return Look(marks, *inks)
