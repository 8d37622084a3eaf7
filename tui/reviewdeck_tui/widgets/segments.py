"""Fewer segments for the same cells: each costs forty bytes on the way to a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style


def compact(segments: Iterable[Segment]) -> list[Segment]:
    """The same cells with neighbours of one look joined; a blank takes the look beside it."""
    joined: list[tuple[str, Style]] = []
    for text, style, _ in segments:
        style = style or Style.null()
        if joined:
            before, look = joined[-1]
            # Sums of styles are kept by Rich, so that equal ones are mostly the same object.
            if look is style or (text.isspace() and _same_ground(look, style)):
                joined[-1] = (before + text, look)
                continue
            if before.isspace() and _same_ground(look, style):
                joined[-1] = (before + text, style)
                continue
        joined.append((text, style))
    return [Segment(text, style) for text, style in joined]


def _same_ground(one: Style, other: Style) -> bool:
    """Whether a blank looks the same in both."""
    return one.bgcolor == other.bgcolor and not (_draws(one) or _draws(other))


def _draws(style: Style) -> bool:
    return bool(style.underline or style.reverse or style.strike)
