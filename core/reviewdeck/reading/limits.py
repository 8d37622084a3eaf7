"""How much of a document its agent takes, counted as the agent counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from reviewdeck.model import Allowance, Limit, Measure
from reviewdeck.reading.memory import claude_index, utf16_units
from reviewdeck.text import entries
from reviewdeck.text.lines import split


def allowances(limits: Iterable[Limit], text: str) -> tuple[Allowance, ...]:
    """How much of each limit this text uses."""
    return tuple(
        Allowance(_used(limit.measure, text), limit.most, _unit(limit)) for limit in limits
    )


def _used(measure: Measure, text: str) -> int:
    match measure:
        case Measure.ENTRIES:
            return entries.size(entries.parse(text))
        case Measure.LINES:
            return len(split(text))
        case Measure.UNITS:
            return utf16_units(text.rstrip())
        case Measure.STRIPPED_LINES:
            return len(split(text.strip()))
        case Measure.STRIPPED_UNITS:
            return utf16_units(text.strip())
        case Measure.INDEX_LINES:
            return claude_index(text).lines
        case Measure.INDEX_UNITS:
            return claude_index(text).units
        case _:
            assert_never(measure)


def _unit(limit: Limit) -> str:
    match limit.measure:
        case Measure.ENTRIES:
            return "characters"
        case Measure.LINES | Measure.STRIPPED_LINES | Measure.INDEX_LINES:
            return "lines"
        case Measure.UNITS | Measure.STRIPPED_UNITS | Measure.INDEX_UNITS:
            return "UTF-16 units"
        case _:
            assert_never(limit.measure)
