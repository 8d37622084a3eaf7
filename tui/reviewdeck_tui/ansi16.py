"""Our colours for a terminal that has sixteen: by what they mean, not by what is nearest. Pure.

The nearest of sixteen to a soft green or blue is white, and then additions look like anything else.
A hue is kept here, and a ground only where text on it stays readable.
"""

from __future__ import annotations

from colorsys import rgb_to_hls
from functools import lru_cache
from typing import Final

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Background
from textual.filter import LineFilter

_HUES: Final = ((20, 1), (75, 3), (165, 2), (200, 6), (265, 4), (335, 5), (360, 1))
"""Up to which angle of the colour circle a hue has which number."""
_GREY: Final = 40
"""Difference between the strongest and the weakest part up to which a colour has no hue."""
_YELLOW, _BLUE, _WHITE = 3, 4, 15


class Ansi16Filter(LineFilter):
    """Gives each colour one of the sixteen, where the terminal has no others."""

    def __eq__(self, other: object) -> bool:
        """One is as good as another: Textual keeps what a filter made of a line."""
        return isinstance(other, Ansi16Filter)

    def __hash__(self) -> int:
        return hash(Ansi16Filter)

    def apply(self, segments: list[Segment], background: Background) -> list[Segment]:
        """The same segments in sixteen colours."""
        return [
            Segment(text, _in_sixteen(style) if style is not None else None, control)
            for text, style, control in segments
        ]


@lru_cache(1_024)
def _in_sixteen(style: Style) -> Style:
    ink, ground = style.color, style.bgcolor
    return style + Style(
        color=Color.from_ansi(_ink(ink.triplet)) if ink and ink.triplet else None,
        bgcolor=Color.from_ansi(_ground(ground.triplet)) if ground and ground.triplet else None,
    )


def _ink(colour: ColorTriplet) -> int:
    """The number of a colour of letters."""
    hue, light = _of(colour)
    if hue is None:
        return _WHITE if light > 0.9 else 7 if light > 0.5 else 8 if light > 0.25 else 0
    if hue == _YELLOW and light < 0.4:
        return 0  # On a light ground, yellow cannot be read.
    return (8 if light > 0.5 else 0) + hue


def _ground(colour: ColorTriplet) -> int:
    """The number of a colour behind letters: the cursor's line keeps one, a tint does not."""
    hue, light = _of(colour)
    if light < 0.5:
        return _BLUE if hue == _BLUE else 0
    return _WHITE if light > 0.93 or hue not in (None, _BLUE) else 7


def _of(colour: ColorTriplet) -> tuple[int | None, float]:
    angle, light, _ = rgb_to_hls(*colour.normalized)
    if max(colour) - min(colour) < _GREY:
        return None, light
    return next(number for end, number in _HUES if angle * 360 <= end), light
