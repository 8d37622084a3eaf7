"""The scrolling of a diff that is measured only near the visible part."""

from __future__ import annotations

import time
from typing import Final

from textual.geometry import Size
from textual.reactive import reactive
from textual.timer import Timer

from reviewdeck_tui.widgets.diff_model import DiffModel
from reviewdeck_tui.widgets.line_scroll import LineScroll

SIDEWAYS: Final = 16
"""The most columns of one step sideways."""
LEAD: Final = 1
"""Lines above the target of a jump."""
_SLICE: Final = 0.004
"""Seconds at a time for measuring what is not visible."""
_PAUSE: Final = 0.02


class LaidOut(LineScroll, inherit_bindings=False):
    """Scrolls through a model of which only a part has been measured."""

    wrap: reactive[bool] = reactive(True, repaint=False)

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._model: DiffModel | None = None
        self._timer: Timer | None = None

    @property
    def is_measured(self) -> bool:
        """Whether the height of everything is exact."""
        return self._model is None or self._model.is_exact

    def move(self, delta: int) -> None:
        """Scrolls by so many lines, without animation."""
        self._go_to(self.scroll_offset.y + delta)

    def move_page(self, pages: float) -> None:
        """Scrolls by a part of the visible height, at once; a whole page keeps one line."""
        height = self.visible_lines
        step = max(1, int(abs(pages) * height) - (1 if abs(pages) >= 1 else 0))
        self.move(step if pages > 0 else -step)

    def scroll_to_finish(self) -> None:
        """Scrolls to the last line."""
        if self._model is not None:
            self._show_line(len(self._model.flat.lines) - 1, lead=self.visible_lines)
            self._go_to(self._model.total)

    def scroll_columns(self, delta: int) -> None:
        """Scrolls all columns sideways, where lines are not wrapped."""
        if not self.wrap:
            self.scroll_to(x=max(0, self.scroll_offset.x + delta), animate=False, force=True)

    @property
    def sideways(self) -> int:
        """The columns of one step sideways: it jumps over no character."""
        narrowest = self._model.narrowest if self._model is not None else SIDEWAYS
        return max(1, min(SIDEWAYS, narrowest - 2))  # A wide character at the edge is cut.

    @property
    def _columns(self) -> int:
        """The width of a line: the scrollbar's column is never painted on."""
        return max(1, self.size.width - self.scrollbar_size_vertical)

    def _top_line(self) -> int:
        if self._model is None or not self._model.total:
            return 0
        return self._model.line_at(self.scroll_offset.y)

    def _show_line(self, at: int, *, lead: int) -> None:
        """Scrolls to a document line, with some lines above it."""
        if self._model is None:
            return
        self._model.measure_around(self._model.top_of(at) - lead, self.visible_lines + lead)
        self._fit()
        self._go_to(self._model.top_of(at) - lead)

    def _go_to(self, top: int) -> None:
        self.scroll_to_line(top)
        self._measure()

    def _measure(self) -> None:
        """Measures the visible part, and the rest when there is time."""
        if self._model is None:
            return
        top = self.scroll_offset.y
        if self._model.measure_around(top - LEAD, self.visible_lines + 2 * LEAD):
            self._fit()
            self.refresh()
        if not self._model.is_exact and self._timer is None:
            self._timer = self.set_timer(_PAUSE, self._measure_more)

    def _measure_more(self) -> None:
        self._timer = None
        if self._model is None:
            return
        top = self.scroll_offset.y
        code, within, _ = self._model.item_at(top)
        deadline = time.perf_counter() + _SLICE
        while not self._model.is_exact and time.perf_counter() < deadline:
            self._model.measure_next()
        shift = self._model.top_of(code // 4) + within - top
        if self._model.is_exact:
            self._fit()
        else:
            self._timer = self.set_timer(_PAUSE, self._measure_more)
        if shift:
            self._fit()
            self._go_to(top + shift)

    def _fit(self) -> None:
        """Tells the scrollbars the size of the content."""
        if self._model is None:
            return
        width = self._columns
        if not self.wrap:
            width += max(0, self._model.widest - self._model.narrowest)
        self.fit_to(Size(width, self._model.total))
