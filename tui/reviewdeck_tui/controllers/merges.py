"""Merges and clusters: their screens, the conflicts in order, and what a result supersedes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck.presentation.words import count
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.queue.view import Backlog

if TYPE_CHECKING:
    from reviewdeck_tui.merge.cluster import ClusterChoice, Member
    from reviewdeck_tui.merge.open import OpenMerge
    from reviewdeck_tui.screens.deck import DeckScreen
    from reviewdeck_tui.screens.merge import MergeScreen


class Merges:
    """Opens a merge or a cluster, finds the next conflict, drafts a result with its followers."""

    def __init__(
        self, host: DeckScreen, drafts: DraftController, restock: Callable[[Backlog, str], None]
    ) -> None:
        self._host = host
        self._drafts = drafts
        self._restock = restock
        self.screen: MergeScreen | None = None
        """The merge that is open."""
        self._cluster: tuple[str, tuple[QueueItem, ...]] = ("", ())
        """The proposal that is merged for its cluster, and what its result supersedes."""

    def open(self, item: QueueItem, *, to_write: bool = False) -> None:
        """Opens the merge of a proposal; with `to_write`, its editor at once."""
        deck = self._host

        def show(merge: OpenMerge) -> None:
            from reviewdeck_tui.screens.merge import MergeScreen

            if deck.app.screen is deck:  # Else another screen came to the front meanwhile.
                self.screen = MergeScreen(deck, merge, to_write=to_write)
                deck.app.push_screen(self.screen, self._leave)

        deck.work(lambda: deck.engine.open_merge(item.id), show)

    def _leave(self, word: str | None) -> None:
        deck, screen, self.screen = self._host, self.screen, None
        item = deck.items.get(screen.session.opened.id) if screen is not None else None
        if item is None:
            return
        deck.queue.move_to(item.id, by_key=True)
        if word == "summary":
            deck.call_later(deck.run_action, "summary")
        elif word == "drafted":
            deck.advance()

    def open_cluster(self, item: QueueItem) -> None:
        """Opens the proposals about the same thing, to draft one wording for all."""
        from reviewdeck_tui.merge.cluster import read_cluster

        show = partial(self._show_cluster, item.id)
        self._host.read(lambda engine: read_cluster(engine, item.id), show)

    def _show_cluster(self, current: str, members: tuple[Member, ...]) -> None:
        from reviewdeck_tui.screens.cluster import ClusterScreen

        deck = self._host
        if deck.app.screen is not deck:
            return
        if len(members) < 2:
            deck.say("No other waiting proposal is about the same thing.")
            return
        secrets = deck.shows_secrets
        screen = ClusterScreen(
            deck.open_engine, members, current, deck.guard, deck.now, secrets=secrets
        )
        deck.ask(screen, self._draft_cluster)

    def _draft_cluster(self, choice: ClusterChoice) -> None:
        if choice.to_merge:
            self._cluster = (choice.winner.id, choice.superseded)
            self.open(choice.winner)
            return
        from reviewdeck_tui.merge.cluster import drafts_of

        report = f"One wording drafted, {_superseded_words(choice.superseded)} it. {_ALL_BACK}"
        self._drafts.put(drafts_of(choice, self._host.now()), report)

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
            report = f"The merge is drafted, {_superseded_words(self._cluster[1])} it. {_ALL_BACK}"
        self._drafts.record((draft, *(backlog.drafts[id] for id in followers)))
        self._restock(backlog, report)
        self._cluster = ("", ())


_ALL_BACK = "z undoes all of it."


def _superseded_words(items: Sequence[QueueItem]) -> str:
    """``2 proposals are superseded by``."""
    amount = len(items)
    return f"{count(amount, 'proposal')} {'is' if amount == 1 else 'are'} superseded by"
