"""The pane beside the diff: scrolling lines, each as wide as it was made."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip

from reviewdeck_tui.widgets.line_scroll import LineScroll


class FactsView(LineScroll, can_focus=False, inherit_bindings=False):
    """Shows lines of content."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Content] = []
        self._about: object = None

    @property
    def content(self) -> Content:
        return Content("\n").join(self._lines)

    def show(self, lines: Sequence[Content], about: object = None) -> None:
        """Replaces the lines, from the first; newer lines about the same thing keep the offset."""
        self._lines = [part for line in lines for part in line.split("\n", allow_blank=True)]
        self.fit_to(Size(self.size.width, len(self._lines)))
        if about is None or about != self._about:
            self.scroll_to_line(0)
        self._about = about
        self.repaint_changes()

    def line(self, y: int) -> Strip:
        """One line of the pane."""
        at, width = y + self.scroll_offset.y, self.size.width
        if at >= len(self._lines):
            return Strip.blank(width, self.ground)
        segments = self._lines[at].render_segments(self.visual_style)
        return Strip(segments).adjust_cell_length(width, self.ground)
