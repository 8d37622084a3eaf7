"""The reading of the backlog: its first page, or all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from reviewdeck.engine.clusters import outlines_of
from reviewdeck.engine.written import written_items
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Allowance, Outline, QueueItem, State
from reviewdeck.model.ledger import Filter
from reviewdeck.ports import Home
from reviewdeck.presentation.situation import budgets_of
from reviewdeck_tui.home_names import names_of
from reviewdeck_tui.queue.items import ItemStore
from reviewdeck_tui.queue.view import Backlog, QueueView, arrange, headings_of

FIRST_PAGE: Final = 200
MOST_DECIDED: Final = 2_000
"""Decided proposals that the deck lists, newest first; `reviewdeck log` prints all of them."""

OPEN: Final = tuple(state for state in State if state.is_open)
DECIDED: Final = tuple(state for state in State if not state.is_open)


def read_first_page(reader: Ledger, homes: Mapping[str, str]) -> Backlog:
    """The backlog's first page, for the first paint: it reads no home."""
    page = reader.page(Filter(tuple(homes), OPEN), limit=FIRST_PAGE)
    counts = reader.counts(tuple(homes))
    return Backlog(
        ItemStore(page),
        homes=homes,
        states=counts.by_state,
        draft_count=counts.drafts,
        dangerous=counts.dangerous,
        oldest=counts.oldest_open,
    )


def read_backlog(ledger: Ledger, homes: Sequence[Home], patience: float | None = None) -> Backlog:
    """All open proposals, and the newest decided ones. `patience` is that of a store."""
    ids = tuple(home.id for home in homes)
    counts = ledger.counts(ids)
    backlog = Backlog(
        store=ItemStore(LedgerSource(ledger, ids), patience),
        homes=names_of(homes),
        budgets={home.id: _budgets(home) for home in homes},
        states=counts.by_state,
        draft_count=counts.drafts,
        dangerous=counts.dangerous,
        oldest=counts.oldest_open,
    )
    view = QueueView()
    headings_of(arrange(backlog, view), backlog, view, str)  # in a worker: a screen finds it ready
    return backlog


class LedgerSource:
    """The proposals of a store, from the ledger."""

    def __init__(self, ledger: Ledger, homes: tuple[str, ...]) -> None:
        self._ledger = ledger
        self._homes = homes

    def outlines(self) -> Iterator[Outline]:
        """All open proposals, and the newest decided ones."""
        yield from outlines_of(self._ledger, Filter(self._homes, OPEN))
        decided = outlines_of(self._ledger, Filter(self._homes, DECIDED))
        yield from islice(decided, MOST_DECIDED)

    def items(self, ids: Sequence[str]) -> Sequence[QueueItem]:
        """The items with these ids."""
        return written_items(self._ledger, self._ledger.items(ids))


def _budgets(home: Home) -> list[tuple[str, Allowance]]:
    return [(budget.label.removesuffix(".md"), budget.allowance) for budget in budgets_of(home)]
