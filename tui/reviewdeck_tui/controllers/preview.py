"""The proposal to show: the newest request wins, and one is worked on at a time."""

from __future__ import annotations

from collections.abc import Callable

from reviewdeck.model import QueueItem


class Preview:
    """Starts to load a proposal once the one before is done."""

    def __init__(self, start: Callable[[QueueItem], None]) -> None:
        self._start = start
        self._is_open = False
        self._is_busy = False
        self._next: QueueItem | None = None

    def open(self) -> None:
        """Allows loading from now on: the engine may be loaded."""
        self._is_open = True

    def request(self, item: QueueItem) -> None:
        """Requests this proposal, in place of the one requested before."""
        self._next = item
        if self._is_open and not self._is_busy:
            self._start_next()

    def finish(self) -> None:
        """Ends a load and starts the newest request."""
        self._is_busy = False
        self._start_next()

    def fail(self) -> None:
        """Ends a load that was refused, without starting another."""
        self._is_busy = False

    def _start_next(self) -> None:
        item, self._next = self._next, None
        if item is not None:
            self._is_busy = True
            self._start(item)
