"""The part of a widget that the operator can see now, as Textual's compositor has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from textual.widget import Widget

Span: TypeAlias = tuple[int, int]
"""The first column, and the one after the last."""


def visible_rows(widget: Widget) -> Iterator[tuple[int, Sequence[Span]]]:
    """The rows of a widget's content that are in sight, each with the columns that nothing covers.

    Nothing of it is in sight behind another screen, also where that one lets it shine through.
    """
    screen = widget.screen
    if screen is not widget.app.screen:
        return
    # Textual answers this only cell by cell (`get_widget_at`), a thousand times slower. Whether a
    # widget is visible it works out from all that it lies in: here once, and not for each row.
    is_visible: dict[Widget, bool] = {}
    for row, layers in enumerate(screen._compositor.layers_visible):
        above: list[Span] = []
        for other, shown, region in layers:  # from the front to the back
            if other is widget:
                left, top = region.x + widget.gutter.left, region.y + widget.gutter.top
                spans = _without((shown.x, shown.right), above)
                yield row - top, [(start - left, end - left) for start, end in spans]
                break
            if other not in is_visible:
                is_visible[other] = other.visible
            if is_visible[other]:
                above.append((shown.x, shown.right))


def is_in(span: Span, spans: Sequence[Span]) -> bool:
    """Whether one of the spans holds all of this one."""
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _without(span: Span, covers: Sequence[Span]) -> list[Span]:
    remaining = [span]
    for start, end in covers:
        remaining = [
            part
            for first, last in remaining
            for part in ((first, min(last, start)), (max(first, end), last))
            if part[0] < part[1]
        ]
    return remaining
