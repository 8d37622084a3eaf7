"""The screen that holds a controller, as the controller sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from reviewdeck.ports import Clock
from reviewdeck_tui.queue.view import Backlog

if TYPE_CHECKING:
    from reviewdeck_tui.engine import EngineWorker


class Worker(Protocol):
    """Runs jobs of the engine."""

    @property
    def engine(self) -> EngineWorker:
        """The engine."""
        ...

    def work(self, job: Callable[[], Message | None], group: str = "engine") -> None:
        """Runs a job in a thread; its message is posted to the screen."""
        ...


class Host(Worker, Protocol):
    """A worker that also shows messages, and knows the backlog and the time."""

    @property
    def backlog(self) -> Backlog:
        """The backlog with its drafts, as it was read last."""
        ...

    @property
    def now(self) -> Clock:
        """The time of day."""
        ...

    def say(self, text: str, meaning: str = "text") -> None:
        """Shows a message to the operator."""
        ...
