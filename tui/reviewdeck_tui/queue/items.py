"""The items of the queue: an outline of each, and whole items only for what is visible.

A hundred thousand outlines are ordered and filtered in memory; the items that the screen shows are
fetched by pages. Ordering so many takes longer than a key press may: a worker does it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, cached_property, partial
from typing import Final, NamedTuple, Protocol

from reviewdeck.engine.clusters import subject_key
from reviewdeck.errors import LedgerUnavailable
from reviewdeck.model import Outline, QueueItem, Severity, State, gravity_of
from reviewdeck.model.ledger import Counts
from reviewdeck.presentation.sections import QueueSection, section_of
from reviewdeck_tui.patience import within

_CACHED: Final = 4_096
"""Items that stay cached."""
_PAGE: Final = 64
"""Items that are fetched together."""
_BEFORE: Final = 8
"""Items of a page before the requested one: a screen is read from its first line down."""
_LANES: Final = 10
"""Cached lanes: computing one of a long queue takes longer than a key press may."""
_STREAM: Final = 500
"""Items of a page when all are streamed."""
DANGEROUS: Final = Severity.HIGH.rank
"""The gravity from which a proposal is decided alone."""


class Sort(StrEnum):
    """An order of the queue."""

    RISK = "risk"
    NEWEST = "newest"
    OLDEST = "oldest"
    TARGET = "target"


class Source(Protocol):
    """The source of the proposals of a store."""

    def outlines(self) -> Iterator[Outline]:
        """All outlines, newest first, open proposals before decided ones."""

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """The items with these ids, in any order, without those that are gone."""


class MemorySource:
    """A source of items in memory."""

    def __init__(self, items: Iterable[QueueItem]) -> None:
        self._items = {item.id: item for item in items}

    def outlines(self) -> Iterator[Outline]:
        return map(outline_of, self._items.values())

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """The items with these ids."""
        return [self._items[id] for id in ids if id in self._items]


class Slice(NamedTuple):
    """A part of a store: proposals in these states that are in each of these sets."""

    states: Set[State]
    home: str | None = None
    ids: tuple[frozenset[str], ...] = ()
    folds: bool = False
    """Whether what is outdated is left out."""


class ItemStore(Mapping[str, QueueItem]):
    """Proposals by their ids, as they were at one moment."""

    def __init__(
        self, source: Source | Iterable[QueueItem] = (), patience: float | None = None
    ) -> None:
        """`patience` are the seconds that a fetch takes at most; None where it cannot hang."""
        self._source = MemorySource(source) if isinstance(source, Iterable) else source
        self._patience = patience
        self.outlines: Mapping[str, Outline] = {
            outline.id: outline for outline in self._source.outlines()
        }
        """The outlines by id, newest first."""
        self._clusters = Counter(
            subject_key(outline)
            for outline in self.outlines.values()
            if State(outline.state).is_open
        )
        self.search_texts: dict[str, str] = {}
        """By id, what the filter searches; it is filled by the first search."""
        self._counts: dict[str, Counts] = {}
        self._orders: dict[Sort, Sequence[Outline]] = {}
        self._lanes: dict[tuple[Sort, Slice], QueueItems] = {}
        self._cached: dict[str, QueueItem] = {}
        self._digests: dict[str, tuple[str | None, str]] = {}
        """By id, the stored digest and the one that it has now; see `note_digest`."""
        self.is_cut_off = False
        """Whether the ledger stopped answering: then items that were not fetched are missing."""

    def __len__(self) -> int:
        return len(self.outlines)

    def __iter__(self) -> Iterator[str]:
        return iter(self.outlines)

    def __contains__(self, id: object) -> bool:
        return id in self.outlines

    def __getitem__(self, id: str) -> QueueItem:
        """One item, fetched unless it is cached. Raises KeyError, also where it cannot be."""
        if id not in self:
            raise KeyError(id)
        if id not in self._cached:
            self._fetch([id])
        return self._cached[id]

    def state_of(self, id: str) -> State | None:
        """The state of a proposal; None if it is not in the store."""
        outline = self.outlines.get(id)
        return None if outline is None else State(outline.state)

    def counts_in(self, home: str) -> Counts:
        """The counts of one home; of what is decided, those that are in the store."""
        if home not in self._counts:
            outlines = [each for each in self.outlines.values() if each.home == home]
            states = Counter(State(outline.state) for outline in outlines)
            waiting = (each.created for each in outlines if State(each.state).is_open)
            oldest = min(waiting, default=None)
            grave = sum(
                outline.state == State.LIVE.value and outline.gravity >= DANGEROUS
                for outline in outlines
            )
            at = None if oldest is None else datetime.fromtimestamp(oldest / 1e6, UTC)
            self._counts[home] = Counts(dict(states), 0, at, grave)
        return self._counts[home]

    def cluster_size(self, id: str) -> int:
        """The number of open proposals about the same thing; 1 for an unknown id."""
        outline = self.outlines.get(id)
        return 1 if outline is None else self._clusters[subject_key(outline)]

    @cached_property
    def newest(self) -> int:
        """The position of the newest proposal; 0 if there is none."""
        return max((outline.position for outline in self.outlines.values()), default=0)

    def order(self, sort: Sort) -> Sequence[Outline]:
        if sort not in self._orders:
            self._orders[sort] = _sorted(list(self.outlines.values()), sort)
        return self._orders[sort]

    def lane(self, sort: Sort, part: Slice) -> QueueItems:
        """The items of a part, in an order. The latest lanes are cached."""
        key = (sort, part)
        if key not in self._lanes:
            states = {state.value for state in part.states}
            lane = [outline for outline in self.order(sort) if outline.state in states]
            if part.home is not None:
                lane = [outline for outline in lane if outline.home == part.home]
            if part.folds:
                outdated = QueueSection.OUTDATED
                lane = [outline for outline in lane if section_of_outline(outline) is not outdated]
            ids = [outline.id for outline in lane]
            for wanted in part.ids:
                ids = [id for id in ids if id in wanted]
            while len(self._lanes) >= _LANES:
                self._lanes.pop(next(iter(self._lanes)), None)
            self._lanes[key] = QueueItems(self, ids)
        return self._lanes[key]

    def fetch_near(self, ids: Sequence[str], at: int) -> QueueItem | None:
        """The item at a place of a list of ids, fetched with its neighbours.

        None if it is gone, or the ledger does not answer.
        """
        id = ids[at]
        if id not in self._cached:
            start = max(0, at - _BEFORE)
            self._fetch(ids[start : start + _PAGE])
        return self._cached.get(id)

    def stream(self, ids: Sequence[str]) -> Iterator[QueueItem]:
        """The items in order, without caching them."""
        for start in range(0, len(ids), _STREAM):
            yield from map(self._current, self._source.items(ids[start : start + _STREAM]))

    def note_digest(self, item: QueueItem, digest: str) -> None:
        """Notes the digest that a proposal has now, where its machine has not evaluated it again.

        So it is with all that is about a document for which something is approved there.
        """
        stored, _ = self._digests.get(item.id, (item.digest, ""))
        self._digests[item.id] = stored, digest
        if item.id in self._cached:
            self._cached[item.id] = replace(item, digest=digest)

    def take_digests(self, earlier: ItemStore) -> None:
        """Takes over what was noted in an earlier store, as far as it was not evaluated since."""
        self._digests |= earlier._digests

    def _current(self, item: QueueItem) -> QueueItem:
        stored, now = self._digests.get(item.id, (item.digest, item.digest))
        return replace(item, digest=now) if stored == item.digest else item

    def _fetch(self, ids: Sequence[str]) -> None:
        if len(self._cached) > _CACHED:
            for id in list(self._cached)[: _CACHED // 2]:
                del self._cached[id]
        missing = [id for id in ids if id not in self._cached]
        if self.is_cut_off:
            return  # Asking again would hold the screen up; whoever polls makes another store.
        try:
            items = within(self._patience, partial(self._source.items, missing))
            found = map(self._current, items)
            self._cached.update((item.id, item) for item in found)
        except LedgerUnavailable:
            self.is_cut_off = True


class QueueItems(Mapping[str, QueueItem]):
    """The items of a lane by id, in the lane's order."""

    def __init__(self, store: ItemStore, ids: Sequence[str]) -> None:
        self._store = store
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self._lines

    def __getitem__(self, id: str) -> QueueItem:
        """One item. Raises KeyError."""
        if id not in self:
            raise KeyError(id)
        return self._store[id]

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        return {id: line for line, id in enumerate(self.ids)}

    @cached_property
    def section_counts(self) -> Mapping[QueueSection, int]:
        """The number of items in each section that has any, in the order of sections."""
        outlines = self._store.outlines
        counts = Counter(section_of_outline(outlines[id]) for id in self.ids)
        return {section: counts[section] for section in QueueSection if counts[section]}

    def at(self, place: int) -> QueueItem | None:
        """The item in a line; None if it is gone from the ledger, or that does not answer."""
        return self._store.fetch_near(self.ids, place)

    def place_of(self, id: str) -> int | None:
        """The line of an item; None if the lane does not show it."""
        return self._lines.get(id)

    def stream(self) -> Iterator[QueueItem]:
        """The items in order, by pages, without caching them."""
        return self._store.stream(self.ids)


def section_of_outline(outline: Outline) -> QueueSection:
    """The section of a proposal."""
    return _section_of(outline.state, outline.gravity >= DANGEROUS)


@cache
def _section_of(state: str, dangerous: bool) -> QueueSection:
    return section_of(State(state), dangerous=dangerous)


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
        gravity=gravity_of(item.findings),
        created=round(made.timestamp() * 1e6),
        origin=item.origin,
        source_id=item.source_id or "",
        session="",
        gist=item.gist,
        subject=item.subject,
        reason=item.reason,
        failing=item.checks.failing if item.checks is not None else (),
    )


def _sorted(outlines: list[Outline], sort: Sort) -> list[Outline]:
    """Outlines, newest first, in another order; a stable sort keeps that, or its reverse."""
    match sort:
        case Sort.RISK:
            return _by_risk(outlines)
        case Sort.NEWEST:
            return sorted(outlines, key=lambda outline: -outline.created)
        case Sort.OLDEST:
            return sorted(reversed(outlines), key=lambda outline: outline.created)
        case Sort.TARGET:
            return sorted(reversed(outlines), key=lambda outline: (outline.kind, outline.target))


def _by_risk(outlines: list[Outline]) -> list[Outline]:
    """By section, in it the gravest first; proposals of a section about the same thing stay
    together, at the gravest of them."""
    first = dict[tuple[int, tuple[str, ...]], tuple[int, int]]()
    own = [(-outline.gravity, -outline.position) for outline in outlines]
    pairs = [(int(section_of_outline(outline)), subject_key(outline)) for outline in outlines]
    for pair, key in zip(pairs, own, strict=True):
        if key < first.setdefault(pair, key):
            first[pair] = key
    ranks = [(pair[0], first[pair], key) for pair, key in zip(pairs, own, strict=True)]
    return [outlines[place] for place in sorted(range(len(outlines)), key=ranks.__getitem__)]
