"""The filter of the queue: what it says, and what it found last."""

from __future__ import annotations

from collections.abc import Callable

from reviewdeck_tui.messages import Filtered
from reviewdeck_tui.queue.filter import mask_of, matching
from reviewdeck_tui.queue.view import Matches, Stock


class QueueFilter:
    """Narrows the queue as words are typed; what goes on from the last filter looks no further."""

    def __init__(self) -> None:
        self.words = ""
        """What the filter says; empty when there is none."""
        self._last: Filtered | None = None

    def search(self, stock: Stock) -> Callable[[Callable[[], bool]], Filtered | None]:
        """Finds the words in all proposals, for a thread; it says None when it was cancelled."""
        words, last = self.words, self._last
        before = last.found if last is not None and last.shelf is stock.shelf else None

        def run(is_cancelled: Callable[[], bool]) -> Filtered | None:
            hay = stock.shelf.hay(stock.homes, is_cancelled)
            found = matching(words, hay, is_cancelled, before) if hay is not None else None
            if found is None:
                return None
            return Filtered(words, stock.shelf, found, mask_of(found.places, len(stock.shelf)))

        return run

    def matches(self, event: Filtered) -> Matches | None:
        """The matches that a search came to; None when other words were typed since."""
        if event.wanted != self.words:
            return None
        self._last = event
        return Matches(event.shelf, event.mask)
