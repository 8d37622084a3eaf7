"""The queue as columns of numbers, and its orders. Pure.

An object takes two kilobytes a proposal, the columns a tenth of one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final

from reviewdeck.engine.clusters import subject_key
from reviewdeck.model import Outline, State
from reviewdeck.presentation.sections import Section, section_of
from reviewdeck_tui.queue.packed import Texts


class Sort(StrEnum):
    """An order of the queue."""

    RISK = "risk"
    NEWEST = "newest"
    OLDEST = "oldest"
    TARGET = "target"


CODES: Final = tuple(State)
"""The state for each number of the column."""
DANGEROUS: Final = 3
"""The gravity from which a proposal is decided alone."""

_CODE: Final = {state.value: code for code, state in enumerate(CODES)}
_SECTIONS: Final = {
    dangerous: bytes(section_of(state, dangerous=dangerous) for state in CODES)
    for dangerous in (False, True)
}
"""The section for each number of a state."""


class QueueColumns:
    """The columns of all proposals, newest first."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self.ids = Texts()
        self.positions = array("q")
        self.made = array("q")
        self.states = bytearray()
        self.gravity = bytearray()
        self.sections = bytearray()
        """The section of each proposal, as its number."""
        self.homes = array("H")
        self.home_ids: list[str] = []
        """The home for each number of the column."""
        self.targets = array("I")
        self.target_words: list[tuple[str, str]] = []
        """Kind and target for each number of the column."""
        self.groups = array("I")
        """The same number for proposals about the same thing."""
        self.amounts = array("I")
        """The number of open proposals in each group."""
        self._fill(outlines)
        self._index = _Index(self.ids)

    def place_of(self, id: str) -> int | None:
        """The place of a proposal; None if it is not in the queue."""
        return self._index.find(id)

    def _fill(self, outlines: Iterable[Outline]) -> None:
        homes: dict[str, int] = {}
        targets: dict[tuple[str, str], int] = {}
        anchors = array("q")
        for outline in outlines:
            self.ids.append(outline.id)
            self.positions.append(outline.position)
            self.made.append(outline.created)
            self.states.append(_CODE[outline.state])
            self.gravity.append(outline.gravity)
            is_dangerous = outline.gravity >= DANGEROUS
            self.sections.append(_SECTIONS[is_dangerous][self.states[-1]])
            self.homes.append(homes.setdefault(outline.home, len(homes)))
            target = (outline.kind, outline.target)
            self.targets.append(targets.setdefault(target, len(targets)))
            anchors.append(hash(subject_key(outline)))
        self.home_ids, self.target_words = list(homes), list(targets)
        self._group(anchors)

    def _group(self, anchors: array[int]) -> None:
        """Numbers equal anchors. A dictionary of them would be the largest thing here."""
        is_open = bytes(state.is_open for state in CODES)
        self.groups = array("I", bytes(4 * len(anchors)))
        last: int | None = None
        for place in sorted(range(len(anchors)), key=anchors.__getitem__):
            if anchors[place] != last:
                last = anchors[place]
                self.amounts.append(0)
            self.groups[place] = len(self.amounts) - 1
            self.amounts[-1] += is_open[self.states[place]]

    @cached_property
    def not_outdated(self) -> bytes:
        """For each place, whether it is not outdated."""
        return bytes(self.sections.translate(bytes(n != Section.OUTDATED for n in range(256))))

    def of_home(self, home: str) -> bytes:
        """For each place, whether it is of this home."""
        number = self.home_ids.index(home) if home in self.home_ids else -1
        return bytes(map(number.__eq__, self.homes))

    def newer_than(self, earlier: QueueColumns) -> int:
        """The number of proposals that are newer than all of another index."""
        top = max(earlier.positions, default=0)
        return sum(1 for position in self.positions if position > top)


class _Index:
    """Finds ids by their sorted hashes: a dictionary takes five times the memory."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids
        hashes = array("q", map(hash, ids))
        self._places = array("I", sorted(range(len(ids)), key=hashes.__getitem__))
        self._hashes = array("q", map(hashes.__getitem__, self._places))

    def find(self, id: str) -> int | None:
        """The place of an id; None if there is none."""
        target = hash(id)
        at = bisect_left(self._hashes, target)
        while at < len(self._hashes) and self._hashes[at] == target:
            if self._ids[self._places[at]] == id:
                return self._places[at]
            at += 1
        return None


def sort_places(columns: QueueColumns, sort: Sort) -> list[int]:
    """All places in an order."""
    keys = _keys(columns, sort)
    places = range(len(keys))
    # The columns are newest first; a stable sort keeps that, or its reverse.
    if sort in (Sort.OLDEST, Sort.TARGET):
        places = places[::-1]
    return sorted(places, key=keys.__getitem__)


def _keys(columns: QueueColumns, sort: Sort) -> list[int]:
    match sort:
        case Sort.RISK:
            return _by_risk(columns)
        case Sort.NEWEST:
            return [-made for made in columns.made]
        case Sort.OLDEST:
            return list(columns.made)
        case Sort.TARGET:
            return _by_target(columns)


def _by_risk(columns: QueueColumns) -> list[int]:
    """By section, in it the gravest first; proposals of a section about the same thing stay
    together, at the gravest of them."""
    own = [
        (7 - gravity) << 40 | (1 << 40) - 1 - position
        for gravity, position in zip(columns.gravity, columns.positions, strict=True)
    ]
    # The section in front of the cluster: a key for each pair of them that occurs.
    pairs = [
        group << 4 | section
        for group, section in zip(columns.groups, columns.sections, strict=True)
    ]
    first = dict[int, int]()
    for pair, key in zip(pairs, own, strict=True):
        first[pair] = min(first.get(pair, key), key)
    return [
        section << 120 | first[pair] << 60 | key
        for section, pair, key in zip(columns.sections, pairs, own, strict=True)
    ]


def _by_target(columns: QueueColumns) -> list[int]:
    words = columns.target_words
    rank = {
        number: at for at, number in enumerate(sorted(range(len(words)), key=words.__getitem__))
    }
    return [rank[number] for number in columns.targets]
