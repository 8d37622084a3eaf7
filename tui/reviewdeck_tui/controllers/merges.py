"""The conflicts of the queue one after the other, and what gives way to the result of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck.presentation.words import count
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.controllers.host import Host
from reviewdeck_tui.queue.items import QueueItems
from reviewdeck_tui.queue.view import Stock


class QueueHost(Host, Protocol):
    """A screen that shows a queue."""

    @property
    def items(self) -> QueueItems:
        """What the queue shows, in order."""
        ...


class Merges:
    """Knows which conflict comes next, and drafts a result with what it supersedes."""

    def __init__(
        self, host: QueueHost, drafts: DraftController, restock: Callable[[Stock, str], None]
    ) -> None:
        self._host = host
        self._drafts = drafts
        self._restock = restock
        self._following: tuple[str, tuple[QueueItem, ...]] = ("", ())
        """The proposal that is merged for its cluster, and what gives way to its result."""

    def for_cluster(self, winner: QueueItem, others: tuple[QueueItem, ...]) -> None:
        """The merge of this one is for its cluster: the others give way to its result."""
        self._following = (winner.id, others)

    def neighbour(self, id: str, step: int) -> QueueItem | None:
        """The next conflict of the queue, or the one before."""
        items = self._host.items
        place = items.place_of(id)
        if place is None:
            return None
        ahead = range(place + step, len(items.ids) if step > 0 else -1, step)
        return next(self._conflicts(ahead), None)

    def undrafted(self, id: str) -> QueueItem | None:
        """A conflict without a draft: the next one, else the first."""
        items = self._host.items
        here = items.place_of(id)
        place = -1 if here is None else here
        places = chain(range(place + 1, len(items)), range(max(0, place)))
        found = self._conflicts(places)
        return next((item for item in found if self._drafts.of(item.id) is None), None)

    def _conflicts(self, places: Iterable[int]) -> Iterator[QueueItem]:
        """The conflicts at these places of the queue."""
        items, shelf = self._host.items, self._host.stock.shelf
        for place in places:
            if shelf.state_of(items.ids[place]) is State.CONFLICT:
                yield items[items.ids[place]]

    def giving_way(self, id: str) -> Sequence[str]:
        """The proposals that give way to the result of this one's merge."""
        winner, others = self._following
        return [one.id for one in others] if winner == id else []

    def drafted(self, draft: Draft, stock: Stock, said: str) -> None:
        """A result was drafted, or a rejection or deferral in its place: one step to take back."""
        followers = self.giving_way(draft.proposal) if draft.verb is Verb.MERGE else ()
        if followers:
            said = f"The merge is drafted, {others_words(self._following[1])} it. {ALL_BACK}"
        self._drafts.remember((draft, *(stock.drafts[id] for id in followers)))
        self._restock(stock, said)
        self._following = ("", ())


ALL_BACK = "z takes all of it back."


def others_words(items: Sequence[QueueItem]) -> str:
    """``2 proposals are superseded by``."""
    amount = len(items)
    return f"{count(amount, 'proposal')} {'is' if amount == 1 else 'are'} superseded by"
