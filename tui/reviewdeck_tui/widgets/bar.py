"""A bar: one line of a screen."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Bar(Static):
    """One line of text that changes without a new layout."""

    DEFAULT_CSS = "Bar { height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }"

    def show(self, content: Content) -> None:
        """Replaces the line, if it differs."""
        current = self.content
        if not (isinstance(current, Content) and current.is_same(content)):
            self.update(content, layout=False)
