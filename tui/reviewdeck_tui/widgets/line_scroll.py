"""What all our scrolling widgets share: another length of the content is no new layout."""

from __future__ import annotations

from abc import abstractmethod

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget


class LineScroll(ScrollView, inherit_bindings=False):
    """A view that draws lines itself."""

    has_focus: Reactive[bool] = Reactive(False, repaint=False)

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._ground: Style | None = None
        self._looks: tuple[str, Style] | None = None
        """The theme and the ground for which everything was painted."""
        self._painted_lines: dict[int, Strip] = {}

    @property
    def ground(self) -> Style:
        """What is behind everything. Textual works it out anew for each line that asks."""
        if self._ground is None:
            self._ground = self.rich_style
        return self._ground

    def _on_focus(self, event: events.Focus) -> None:
        self._tell(event, events.DescendantFocus(self), has_focus=True)

    def _on_blur(self, event: events.Blur) -> None:
        self._tell(event, events.DescendantBlur(self), has_focus=False)

    def _tell(self, event: events.Event, said: events.Event, *, has_focus: bool) -> None:
        """As Textual does it, but without painting everything: nothing looks otherwise."""
        event.prevent_default()
        self.has_focus = has_focus
        if self.parent is not None:
            self.parent.post_message(said)

    def notify_style_update(self) -> None:
        """Takes the colours anew where they are others: a focus that moves says this too."""
        super().notify_style_update()
        looks = (self.app.theme, self.rich_style) if self.is_attached else None
        if looks is None or looks != self._looks:
            self._looks, self._ground = looks, None
            self.restyled()

    def restyled(self) -> None:
        """There are other colours: what was painted in the old ones no longer counts."""

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
        width, height = self.size
        start: int | None = None
        for y in range(height + 1):
            painted = self._painted_lines.get(y)
            if y < height and (painted is None or self.line(y) != painted):
                start = y if start is None else start
            elif start is not None:  # Lines that follow each other are painted as one region.
                self.refresh(Region(0, start, width, y - start))
                start = None

    def fit_to(self, size: Size) -> None:
        """Tells the scrollbars how much there is.

        Textual lays the whole screen out again when a `virtual_size` is set, and paints all of it.
        Ours changes with every proposal that is looked at, and nothing moves by it, unless the view
        is as high as its content: else only a scrollbar that comes or goes asks for a layout.
        """
        if size == self.virtual_size:
            return
        wanted = self.styles.height
        if wanted is not None and wanted.is_auto and size.height != self.virtual_size.height:
            self.refresh(layout=True)
        self.set_reactive(Widget.virtual_size, size)
        self._scroll_update(size)
