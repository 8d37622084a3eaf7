"""The base of our scrolling widgets: a new content length causes no new layout."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from reviewdeck_tui.widgets.on_screen import Span, visible_rows
from reviewdeck_tui.widgets.palette import Palette


@dataclass
class WidgetMessage(Message):
    """A message of a widget, which a selector of its id finds."""

    sender: Widget

    @property
    def control(self) -> Widget:
        """The widget that sent it."""
        return self.sender


class LineScroll(ScrollView, inherit_bindings=False):
    """A view that paints its own lines."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineScroll {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        height: 1fr;
    }
    """

    has_focus: Reactive[bool] = Reactive(False, repaint=False)

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._ground: Style | None = None
        self._palette: Palette | None = None
        self._painted_looks: tuple[str, Style] | None = None
        """The theme and the background for which the lines were painted."""
        self._painted_lines: dict[int, Strip] = {}

    @property
    def ground(self) -> Style:
        """The background, cached: Textual computes it for each line that asks."""
        if self._ground is None:
            self._ground = self.rich_style
        return self._ground

    @property
    def palette(self) -> Palette:
        """The styles of the theme."""
        if self._palette is None:
            self._palette = Palette(self.app.current_theme)
        return self._palette

    @property
    def visible_lines(self) -> int:
        """The height of what is in sight, at least one line."""
        return max(1, self.scrollable_content_region.height)

    def scroll_to_line(self, top: int) -> None:
        """Scrolls at once until this line is the first in sight."""
        self.scroll_to(y=max(0, top), animate=False, force=True)

    def _on_focus(self, event: events.Focus) -> None:
        self._announce_focus(event, events.DescendantFocus(self), has_focus=True)

    def _on_blur(self, event: events.Blur) -> None:
        self._announce_focus(event, events.DescendantBlur(self), has_focus=False)

    def _announce_focus(
        self, event: events.Event, descendant_event: events.Event, *, has_focus: bool
    ) -> None:
        """Does what Textual does, without its repaint: a focus changes no line here."""
        event.prevent_default()
        self.has_focus = has_focus
        if self.parent is not None:
            self.parent.post_message(descendant_event)

    def notify_style_update(self) -> None:
        """Takes the colours if they changed: a focus that moves calls this too."""
        super().notify_style_update()
        looks = (self.app.theme, self.rich_style) if self.is_attached else None
        if looks is None or looks != self._painted_looks:
            self._painted_looks, self._ground, self._palette = looks, None, None
            self.drop_painted()

    def drop_painted(self) -> None:
        """Drops what was painted with the colours of an old theme."""

    @abstractmethod
    def line(self, y: int) -> Strip:
        """One line of the visible part."""

    def render_line(self, y: int) -> Strip:
        """One line of the visible part, for Textual."""
        strip = self.line(y)
        self._painted_lines[y] = strip
        return strip

    def rows_in_sight(self) -> Iterator[tuple[int, Sequence[Span]]]:
        """The rows that show what they should, each with the columns that nothing covers.

        Between a change and the next paint the screen still has the old lines: those count as what
        they were painted as, or not at all.
        """
        # Without a terminal there is no paint to wait for.
        is_painted = self.app.is_headless
        for y, spans in visible_rows(self):
            if is_painted or self._painted_lines.get(y) == self.line(y):
                yield y, spans

    def repaint_changes(self) -> None:
        """Repaints just the lines that look different now."""
        width, height = self.size
        start: int | None = None
        for y in range(height + 1):
            painted = self._painted_lines.get(y)
            if y < height and (painted is None or self.line(y) != painted):
                start = y if start is None else start
            elif start is not None:  # Adjacent lines are repainted as one region.
                self.refresh(Region(0, start, width, y - start))
                start = None

    def fit_to(self, size: Size) -> None:
        """Tells the scrollbars the size of the content.

        Textual lays the whole screen out again when a `virtual_size` is set, and paints all of it.
        Our size changes with every proposal, and nothing moves by it, unless the view is
        as high as its content: else only a scrollbar that comes or goes needs a layout.
        """
        if size == self.virtual_size:
            return
        height = self.styles.height
        if height is not None and height.is_auto and size.height != self.virtual_size.height:
            self.refresh(layout=True)
        self.set_reactive(Widget.virtual_size, size)
        self._scroll_update(size)
