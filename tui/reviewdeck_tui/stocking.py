"""Reading the queue: through either reader, a page or all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

from reviewdeck.cli.situation import budgets_of
from reviewdeck.model import QueueItem, State
from reviewdeck.ports import Filter, Home, QueueReader
from reviewdeck_tui.board import Stock
from reviewdeck_tui.shelf import Shelf

FIRST_PAGE: Final = 200
PAGE: Final = 1_000
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
    return Stock(Shelf(page), homes=homes, states=counts.by_state, draft_count=counts.drafts)


def read_stock(reader: QueueReader, homes: Sequence[Home]) -> Stock:
    """All that waits, and the newest of what is decided."""
    ids = tuple(home.id for home in homes)
    waiting = _pages(reader, Filter(ids, OPEN), None)
    decided = _pages(reader, Filter(ids, DECIDED), MOST_DECIDED)
    counts = reader.counts(ids)
    return Stock(
        shelf=Shelf([*waiting, *decided]).warm(),
        homes=told_apart({home.id: home.name for home in homes}),
        budgets={home.id: _budgets(home) for home in homes},
        states=counts.by_state,
        draft_count=counts.drafts,
    )


def _budgets(home: Home) -> list[tuple[str, int, int]]:
    return [
        (one.document.rpartition("/")[2].removesuffix(".md"), one.used, one.limit)
        for one in budgets_of(home)
    ]


def _pages(reader: QueueReader, wanted: Filter, most: int | None) -> list[QueueItem]:
    found: list[QueueItem] = []
    while most is None or len(found) < most:
        page = reader.page(wanted, after=found[-1].position if found else None, limit=PAGE)
        found += page
        if len(page) < PAGE:
            break
    return found
