"""The screen that holds a controller, as far as controllers know it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from reviewdeck.ports import Clock
from reviewdeck_tui.queue.view import Stock

if TYPE_CHECKING:
    from reviewdeck_tui.engine import Engine


class Worker(Protocol):
    """Runs jobs of the engine."""

    @property
    def engine(self) -> Engine:
        """The engine."""
        ...

    def work(self, job: Callable[[], Message | None], group: str = "engine") -> None:
        """Runs a job in a thread; its message comes to the screen."""
        ...


class Host(Worker, Protocol):
    """Speaks to the operator as well, and knows the queue and the time."""

    @property
    def stock(self) -> Stock:
        """The queue with its drafts, as it was read last."""
        ...

    @property
    def now(self) -> Clock:
        """The time of day."""
        ...

    def say(self, text: str, meaning: str = "text") -> None:
        """One line for the operator."""
        ...
