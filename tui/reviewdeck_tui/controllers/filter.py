"""The filter of the queue: its words, and the result of its last search."""

from __future__ import annotations

from collections.abc import Callable

from reviewdeck_tui.messages import Filtered
from reviewdeck_tui.queue.filter import mask_of, match_words
from reviewdeck_tui.queue.view import Backlog, Matches


class QueueFilter:
    """Narrows the queue as words are typed; longer words search only the last result."""

    def __init__(self) -> None:
        self.words = ""
        """The words of the filter; empty when there is none."""
        self._last: Filtered | None = None

    def search(self, backlog: Backlog) -> Callable[[Callable[[], bool]], Filtered | None]:
        """A search for the words in all proposals, to be run in a thread; None when cancelled."""
        words, last = self.words, self._last
        before = last.result if last is not None and last.store is backlog.store else None

        def run(is_cancelled: Callable[[], bool]) -> Filtered | None:
            search_texts = backlog.store.search_texts(backlog.homes, is_cancelled)
            result = (
                match_words(words, search_texts, is_cancelled, before)
                if search_texts is not None
                else None
            )
            if result is None:
                return None
            return Filtered(
                words, backlog.store, result, mask_of(result.places, len(backlog.store))
            )

        return run

    def matches(self, event: Filtered) -> Matches | None:
        """The matches of a search; None when other words were typed since."""
        if event.words != self.words:
            return None
        self._last = event
        return Matches(event.store, event.mask)
