"""The queue's filter: letters show at once, and a worker searches the proposals in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from reviewdeck.presentation.queue_filter import matching, parse

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen


class QueueFilter:
    """Narrows the lane to the proposals that match its words."""

    def __init__(self, deck: DeckScreen) -> None:
        self._deck = deck
        self.words = ""
        """Empty when there is no filter."""

    def show(self, words: str) -> None:
        """Narrows the lane to the proposals that match these words; without any, to none less."""
        deck, self.words = self._deck, words
        if not words:
            deck.workers.cancel_group(deck, "filter")
            deck.set_view(matches=None)
            return
        query, backlog, now = parse(words), deck.backlog, deck.now()

        def run() -> None:
            worker = get_current_worker()
            ids = matching(
                query,
                backlog.store.outlines,
                backlog.homes,
                now,
                hosts=backlog.hosts,
                texts=backlog.store.search_texts,
                is_over=lambda: worker.is_cancelled,
            )
            if ids is not None:
                deck.call_later(self._show_matches, words, ids)

        deck.run_worker(run, thread=True, group="filter", exclusive=True)

    def _show_matches(self, words: str, ids: frozenset[str]) -> None:
        if words == self.words:
            self._deck.set_view(matches=ids)

    def drop(self) -> None:
        """Clears the filter, and shows more than conflicts."""
        self._deck.workers.cancel_group(self._deck, "filter")
        self.words = ""
        self._deck.set_view(matches=None, conflicts_only=False)
