"""One line of a screen."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Bar(Static):
    """One line that is rewritten without a new layout."""

    DEFAULT_CSS = "Bar { height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }"

    def show(self, content: Content) -> None:
        """Replaces the line, where it differs from what is there."""
        now = self.content
        if not (isinstance(now, Content) and now.is_same(content)):
            self.update(content, layout=False)
