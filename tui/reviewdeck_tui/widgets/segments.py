"""Fewer segments for the same cells: each costs forty bytes on the way to a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style


def compact(segments: Iterable[Segment]) -> list[Segment]:
    """The same cells with neighbours of one style joined; a blank takes the style beside it."""
    joined: list[tuple[str, Style]] = []
    for text, style, _ in segments:
        style = style or Style.null()
        if joined:
            before, joined_style = joined[-1]
            # Rich caches sums of styles, so that equal ones are mostly the same object.
            if joined_style is style or (text.isspace() and _same_ground(joined_style, style)):
                joined[-1] = (before + text, joined_style)
                continue
            if before.isspace() and _same_ground(joined_style, style):
                joined[-1] = (before + text, style)
                continue
        joined.append((text, style))
    return [Segment(text, style) for text, style in joined]


def _same_ground(first: Style, second: Style) -> bool:
    return first.bgcolor == second.bgcolor and not (
        _draws_on_blanks(first) or _draws_on_blanks(second)
    )


def _draws_on_blanks(style: Style) -> bool:
    return bool(style.underline or style.reverse or style.strike)
