"""The way from the queue to a cluster and back: one draft of several parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on

from reviewdeck.cli.words import count
from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck_tui.board import Stock
from reviewdeck_tui.messages import Clustered, MergeOpened, Stocked
from reviewdeck_tui.screens.resolving import Resolving

if TYPE_CHECKING:
    from reviewdeck_tui.cluster import Taken  # loads likeness and more: not for one name


class Clustering(Resolving):
    """Decides once for all that waits about one thing."""

    _following: tuple[str, tuple[QueueItem, ...]] = ("", ())
    """The proposal that is being merged, and what gives way to its result."""

    def decide_cluster(self) -> None:
        """Shows all that waits about the same thing."""
        item = self.current
        if item is None or not item.state.is_open or item.state is State.QUARANTINED:
            self.say("There is nothing to decide here.")
            return
        self.work(lambda: Clustered(item.id, self.bench.cluster(item.id)))

    @on(Clustered)
    def _clustered(self, event: Clustered) -> None:
        from reviewdeck_tui.screens.cluster import ClusterScreen

        if self.app.screen is not self:
            return
        if len(event.members) < 2:
            self.say("Nothing else that waits is about the same thing.")
            return
        screen = ClusterScreen(
            self.open_bench,
            event.members,
            event.here,
            self.guard,
            self.now,
            secrets=self.shows_secrets,
        )
        self.app.push_screen(screen, self._cluster_ended)

    def _cluster_ended(self, taken: Taken | None) -> None:
        if taken is None:
            return
        if taken.to_merge:
            self._following = (taken.winner.id, taken.gives_way)
            self.work(lambda: MergeOpened(self.bench.open_merge(taken.winner.id)))
            return
        from reviewdeck_tui.cluster import drafts_of

        drafts = drafts_of(taken, self.now())
        self.step({draft.proposal: self.draft_of(draft.proposal) for draft in drafts})
        said = f"One wording drafted, {_others(taken.gives_way)} it. z takes all of it back."
        self.work(lambda: Stocked(self.bench.put_drafts(drafts), said))

    def giving_way(self, id: str) -> Sequence[str]:
        """What gives way to the result, when this one is merged for its cluster."""
        winner, others = self._following
        return [one.id for one in others] if winner == id else []

    def merged(self, draft: Draft, stock: Stock, said: str) -> None:
        """The result of a merge is drafted, and with it what gives way to it."""
        winner, others = self._following
        if winner == draft.proposal and others and draft.verb is Verb.MERGE:
            said = f"The merge is drafted, {_others(others)} it. z takes all of it back."
        super().merged(draft, stock, said)
        self._following = ("", ())


def _others(items: Sequence[QueueItem]) -> str:
    amount = len(items)
    return f"{count(amount, 'proposal')} {'gives' if amount == 1 else 'give'} way to"
