"""Reading the queue: through either reader, a page or all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Final

from reviewdeck.model import Allowance, Outline, QueueItem, State
from reviewdeck.ports import Filter, Home, QueueReader
from reviewdeck.presentation.situation import budgets_of
from reviewdeck.presentation.words import home_words
from reviewdeck_tui.queue.items import Shelf
from reviewdeck_tui.queue.view import Stock

FIRST_PAGE: Final = 200
PAGE: Final = 500
MOST_DECIDED: Final = 2_000
"""Decided proposals that the deck lists, newest first; `reviewdeck log` has all of them."""

OPEN: Final = tuple(state for state in State if state.is_open)
DECIDED: Final = tuple(state for state in State if not state.is_open)


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Home id to a name that no other home has: its folder, or all of its path, if need be."""
    taken = Counter(names.values())
    folder = {id: PurePath(id).name for id in names}
    folders = Counter(folder.values())
    return {
        id: name if taken[name] == 1 else folder[id] if folders[folder[id]] == 1 else id
        for id, name in names.items()
    }


def first_stock(reader: QueueReader, homes: Mapping[str, str]) -> Stock:
    """The first page, for the first paint: no home is read for it."""
    page = reader.page(Filter(tuple(homes), OPEN), limit=FIRST_PAGE)
    counts = reader.counts(tuple(homes))
    return Stock(
        Shelf(page),
        homes=homes,
        states=counts.by_state,
        draft_count=counts.drafts,
        dangerous=counts.dangerous,
        oldest=counts.oldest_open,
    )


def read_stock(reader: QueueReader, pages: QueueReader, homes: Sequence[Home]) -> Stock:
    """All that waits, and the newest of what is decided. `pages` brings what the screen shows."""
    ids = tuple(home.id for home in homes)
    counts = reader.counts(ids)
    return Stock(
        shelf=Shelf(LedgerSource(reader, pages, ids)).warm(),
        homes=told_apart({home.id: home_words(home.name, home.kind) for home in homes}),
        budgets={home.id: _budgets(home) for home in homes},
        states=counts.by_state,
        draft_count=counts.drafts,
        dangerous=counts.dangerous,
        oldest=counts.oldest_open,
    )


class LedgerSource:
    """A shelf's proposals, from the ledger."""

    def __init__(self, reader: QueueReader, pages: QueueReader, homes: tuple[str, ...]) -> None:
        self._reader = reader
        self._pages = pages
        self._homes = homes

    def outlines(self) -> Iterator[Outline]:
        """All that waits, and the newest of what is decided."""
        yield from self._of(Filter(self._homes, OPEN))
        yield from islice(self._of(Filter(self._homes, DECIDED)), MOST_DECIDED)

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """Some of them."""
        return self._pages.items(ids)

    def _of(self, wanted: Filter) -> Iterator[Outline]:
        after: int | None = None
        while page := self._reader.outlines(wanted, after=after, limit=PAGE):
            yield from page
            after = page[-1].position
            if len(page) < PAGE:
                return


def _budgets(home: Home) -> list[tuple[str, Allowance]]:
    return [(one.label.removesuffix(".md"), one.allowance) for one in budgets_of(home)]
