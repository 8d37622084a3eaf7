"""The line that takes the words of a search or a filter, closed until it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual import on
from textual.message import Message
from textual.widgets import Input

from reviewdeck_tui.widgets.one_line import OneLine

SEARCH_KEYS: Final = (("enter", "keep"), ("esc", "clear"))
"""The keys while words are typed: all others are letters."""


class SearchLine(OneLine):
    """Searches as one types: the screen takes `Input.Changed` while it is open."""

    DEFAULT_CSS = """
    SearchLine, SearchLine:focus {
        display: none; border: none; height: 1; padding: 0 1; background: $panel;
    }
    SearchLine.-open { display: block; }
    """
    BINDINGS = [("escape", "leave(True)"), ("up,down", "leave(False)")]  # noqa: RUF012 - as Textual declares it

    @dataclass
    class Left(Message):
        """The operator is done with it."""

        is_dropped: bool
        """Whether the search ends with it."""

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def open(self, placeholder: str, words: str = "") -> None:
        """Takes the focus at once: the keys that follow are text, not commands."""
        self.add_class("-open")
        self.placeholder = placeholder
        self.value = words
        self.screen.set_focus(self)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_leave(False)

    def action_leave(self, is_dropped: bool) -> None:
        self.remove_class("-open")
        self.post_message(self.Left(is_dropped))
