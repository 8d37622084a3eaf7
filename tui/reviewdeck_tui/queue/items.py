"""The items of the queue: columns of numbers for all, and whole items only for what is visible.

A hundred thousand proposals are kept as columns; the items that the screen shows are fetched
by pages. Building columns and orders takes longer than a key press may: a worker does it.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final, Protocol, overload

from reviewdeck.model import Outline, QueueItem, State
from reviewdeck.presentation.sections import Section
from reviewdeck_tui.queue.columns import CODES, QueueColumns, Sort, sort_places
from reviewdeck_tui.queue.filter import SearchTexts, search_texts_of
from reviewdeck_tui.queue.packed import Texts

_CACHED: Final = 4_096
"""Items that stay cached."""
_PAGE: Final = 64
"""Items that are fetched together."""
_BEFORE: Final = 8
"""Items of a page before the requested one: a screen is read from its first line down."""
_LANES: Final = 10
"""Cached lanes: computing one takes longer than a key press may."""
_STREAM: Final = 500
"""Items of a page when all are streamed."""


class Source(Protocol):
    """The source of the proposals of a store."""

    def outlines(self) -> Iterator[Outline]:
        """All outlines, newest first, open proposals before decided ones."""
        ...

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """The items with these ids, in any order, without those that are gone."""
        ...


class MemorySource:
    """A source of items in memory."""

    def __init__(self, items: Iterable[QueueItem]) -> None:
        self._items = {item.id: item for item in items}

    def outlines(self) -> Iterator[Outline]:
        """All outlines."""
        return map(outline_of, self._items.values())

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """The items with these ids."""
        return [self._items[id] for id in ids if id in self._items]


class ItemStore(Mapping[str, QueueItem]):
    """Proposals by their ids, as they were at one moment."""

    def __init__(self, source: Source | Iterable[QueueItem] = ()) -> None:
        self._source = MemorySource(source) if isinstance(source, Iterable) else source
        self.columns = QueueColumns(self._source.outlines())
        self._orders: dict[Sort, array[int]] = {}
        self._lanes: dict[tuple[Sort, bytes], array[int]] = {}
        self._search_texts: SearchTexts | None = None
        self._search_texts_lock = threading.Lock()
        self._cached: dict[str, QueueItem] = {}

    def __len__(self) -> int:
        return len(self.columns.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns.ids)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.columns.place_of(id) is not None

    def __getitem__(self, id: str) -> QueueItem:
        """One item, fetched unless it is cached. Raises KeyError."""
        if id not in self:
            raise KeyError(id)
        if id not in self._cached:
            self._fetch([id])
        return self._cached[id]

    @property
    def by_id(self) -> ItemStore:
        """The items by their ids."""
        return self

    def state_of(self, id: str) -> State | None:
        """The state of a proposal; None if it is not in the store."""
        place = self.columns.place_of(id)
        return None if place is None else CODES[self.columns.states[place]]

    def order(self, sort: Sort) -> array[int]:
        """The places of all items in an order."""
        if sort not in self._orders:
            self._orders[sort] = array("I", sort_places(self.columns, sort))
        return self._orders[sort]

    def places(self, sort: Sort, mask: bytes) -> array[int]:
        """The places of the items in the mask, in an order. The latest lanes are cached."""
        if 0 not in mask:  # All of them, as in a ledger without decisions.
            return self.order(sort)
        key = (sort, mask)
        places = self._lanes.get(key)
        if places is None:
            order = self.order(sort)
            places = array("I", compress(order, map(mask.__getitem__, order)))
            while len(self._lanes) >= _LANES:
                self._lanes.pop(next(iter(self._lanes)), None)
            self._lanes[key] = places
        return places

    def search_texts(
        self, homes: Mapping[str, str], is_over: Callable[[], bool]
    ) -> SearchTexts | None:
        """The texts that a filter searches; None when cancelled."""
        with self._search_texts_lock:
            if self._search_texts is None:
                self._search_texts = search_texts_of(
                    self._source.outlines(), self.columns, homes, is_over
                )
            return self._search_texts

    def warm(self) -> ItemStore:
        """Computes what the first screen needs."""
        self.order(Sort.RISK)
        return self

    def warm_all(self, homes: Mapping[str, str], is_over: Callable[[], bool]) -> None:
        """Computes what later keys need."""
        for sort in Sort:
            if not is_over():
                self.order(sort)
        self.search_texts(homes, is_over)

    def fetch_near(self, ids: Sequence[str], at: int) -> QueueItem | None:
        """The item at a place of a list of ids, fetched with its neighbours; None if it is gone."""
        id = ids[at]
        if id not in self._cached:
            start = max(0, at - _BEFORE)
            self._fetch(ids[start : start + _PAGE])
        return self._cached.get(id)

    def stream(self, ids: Sequence[str]) -> Iterator[QueueItem]:
        """The items in order, without caching them."""
        for start in range(0, len(ids), _STREAM):
            yield from self._source.items(ids[start : start + _STREAM])

    def _fetch(self, ids: Sequence[str]) -> None:
        if len(self._cached) > _CACHED:
            for id in list(self._cached)[: _CACHED // 2]:
                del self._cached[id]
        missing = [id for id in ids if id not in self._cached]
        self._cached.update((item.id, item) for item in self._source.items(missing))


class QueueItems(Mapping[str, QueueItem]):
    """The items of a lane by id, in the lane's order."""

    def __init__(self, store: ItemStore, places: array[int], mask: bytes) -> None:
        self._store = store
        self._places = places
        self._mask = mask
        self.ids: Sequence[str] = Ids(store.columns.ids, places)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, id: object) -> bool:
        place = self._store.columns.place_of(id) if isinstance(id, str) else None
        return place is not None and bool(self._mask[place])

    def __getitem__(self, id: str) -> QueueItem:
        """One item. Raises KeyError."""
        if id not in self:
            raise KeyError(id)
        return self._store[id]

    def at(self, place: int) -> QueueItem | None:
        """The item in a line; None if it is gone from the ledger."""
        return self._store.fetch_near(self.ids, place)

    def place_of(self, id: str) -> int | None:
        """The line of an item; None if the lane does not show it."""
        place = self._store.columns.place_of(id)
        return None if place is None or not self._mask[place] else self._places.index(place)

    def section_counts(self) -> dict[Section, int]:
        """The number of items in each section that has any, in the order of sections."""
        sections = bytes(compress(self._store.columns.sections, self._mask))
        counts = {section: sections.count(section) for section in Section}
        return {section: amount for section, amount in counts.items() if amount}

    def stream(self) -> Iterator[QueueItem]:
        """The items in order, by pages, without caching them."""
        return self._store.stream(self.ids)

    def cluster_size_at(self, place: int) -> int:
        """The number of open proposals about the same thing as the one in a line."""
        columns = self._store.columns
        return columns.amounts[columns.groups[self._places[place]]]

    def cluster_size(self, id: str) -> int:
        """The same by id, without a search for the line."""
        columns = self._store.columns
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
    """The outline of an item in memory, for ordering and filtering."""
    made = item.created_at or item.ingested_at
    return Outline(
        position=item.position,
        id=item.id,
        home=item.home,
        kind=item.kind.value,
        action=item.action,
        target=item.target,
        state=item.state.value,
        gravity=max((finding.severity.rank for finding in item.findings), default=0),
        created=round(made.timestamp() * 1e6),
        origin=item.origin,
        source_id=item.source_id or "",
        session="",
        gist=item.gist,
        subject=item.subject,
        reason=item.reason,
    )
