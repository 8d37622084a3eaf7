"""Every key and every paste says that somebody is there: the operator's key stays open for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from reviewdeck_tui.painting import PaintedApp

if TYPE_CHECKING:
    from reviewdeck_tui.bench import Bench


class Attended(PaintedApp):
    """An app that notices its operator."""

    _bench: Bench | None = None

    async def on_event(self, event: events.Event) -> None:
        """Handles every event, and counts those that a person makes."""
        if isinstance(event, events.Key | events.Paste) and self._bench is not None:
            self._bench.touch()
        await super().on_event(event)
