"""The way from the queue to the merge screen and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from textual import on

from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck_tui.board import Stock
from reviewdeck_tui.messages import MergeOpened, Stocked
from reviewdeck_tui.screens.drafting import Drafting

if TYPE_CHECKING:
    from reviewdeck_tui.screens.merge import MergeScreen


class Resolving(Drafting):
    """Opens merges, and knows which conflict comes next."""

    _merge: MergeScreen | None = None

    def decide_merge(self) -> None:
        """The merge of a conflict; for a dead one, at its likely new place."""
        item = self.current
        if item is None or not item.state.is_open or item.state is State.QUARANTINED:
            self.say("There is nothing to merge here.")
            return
        self.work(lambda: MergeOpened(self.bench.open_merge(item.id)))

    def decide_own_text(self) -> None:
        """Of a conflict, the editor of its merge: what is left open is kept there."""
        item = self.current
        if item is not None and item.state is State.CONFLICT:
            self.work(lambda: MergeOpened(self.bench.open_merge(item.id), to_write=True))
        else:
            super().decide_own_text()

    @on(MergeOpened)
    def _open_merge(self, event: MergeOpened) -> None:
        from reviewdeck_tui.screens.merge import MergeScreen

        if self.app.screen is not self:
            return  # Something else came to the front while it was worked out.
        screen = self._merge = MergeScreen(self.open_bench, self, event.shown)
        screen.is_to_write = event.to_write
        self.app.push_screen(screen, self._merge_ended)

    def _merge_ended(self, word: str | None) -> None:
        screen, self._merge = self._merge, None
        item = self.items.get(screen.session.shown.id) if screen is not None else None
        if item is None:
            return
        self.queue.move_to(item.id, by_key=True)
        if word == "summary":
            self.call_later(self.run_action, "summary")
        elif word == "drafted":
            self.advance()

    # What the merge screen asks for.

    def edit_text(self, text: str, document: str) -> str | None:
        """Lets the operator edit a text."""
        return self.edit(text, document)

    def neighbour(self, id: str, step: int) -> QueueItem | None:
        """The next conflict of the queue, or the one before."""
        ids, place = self.items.ids, self.items.place_of(id)
        if place is None:
            return None
        ahead = range(place + step, len(ids) if step > 0 else -1, step)
        return next(self._conflicts(ahead), None)

    def undrafted(self, id: str) -> QueueItem | None:
        """A conflict without a draft: the next one, else the first."""
        here = self.items.place_of(id)
        place = -1 if here is None else here
        places = chain(range(place + 1, len(self.items)), range(max(0, place)))
        found = self._conflicts(places)
        return next((item for item in found if item.id not in self.stock.drafts), None)

    def _conflicts(self, places: Iterable[int]) -> Iterator[QueueItem]:
        """The conflicts at these places of the queue."""
        ids, shelf = self.items.ids, self.stock.shelf
        for place in places:
            if shelf.state_of(ids[place]) is State.CONFLICT:
                yield self.items[ids[place]]

    def giving_way(self, id: str) -> Sequence[str]:
        """The proposals that give way to the result of this one's merge."""
        return ()

    def merged(self, draft: Draft, stock: Stock, said: str) -> None:
        """Something was drafted there: `z` takes it back, and what gives way to a result."""
        follows = self.giving_way(draft.proposal) if draft.verb is Verb.MERGE else ()
        ids = (draft.proposal, *follows)
        self.step({id: self.draft_of(id) for id in ids})
        self.post_message(Stocked(stock, said))
        self.stock = stock

    def clock(self) -> datetime:
        """The time of day."""
        return self.now()

    def look_again_below(self) -> None:
        """The home moved while a merge is in front."""
        if self._merge is not None:
            self._merge.look_again()
