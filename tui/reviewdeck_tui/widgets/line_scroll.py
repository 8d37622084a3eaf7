"""What all our scrolling widgets share: another length of the content is no new layout."""

from __future__ import annotations

from abc import abstractmethod

from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget


class LineScroll(ScrollView, inherit_bindings=False):
    """A view that draws lines itself."""

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._ground: Style | None = None
        self._painted_lines: dict[int, Strip] = {}

    @property
    def ground(self) -> Style:
        """What is behind everything. Textual works it out anew for each line that asks."""
        if self._ground is None:
            self._ground = self.rich_style
        return self._ground

    def notify_style_update(self) -> None:
        """Takes the colours of the theme anew."""
        super().notify_style_update()
        self._ground = None

    @abstractmethod
    def line(self, y: int) -> Strip:
        """One line of what is visible."""

    def render_line(self, y: int) -> Strip:
        """One line of what is visible, for Textual."""
        strip = self.line(y)
        self._painted_lines[y] = strip
        return strip

    def repaint_changes(self) -> None:
        """Asks for a painting of the lines that look different now, and of no others."""
        for y in range(self.size.height):
            painted = self._painted_lines.get(y)
            if painted is None or self.line(y) != painted:
                self.refresh(Region(0, y, self.size.width, 1))

    def fit_to(self, size: Size) -> None:
        """Tells the scrollbars how much there is.

        Textual lays the whole screen out again when a `virtual_size` is set, and paints all of it.
        Ours changes with every proposal that is looked at, and nothing moves by it: only a
        scrollbar that comes or goes asks for a layout, by itself.
        """
        if size == self.virtual_size:
            return
        self.set_reactive(Widget.virtual_size, size)
        self._scroll_update(size)
