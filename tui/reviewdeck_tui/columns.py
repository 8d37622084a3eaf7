"""The queue as columns of numbers, and its orders. Pure.

A proposal as an object takes two kilobytes; here it takes a tenth of one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from reviewdeck.clusters import anchor
from reviewdeck.model import Outline, State


class Sort(StrEnum):
    """An order of the queue."""

    RISK = "risk"
    NEWEST = "newest"
    OLDEST = "oldest"
    TARGET = "target"


CODES: Final = tuple(State)
"""The state that each number of the column stands for."""
DANGEROUS: Final = 3
"""The gravity from which a proposal is decided by itself."""

_CODE: Final = {state.value: code for code, state in enumerate(CODES)}
_ORDER: Final = {
    State.REFUSED: 0,
    State.CONFLICT: 2,
    State.READY: 3,
    State.DEAD: 4,
    State.QUARANTINED: 5,
    State.DEFERRED: 6,
}


class Columns:
    """All proposals, one place each, newest first."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self.ids: list[str] = []
        self.positions = array("q")
        self.made = array("q")
        self.states = bytearray()
        self.gravity = bytearray()
        self.homes = array("H")
        self.home_ids: list[str] = []
        """The home that each number of the column stands for."""
        self.targets = array("I")
        self.target_words: list[tuple[str, str]] = []
        """Kind and target that each number stands for."""
        self.groups = array("I")
        """What is about one thing has one number."""
        self.amounts = array("I")
        """How many open proposals each group has."""
        self._fill(outlines)
        self.places = {id: place for place, id in enumerate(self.ids)}

    def _fill(self, outlines: Iterable[Outline]) -> None:
        homes: dict[str, int] = {}
        targets: dict[tuple[str, str], int] = {}
        anchors: dict[int, int] = {}
        for one in outlines:
            self.ids.append(one.id)
            self.positions.append(one.position)
            self.made.append(one.made)
            code = _CODE[one.state]
            self.states.append(code)
            self.gravity.append(one.gravity)
            self.homes.append(homes.setdefault(one.home, len(homes)))
            target = (one.kind, one.target)
            self.targets.append(targets.setdefault(target, len(targets)))
            group = anchors.setdefault(hash(anchor(one)), len(anchors))
            if group == len(self.amounts):
                self.amounts.append(0)
            self.groups.append(group)
            self.amounts[group] += CODES[code].is_open
        self.home_ids, self.target_words = list(homes), list(targets)

    def of_home(self, home: str) -> bytes:
        """For each place, whether it is of this home."""
        number = self.home_ids.index(home) if home in self.home_ids else -1
        return bytes(map(number.__eq__, self.homes))

    def newer_than(self, other: Columns) -> int:
        """How many came since."""
        top = max(other.positions, default=0)
        return sum(1 for position in self.positions if position > top)


def ordered(columns: Columns, sort: Sort) -> list[int]:
    """All places in an order."""
    keys = _keys(columns, sort)
    places = range(len(keys))
    # Newest first is how the columns stand; a stable sort keeps that, or its reverse.
    if sort in (Sort.OLDEST, Sort.TARGET):
        places = places[::-1]
    return sorted(places, key=keys.__getitem__)


def _keys(columns: Columns, sort: Sort) -> list[int]:
    match sort:
        case Sort.RISK:
            return _by_risk(columns)
        case Sort.NEWEST:
            return [-made for made in columns.made]
        case Sort.OLDEST:
            return list(columns.made)
        case Sort.TARGET:
            return _by_target(columns)


def _by_risk(columns: Columns) -> list[int]:
    """The gravest first; what is about one thing stands together, where its gravest stands."""
    rank = [_ORDER.get(state, 9) for state in CODES]
    ready = CODES.index(State.READY)
    own = [
        ((1 if code == ready and gravity >= DANGEROUS else rank[code]) << 3 | 7 - gravity) << 40
        | (1 << 40) - 1 - position
        for code, gravity, position in zip(
            columns.states, columns.gravity, columns.positions, strict=True
        )
    ]
    first = [1 << 60] * len(columns.amounts)
    for group, key in zip(columns.groups, own, strict=True):
        first[group] = min(first[group], key)
    return [first[group] << 60 | key for group, key in zip(columns.groups, own, strict=True)]


def _by_target(columns: Columns) -> list[int]:
    words = columns.target_words
    rank = {
        number: at for at, number in enumerate(sorted(range(len(words)), key=words.__getitem__))
    }
    return [rank[number] for number in columns.targets]
