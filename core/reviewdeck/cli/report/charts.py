"""The charts of the page as places in a drawing; the template only writes them down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from reviewdeck.presentation.report import Days, Decider

WIDTH: Final = 640
HEIGHT: Final = 132
_BASE: Final = 108
"""Where the columns stand; below it are the dates."""
_TOP: Final = 14


class Box(NamedTuple):
    """One rectangle."""

    kind: str
    """The class by which it is coloured."""
    x: float
    y: float
    width: float
    height: float
    words: str


class Label(NamedTuple):
    """One text, and the point at its middle or its end."""

    x: float
    y: float
    text: str


class Chart(NamedTuple):
    """The columns of a chart, its dates, and the number at its top."""

    boxes: tuple[Box, ...]
    dates: tuple[Label, ...]
    highest: int


def decisions_chart(days: Sequence[Days]) -> Chart | None:
    """One stacked column of decisions for each period; None where there is nothing to compare."""
    highest = max((day.automatic + day.accepted + day.rejected for day in days), default=0)
    if len(days) < _FEWEST or not highest:
        return None
    step = WIDTH / len(days)
    width = min(36.0, step * 0.62)
    boxes = [
        box
        for number, day in enumerate(days)
        for box in _column(day, number * step + (step - width) / 2, width, highest)
    ]
    every = -(-len(days) // _MOST_DATES)
    dates = [
        Label(round((number + 0.5) * step, 1), HEIGHT - 6, f"{day.first.day} {day.first:%b}")
        for number, day in enumerate(days)
        if (len(days) - 1 - number) % every == 0
    ]
    return Chart(tuple(boxes), tuple(dates), highest)


def _column(day: Days, x: float, width: float, highest: int) -> Iterator[Box]:
    bottom = float(_BASE)
    when = f"{day.first.day} {day.first:%B}"
    if day.last != day.first:
        when += f" to {day.last.day} {day.last:%B}"
    for kind, amount, words in (
        ("automatic", day.automatic, "applied automatically"),
        ("accepted", day.accepted, "approved by a person"),
        ("rejected", day.rejected, "rejected"),
    ):
        if amount:
            height = (_BASE - _TOP) * amount / highest
            bottom -= height
            yield Box(
                kind,
                round(x, 1),
                round(bottom, 1),
                round(width, 1),
                round(height, 1),
                f"{when}: {amount} {words}",
            )


def shares(decider: Decider, most: int) -> tuple[Box, ...]:
    """What somebody decided as one bar, whose whole width is the busiest."""
    at, boxes = 0.0, []
    for word, amount in decider.amounts.items():
        width = 100 * amount / max(1, most)
        kind = _KINDS.get(word, "other")
        boxes.append(Box(kind, round(at, 2), 0, round(width, 2), 10, f"{amount} {word}"))
        at += width
    return tuple(boxes)


_FEWEST: Final = 2
_MOST_DATES: Final = 8
_KINDS: Final = {
    "applied": "automatic",
    "approved": "accepted",
    "changed": "accepted",
    "kept": "accepted",
    "rejected": "rejected",
    "undone": "rejected",
    "reverted": "rejected",
}
