"""Everything that is in the queue: all of it in order, the items themselves only where one looks.

A hundred thousand proposals are kept as columns of numbers; what the screen shows of them is
fetched by pages. Building columns and orders takes longer than a key press may: a worker does it.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final, Protocol, overload

from reviewdeck.model import Outline, QueueItem, State
from reviewdeck_tui.queue.columns import CODES, QueueIndex, Sort, ordered
from reviewdeck_tui.queue.filter import Hay, hay_of
from reviewdeck_tui.queue.packed import Texts

_KEPT: Final = 4_096
"""Items that are kept once they were fetched."""
_PAGE: Final = 64
"""Items that are fetched together, around the one that is wanted."""
_BEFORE: Final = 8
"""How many of them stand before it: a screen is read from its first line down."""
_LANES: Final = 10
"""Lanes in an order that are kept: going through all of it again takes longer than a key may."""
_STREAM: Final = 500
"""Items that are fetched together when all are gone through."""


class Source(Protocol):
    """Where a shelf has its proposals from."""

    def outlines(self) -> Iterator[Outline]:
        """All of them, newest first, those that wait before those that are decided."""
        ...

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """Some of them, in any order; those that are gone are left out."""
        ...


class HeldItems:
    """A source of items that are in memory."""

    def __init__(self, items: Iterable[QueueItem]) -> None:
        self._items = {item.id: item for item in items}

    def outlines(self) -> Iterator[Outline]:
        """All of them."""
        return map(outline_of, self._items.values())

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """Some of them."""
        return [self._items[id] for id in ids if id in self._items]


class Shelf(Mapping[str, QueueItem]):
    """Proposals by their ids, as they were at one moment."""

    def __init__(self, source: Source | Iterable[QueueItem] = ()) -> None:
        self._source = HeldItems(source) if isinstance(source, Iterable) else source
        self.columns = QueueIndex(self._source.outlines())
        self._orders: dict[Sort, array[int]] = {}
        self._lanes: dict[tuple[Sort, bytes], array[int]] = {}
        self._hay: Hay | None = None
        self._making_hay = threading.Lock()
        self._kept: dict[str, QueueItem] = {}

    def __len__(self) -> int:
        return len(self.columns.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns.ids)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.columns.place_of(id) is not None

    def __getitem__(self, id: str) -> QueueItem:
        """One item; it is fetched when it was not looked at lately. Raises KeyError."""
        if id not in self:
            raise KeyError(id)
        if id not in self._kept:
            self._fetch([id])
        return self._kept[id]

    @property
    def by_id(self) -> Shelf:
        """Each item by its id."""
        return self

    def state_of(self, id: str) -> State | None:
        """Where a proposal stands; None for one that is not here."""
        place = self.columns.place_of(id)
        return None if place is None else CODES[self.columns.states[place]]

    def order(self, sort: Sort) -> array[int]:
        """The places of all items in an order."""
        if sort not in self._orders:
            self._orders[sort] = array("I", ordered(self.columns, sort))
        return self._orders[sort]

    def places(self, sort: Sort, there: bytes) -> array[int]:
        """Those of an order that are there: a byte for each place says so. The last are kept."""
        if 0 not in there:  # Everything, as in a ledger in which nothing is decided yet.
            return self.order(sort)
        key = (sort, there)
        found = self._lanes.get(key)
        if found is None:
            order = self.order(sort)
            found = array("I", compress(order, map(there.__getitem__, order)))
            while len(self._lanes) >= _LANES:
                self._lanes.pop(next(iter(self._lanes)), None)
            self._lanes[key] = found
        return found

    def hay(self, homes: Mapping[str, str], is_over: Callable[[], bool]) -> Hay | None:
        """What a filter looks through; None when nobody waits for it any more."""
        with self._making_hay:
            if self._hay is None:
                self._hay = hay_of(self._source.outlines(), self.columns, homes, is_over)
            return self._hay

    def warm(self) -> Shelf:
        """Works out what the first look needs."""
        self.order(Sort.RISK)
        return self

    def warm_all(self, homes: Mapping[str, str], is_over: Callable[[], bool]) -> None:
        """Works out what later keys need."""
        for sort in Sort:
            if not is_over():
                self.order(sort)
        self.hay(homes, is_over)

    def near(self, ids: Sequence[str], at: int) -> QueueItem | None:
        """The item at a place in a list of ids, fetched with those around it; None when gone."""
        id = ids[at]
        if id not in self._kept:
            start = max(0, at - _BEFORE)
            self._fetch(ids[start : start + _PAGE])
        return self._kept.get(id)

    def stream(self, ids: Sequence[str]) -> Iterator[QueueItem]:
        """Items in order, none of which is kept."""
        for start in range(0, len(ids), _STREAM):
            yield from self._source.items(ids[start : start + _STREAM])

    def _fetch(self, ids: Sequence[str]) -> None:
        if len(self._kept) > _KEPT:
            for id in list(self._kept)[: _KEPT // 2]:
                del self._kept[id]
        wanted = [id for id in ids if id not in self._kept]
        self._kept.update((item.id, item) for item in self._source.items(wanted))


class QueueItems(Mapping[str, QueueItem]):
    """What a lane shows: items by id, in the order of the lane."""

    def __init__(self, shelf: Shelf, places: array[int], there: bytes) -> None:
        self._shelf = shelf
        self._places = places
        self._there = there
        self.ids: Sequence[str] = Ids(shelf.columns.ids, places)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, id: object) -> bool:
        place = self._shelf.columns.place_of(id) if isinstance(id, str) else None
        return place is not None and bool(self._there[place])

    def __getitem__(self, id: str) -> QueueItem:
        """One item. Raises KeyError."""
        if id not in self:
            raise KeyError(id)
        return self._shelf[id]

    def at(self, place: int) -> QueueItem | None:
        """The item in a line; None when it is gone from the ledger."""
        return self._shelf.near(self.ids, place)

    def place_of(self, id: str) -> int | None:
        """The line of an item; None when it is not shown."""
        place = self._shelf.columns.place_of(id)
        return None if place is None or not self._there[place] else self._places.index(place)

    def stream(self) -> Iterator[QueueItem]:
        """All items in order, by pages; none of them is kept."""
        return self._shelf.stream(self.ids)

    def cluster_of(self, place: int) -> int:
        """How many open proposals are about the same as the one in a line."""
        columns = self._shelf.columns
        return columns.amounts[columns.groups[self._places[place]]]

    def alike(self, id: str) -> int:
        """The same by its id, for which its line need not be looked for."""
        columns = self._shelf.columns
        place = columns.place_of(id)
        return 1 if place is None else columns.amounts[columns.groups[place]]


class Ids(Sequence[str]):
    """Ids in an order, without a list of their own."""

    def __init__(self, ids: Texts, places: array[int]) -> None:
        self._ids = ids
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return list(self._ids.of(self._places[at]))
        return self._ids[self._places[at]]

    def __iter__(self) -> Iterator[str]:
        return self._ids.of(self._places)


def outline_of(item: QueueItem) -> Outline:
    """What ordering and filtering need of an item that is in memory."""
    made = item.created_at or item.ingested_at
    return Outline(
        position=item.position,
        id=item.id,
        home=item.home,
        kind=item.kind.value,
        action=item.action,
        target=item.target,
        state=item.state.value,
        gravity=max((one.severity.rank for one in item.findings), default=0),
        made=round(made.timestamp() * 1e6),
        origin=item.origin,
        source_id=item.source_id or "",
        session="",
        gist=item.gist,
        subject=item.subject,
        reason=item.reason,
    )
