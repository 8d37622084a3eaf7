"""Our colours for a terminal that has sixteen: by what they mean, not by what is nearest. Pure.

The nearest of sixteen to a soft green or blue is white, and then additions look like anything else.
A hue is kept here, and a ground only where text on it stays readable.
"""

from __future__ import annotations

from colorsys import rgb_to_hls
from typing import Final

from rich.color_triplet import ColorTriplet

_HUES: Final = ((20, 1), (75, 3), (165, 2), (200, 6), (265, 4), (335, 5), (360, 1))
"""Up to which angle of the colour circle a hue has which number."""
_GREY: Final = 40
"""Difference between the strongest and the weakest part up to which a colour has no hue."""
_YELLOW, _BLUE = 3, 4


def ink(colour: ColorTriplet) -> str:
    """The code of a colour of letters."""
    hue, light = _of(colour)
    if hue is None:
        return "97" if light > 0.9 else "37" if light > 0.5 else "90" if light > 0.25 else "30"
    if hue == _YELLOW and light < 0.4:
        return "30"  # On a light ground, yellow cannot be read.
    return f"{(90 if light > 0.5 else 30) + hue}"


def ground(colour: ColorTriplet) -> str:
    """The code of a colour behind letters: the cursor's line keeps one, a tint does not."""
    hue, light = _of(colour)
    if light < 0.5:
        return "44" if hue == _BLUE else "40"
    return "107" if light > 0.93 or hue not in (None, _BLUE) else "47"


def _of(colour: ColorTriplet) -> tuple[int | None, float]:
    angle, light, _ = rgb_to_hls(*colour.normalized)
    if max(colour) - min(colour) < _GREY:
        return None, light
    return next(number for end, number in _HUES if angle * 360 <= end), light
