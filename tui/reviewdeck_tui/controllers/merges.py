"""The queue's conflicts in order, and the proposals that the result of a merge supersedes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck.presentation.words import count
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.queue.view import Backlog

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen


class Merges:
    """Finds the next conflict, and drafts a result with what it supersedes."""

    def __init__(
        self, host: DeckScreen, drafts: DraftController, restock: Callable[[Backlog, str], None]
    ) -> None:
        self._host = host
        self._drafts = drafts
        self._restock = restock
        self._cluster: tuple[str, tuple[QueueItem, ...]] = ("", ())
        """The proposal that is merged for its cluster, and what its result supersedes."""

    def begin_cluster(self, winner: QueueItem, superseded: tuple[QueueItem, ...]) -> None:
        """Notes that this merge is for a cluster: its result supersedes the other members."""
        self._cluster = (winner.id, superseded)

    def neighbour(self, id: str, step: int) -> QueueItem | None:
        """The next conflict of the queue, or the one before."""
        items = self._host.items
        place = items.place_of(id)
        if place is None:
            return None
        ahead = range(place + step, len(items.ids) if step > 0 else -1, step)
        return next(self._conflicts(ahead), None)

    def next_undrafted(self, id: str) -> QueueItem | None:
        """The next conflict without a draft, else the first."""
        items = self._host.items
        current = items.place_of(id)
        place = -1 if current is None else current
        places = chain(range(place + 1, len(items)), range(max(0, place)))
        conflicts = self._conflicts(places)
        return next((item for item in conflicts if self._drafts.of(item.id) is None), None)

    def _conflicts(self, places: Iterable[int]) -> Iterator[QueueItem]:
        items, store = self._host.items, self._host.backlog.store
        for place in places:
            if store.state_of(items.ids[place]) is State.CONFLICT:
                yield items[items.ids[place]]

    def superseded_ids(self, id: str) -> Sequence[str]:
        """The proposals that the result of this one's merge supersedes."""
        winner, superseded = self._cluster
        return [item.id for item in superseded] if winner == id else []

    def record_draft(self, draft: Draft, backlog: Backlog, report: str) -> None:
        """Records a drafted result, or a rejection or deferral in its place, as one step."""
        followers = self.superseded_ids(draft.proposal) if draft.verb is Verb.MERGE else ()
        if followers:
            report = f"The merge is drafted, {superseded_words(self._cluster[1])} it. {ALL_BACK}"
        self._drafts.record((draft, *(backlog.drafts[id] for id in followers)))
        self._restock(backlog, report)
        self._cluster = ("", ())


ALL_BACK = "z undoes all of it."


def superseded_words(items: Sequence[QueueItem]) -> str:
    """``2 proposals are superseded by``."""
    amount = len(items)
    return f"{count(amount, 'proposal')} {'is' if amount == 1 else 'are'} superseded by"
