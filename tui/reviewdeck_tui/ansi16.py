"""Our colours for a terminal with sixteen: chosen by meaning, not by distance. Pure.

The nearest of sixteen to a soft green or blue is white, which hides additions. So the hue is
kept, and a background only where text on it stays readable.
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
"""The end of each hue on the colour circle, in degrees, and its number."""
_GREY: Final = 40
"""Difference between the strongest and the weakest component up to which a colour has no hue."""
_YELLOW, _BLUE, _CYAN, _WHITE = 3, 4, 6, 15


class Ansi16Filter(LineFilter):
    """Maps every colour to one of the sixteen of the terminal."""

    def __eq__(self, other: object) -> bool:
        """All instances are equal: Textual caches filtered lines by their filter."""
        return isinstance(other, Ansi16Filter)

    def __hash__(self) -> int:
        return hash(Ansi16Filter)

    def apply(self, segments: list[Segment], background: Background) -> list[Segment]:
        """The same segments in sixteen colours."""
        return [
            Segment(text, _to_sixteen(style) if style is not None else None, control)
            for text, style, control in segments
        ]


@lru_cache(1_024)
def _to_sixteen(style: Style) -> Style:
    text_colour, background = style.color, style.bgcolor
    return style + Style(
        color=Color.from_ansi(_text_number(text_colour.triplet))
        if text_colour and text_colour.triplet
        else None,
        bgcolor=Color.from_ansi(_background_number(background.triplet))
        if background and background.triplet
        else None,
    )


def _text_number(colour: ColorTriplet) -> int:
    hue, light = _hue_and_light(colour)
    if hue is None:
        return _WHITE if light > 0.9 else 7 if light > 0.5 else 8 if light > 0.25 else 0
    if hue == _YELLOW and light < 0.4:
        return 0  # Yellow cannot be read on a light background.
    if hue == _BLUE:
        return _CYAN  # Blue cannot be read on the black of a console.
    return (8 if light > 0.5 else 0) + hue


def _background_number(colour: ColorTriplet) -> int:
    """The number of a background: the cursor's line keeps one, a tint does not."""
    hue, light = _hue_and_light(colour)
    if light < 0.5:
        return _BLUE if hue == _BLUE else 0
    return _WHITE if light > 0.93 or hue not in (None, _BLUE) else 7


def _hue_and_light(colour: ColorTriplet) -> tuple[int | None, float]:
    angle, light, _ = rgb_to_hls(*colour.normalized)
    if max(colour) - min(colour) < _GREY:
        return None, light
    return next(number for end, number in _HUES if angle * 360 <= end), light
