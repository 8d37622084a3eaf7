"""A screen that lets threads work for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from textual.message import Message
from textual.screen import Screen

from reviewdeck.errors import ReviewdeckError
from reviewdeck_tui.messages import Refused

if TYPE_CHECKING:
    from reviewdeck_tui.bench import Bench

Answer = TypeVar("Answer")


class WorkingScreen(Screen[Answer]):
    """Every job runs in a thread and ends in a message."""

    def __init__(self, open_bench: Callable[[], Bench]) -> None:
        super().__init__()
        self.open_bench = open_bench

    @property
    def bench(self) -> Bench:
        """The engine. Loads it when it is asked for first: a worker's business."""
        return self.open_bench()

    def work(self, job: Callable[[], Message | None], group: str = "engine") -> None:
        """Runs a job of the engine; what it refuses becomes a message too."""

        def run() -> None:
            try:
                message = job()
            except ReviewdeckError as error:
                message = Refused(error, group)
            if message is not None:
                self.post_message(message)

        self.run_worker(run, thread=True, group=group)
