"""The items of the queue with everything that is worked out from them once. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final

from reviewdeck.cli.words import is_dangerous, made_at
from reviewdeck.model import Kind, QueueItem, State
from reviewdeck_tui.filtering import STEP, haystack


class Sort(StrEnum):
    """An order of the queue."""

    RISK = "risk"
    NEWEST = "newest"
    OLDEST = "oldest"
    TARGET = "target"


Anchor = tuple[str, ...]
"""What a proposal is about: two with one anchor repeat each other, or fight."""

_ORDER: Final = {
    State.REFUSED: 0,
    State.CONFLICT: 2,
    State.READY: 3,
    State.DEAD: 4,
    State.QUARANTINED: 5,
    State.DEFERRED: 6,
}


class Shelf:
    """Items that stay as they are. Orders, clusters and haystacks are made when first asked for.

    A worker asks first: with a hundred thousand items that takes longer than a key press may.
    """

    def __init__(self, items: Sequence[QueueItem] = ()) -> None:
        self.items = tuple(items)
        self._ordered: dict[Sort, tuple[QueueItem, ...]] = {}
        self._hay: list[tuple[str, str]] | None = None

    @cached_property
    def by_id(self) -> dict[str, QueueItem]:
        """Each item by its id."""
        return {item.id: item for item in self.items}

    @cached_property
    def anchors(self) -> dict[str, Anchor]:
        """What each item is about."""
        return {item.id: anchor(item) for item in self.items}

    @cached_property
    def amounts(self) -> dict[Anchor, int]:
        """How many open proposals share an anchor."""
        amounts: dict[Anchor, int] = {}
        for item in self.items:
            if item.state.is_open:
                key = self.anchors[item.id]
                amounts[key] = amounts.get(key, 0) + 1
        return amounts

    def ordered(self, sort: Sort) -> tuple[QueueItem, ...]:
        """All items in an order."""
        if sort not in self._ordered:
            self._ordered[sort] = tuple(self._sorted(sort))
        return self._ordered[sort]

    def hay(
        self, homes: Mapping[str, str], is_over: Callable[[], bool]
    ) -> list[tuple[str, str]] | None:
        """Id and haystack of every item; None when nobody waits for it any more."""
        if self._hay is None:
            found: list[tuple[str, str]] = []
            for start in range(0, len(self.items), STEP):
                if is_over():
                    return None
                part = self.items[start : start + STEP]
                found += [(item.id, haystack(item, homes.get(item.home, ""))) for item in part]
            self._hay = found
        return self._hay

    def warm(self) -> Shelf:
        """Works out what the first look needs."""
        _ = self.by_id, self.amounts, self.ordered(Sort.RISK)
        return self

    def _sorted(self, sort: Sort) -> list[QueueItem]:
        match sort:
            case Sort.NEWEST:
                return sorted(
                    self.items, key=lambda item: (made_at(item), item.position), reverse=True
                )
            case Sort.OLDEST:
                return sorted(self.items, key=lambda item: (made_at(item), item.position))
            case Sort.TARGET:
                return sorted(self.items, key=lambda i: (i.kind, i.target, i.position))
            case Sort.RISK:
                return self._by_risk()

    def _by_risk(self) -> list[QueueItem]:
        """The gravest first; what is about one thing stands together, where its gravest stands."""
        own = {item.id: _risk(item) for item in self.items}
        first: dict[Anchor, tuple[int, int, int]] = {}
        for item in self.items:
            key = self.anchors[item.id]
            first[key] = min(first.get(key, own[item.id]), own[item.id])
        return sorted(self.items, key=lambda item: (first[self.anchors[item.id]], own[item.id]))


def anchor(item: QueueItem) -> Anchor:
    """What a proposal is about, as far as its summary says."""
    said = " ".join(item.summary.split())
    _, found, rest = said.partition(": old: ")
    if found:
        said = rest.partition(" new: ")[0]
    elif item.action == "remove":
        said = said.partition(": ")[2] or said
    elif item.kind is Kind.SKILLS or item.action == "batch":
        # The summary of a skill edit names the skill alone: nothing tells two of them apart.
        said = f"{item.action} {item.id}"
    return item.home, item.target, said.casefold()


def _risk(item: QueueItem) -> tuple[int, int, int]:
    gravity = max((one.severity.rank for one in item.findings), default=0)
    order = _ORDER.get(item.state, 9)
    if item.state is State.READY and is_dangerous(item):
        order = 1
    return order, -gravity, -item.position
