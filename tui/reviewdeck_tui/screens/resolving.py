"""The way from the queue to the merge screen and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual import on

from reviewdeck.model import Draft, QueueItem, State
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

    @on(MergeOpened)
    def _open_merge(self, event: MergeOpened) -> None:
        from reviewdeck_tui.screens.merge import MergeScreen

        if self.app.screen is not self:
            return  # Something else came to the front while it was worked out.
        screen = self._merge = MergeScreen(self.open_bench, self, event.shown)
        self.app.push_screen(screen, self._merge_ended)

    def _merge_ended(self, word: str | None) -> None:
        screen, self._merge = self._merge, None
        item = self.items.get(screen.session.shown.id) if screen is not None else None
        if item is None:
            return
        self.queue.move_to(item.id, by_key=True)
        if word == "summary":
            self.call_later(self.run_action, "summary")
        elif word in ("reject", "defer"):
            self.turn_down(item, word)

    # What the merge screen asks for.

    def edit_text(self, text: str, document: str) -> str | None:
        """Lets the operator edit a text."""
        return self.edit(text, document)

    def neighbour(self, id: str, step: int) -> QueueItem | None:
        """The next conflict of the queue, or the one before."""
        found = self._conflicts(id)
        ids = [item.id for item in found]
        place = ids.index(id) + step if id in ids else -1
        return found[place] if 0 <= place < len(found) else None

    def undrafted(self, id: str) -> QueueItem | None:
        """A conflict without a draft: the next one, else the first."""
        found = self._conflicts(id)
        here = next((at for at, item in enumerate(found) if item.id == id), -1)
        for item in (*found[here + 1 :], *found[: max(0, here)]):
            if item.id not in self.stock.drafts:
                return item
        return None

    def _conflicts(self, id: str) -> Sequence[QueueItem]:
        """In the order of the queue; the one that is looked at stands where it stood."""
        shown = self.items.values()
        return [item for item in shown if item.state is State.CONFLICT or item.id == id]

    def merged(self, draft: Draft, stock: Stock, said: str) -> None:
        """A result was drafted: `z` in the queue takes it back."""
        self.step({draft.proposal: self.draft_of(draft.proposal)})
        self.post_message(Stocked(stock, said))
        self.stock = stock

    def clock(self) -> datetime:
        """The time of day."""
        return self.now()

    def look_again_below(self) -> None:
        """The home moved while a merge is in front."""
        if self._merge is not None:
            self._merge.look_again()
