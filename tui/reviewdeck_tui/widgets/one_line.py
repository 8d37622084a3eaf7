"""The input that takes the operator's words, in one line."""

from __future__ import annotations

from textual import events
from textual.widgets import Input


class OneLine(Input):
    """One line of text. What is pasted into it is joined by spaces: no line of it is lost."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()  # Textual's own takes the first line alone.
        super()._on_paste(events.Paste(" ".join(event.text.splitlines())))
