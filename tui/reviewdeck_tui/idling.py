"""Whether somebody is there: every key and every paste says so, and who leaves is not kept.

The operator's key stays open for those who are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import RenderableType
from textual import events

from reviewdeck_tui.keying import OrderedApp

if TYPE_CHECKING:
    from reviewdeck_tui.bench import Bench


class Attended(OrderedApp):
    """An app that notices its operator."""

    _bench: Bench | None = None

    async def on_event(self, event: events.Event) -> None:
        """Handles every event, and counts those that a person makes."""
        if isinstance(event, events.Key | events.Paste) and self._bench is not None:
            self._bench.touch()
        await super().on_event(event)

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """Leaves, and does not wait for a look at the homes."""
        if self._bench is not None:
            self._bench.break_off()
        super().exit(result, return_code, message)
