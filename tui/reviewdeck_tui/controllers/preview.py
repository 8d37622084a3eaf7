"""Which proposal is looked at: the newest wish wins, and one is worked on at a time."""

from __future__ import annotations

from collections.abc import Callable

from reviewdeck.model import QueueItem


class Preview:
    """Starts a look at a proposal when the one before is done."""

    def __init__(self, start: Callable[[QueueItem], None]) -> None:
        self._start = start
        self._is_open = False
        self._is_busy = False
        self._next: QueueItem | None = None

    def open(self) -> None:
        """From now on looks are started: the engine may be loaded."""
        self._is_open = True

    def wish(self, item: QueueItem) -> None:
        """This one is to be looked at, in the place of what was wished for before."""
        self._next = item
        if self._is_open and not self._is_busy:
            self._go_on()

    def done(self) -> None:
        """A look came to its end: the newest wish is next."""
        self._is_busy = False
        self._go_on()

    def failed(self) -> None:
        """A look was refused: the next wish is started when it comes."""
        self._is_busy = False

    def _go_on(self) -> None:
        item, self._next = self._next, None
        if item is not None:
            self._is_busy = True
            self._start(item)
