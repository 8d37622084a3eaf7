"""The queue's list: of any length, of which only the visible lines are laid out.

It binds no key. The app's table of actions calls `move`, `toggle_mark` and the rest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from reviewdeck_tui.widgets.line_scroll import LineScroll, WidgetMessage
from reviewdeck_tui.widgets.queue_columns import (
    ColumnWidths,
    columns_for,
    heading_segments,
    row_segments,
)
from reviewdeck_tui.widgets.rows import Heading, QueueRow, Rows

_CACHED: Final = 512
_PREPARE_AFTER: Final = 0.06
"""Seconds of rest after which the lines of the next page are prepared."""
_SLICE: Final = 12
_PAUSE: Final = 0.01
_MARGIN: Final = 1
"""Lines that stay visible beyond the cursor."""


class QueueList(LineScroll, can_focus=True, inherit_bindings=False):
    """A list with a cursor that stays on its proposal when the rows change."""

    @dataclass
    class Moved(WidgetMessage):
        """The cursor moved to another proposal; `by_key`: the operator moved it."""

        id: str
        by_key: bool

    @dataclass
    class Opened(WidgetMessage):
        """A proposal was double-clicked."""

        id: str

    class FoldClicked(Message):
        """A heading was clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows = Rows.of(())
        self._headings: Sequence[Heading] = ()
        self._heads: list[int] = []
        """The place before which each heading stands."""
        self._is_in_front = True
        self._cursor = 0
        self._marked: set[str] = set()
        self._anchor: str | None = None
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(_CACHED)
        self._prepare_timer: Timer | None = None

    @property
    def rows(self) -> Sequence[QueueRow]:
        """The rows in order."""
        return self._rows

    @property
    def cursor_id(self) -> str | None:
        """The proposal under the cursor; None in an empty list."""
        return self._rows.ids[self._cursor] if self._rows else None

    @property
    def next_id(self) -> str | None:
        """The proposal below the cursor; None at the end."""
        below = self._cursor + 1
        return self._rows.ids[below] if below < len(self._rows) else None

    @property
    def marked_ids(self) -> tuple[str, ...]:
        """The marked proposals, in the order of the list."""
        if not self._marked:
            return ()
        places = sorted(
            (place, id) for id in self._marked if (place := self._rows.place_of(id)) is not None
        )
        return tuple(id for _, id in places)

    @property
    def is_in_front(self) -> bool:
        """Whether the keys act on it: the cursor's line is bright only then."""
        return self._is_in_front

    @is_in_front.setter
    def is_in_front(self, is_in_front: bool) -> None:
        self._is_in_front = is_in_front
        self.refresh_line(self._line_of(self._cursor))

    @property
    def columns(self) -> ColumnWidths:
        """The columns of its rows, beside the scrollbar."""
        return columns_for(self.size.width - 1, homes=self._rows.has_homes)

    def show(self, rows: Sequence[QueueRow], headings: Sequence[Heading] = ()) -> None:
        """Replaces the rows. The cursor stays on its proposal, and that on its line of the screen.

        If the proposal is gone, the cursor moves to the next one that is still in the list.
        Marks stay on the rows that remain, and are set on rows that say they are marked.
        """
        cursor_id, offset = self.cursor_id, self._line_of(self._cursor) - self.scroll_offset.y
        self._headings, self._heads = headings, [heading.before for heading in headings]
        previous = self._rows.ids
        self._rows = rows if isinstance(rows, Rows) else Rows.of(rows)
        self._marked = {id for id in self._marked if self._rows.place_of(id) is not None}
        if not isinstance(rows, Rows):
            self._marked.update(row.id for row in rows if row.marked)
        self._cursor = self._place_near(previous, self._cursor)
        self._strips.clear()
        self._fit()
        if cursor_id is not None and rows:
            self.scroll_to_line(self._line_of(self._cursor) - offset)
        self._reveal()
        self.repaint_changes()
        if self.cursor_id is not None and self.cursor_id != cursor_id:
            self.post_message(self.Moved(self, self.cursor_id, by_key=False))

    def move(self, delta: int) -> None:
        """Moves the cursor by so many lines, as far as there are any."""
        self._set_cursor(self._cursor + delta, by_key=True)

    def move_page(self, pages: float) -> None:
        """Moves the cursor by a part of the visible height."""
        step = max(1, int(abs(pages) * self.visible_lines))
        self._set_cursor(self._cursor + (step if pages > 0 else -step), by_key=True)

    def move_to(self, id: str, *, by_key: bool = False) -> bool:
        """Moves the cursor to a proposal; False if it is not in the list."""
        place = self._rows.place_of(id)
        if place is None:
            return False
        self._set_cursor(place, by_key=by_key)
        return True

    def toggle_mark(self) -> None:
        """Marks or unmarks the proposal under the cursor. A range starts there."""
        if (id := self.cursor_id) is None:
            return
        self._marked ^= {id}
        self._anchor = id
        self.repaint_changes()

    def mark_range_to_cursor(self) -> None:
        """Marks everything from the last mark to the cursor."""
        if self.cursor_id is None:
            return
        start = self._rows.place_of(self._anchor or "")
        first, last = sorted((self._cursor if start is None else start, self._cursor))
        self._marked.update(self._rows.ids[first : last + 1])
        self._anchor = self.cursor_id
        self.repaint_changes()

    def restore_marks(self, ids: Iterable[str]) -> None:
        """Marks these proposals, as far as they are in the list, and no others."""
        self._marked = {id for id in ids if self._rows.place_of(id) is not None}
        self.repaint_changes()

    def clear_marks(self) -> None:
        self._marked.clear()
        self._anchor = None
        self.repaint_changes()

    def line(self, y: int) -> Strip:
        """One line of the list."""
        return self._painted(y + self.scroll_offset.y)

    def _line_of(self, place: int) -> int:
        """The line of a row, below the headings before it."""
        return place + bisect_right(self._heads, place)

    def _at(self, line: int) -> int | Heading:
        """The place of the row in a line, or the heading there."""
        for number, head in enumerate(self._heads):
            if line <= head + number:
                return self._headings[number] if line == head + number else line - number
        return line - len(self._heads)

    def _painted(self, line: int) -> Strip:
        width, base, at = self.size.width, self.ground, self._at(line)
        if isinstance(at, Heading):
            segments = heading_segments(at, width, self.palette, base)
            return Strip(segments).adjust_cell_length(width, base)
        if not 0 <= at < len(self._rows):
            return Strip.blank(width, base)
        cursor, marked = at == self._cursor, self._rows.ids[at] in self._marked
        key = (at, width, cursor and 1 + self._is_in_front, marked, base)
        strip = self._strips.get(key)
        if strip is None:
            segments = row_segments(
                self._rows[at],
                self.columns,
                self.palette,
                base,
                cursor=cursor,
                marked=marked,
                is_in_front=self._is_in_front,
            )
            strip = Strip(segments).adjust_cell_length(width, base)
            self._strips[key] = strip
        return strip

    def drop_painted(self) -> None:
        self._strips.clear()

    def on_resize(self, event: events.Resize) -> None:
        """Keeps the cursor visible."""
        self._fit()
        self._reveal()

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor on a click, opens on a double click."""
        place = self._at(event.y + self.scroll_offset.y)
        if isinstance(place, Heading):
            self.post_message(self.FoldClicked())
        if isinstance(place, Heading) or not 0 <= place < len(self._rows):
            return
        event.stop()
        self._set_cursor(place, by_key=True)
        if event.chain == 2:
            self.post_message(self.Opened(self, self._rows.ids[place]))

    def _place_near(self, previous: Sequence[str], cursor: int) -> int:
        """The place of the proposal under the old cursor, else of the nearest one that remains."""
        later = range(cursor, len(previous))
        earlier = range(cursor - 1, -1, -1)
        places = (self._rows.place_of(previous[index]) for index in chain(later, earlier))
        return next((place for place in places if place is not None), 0)

    def _fit(self) -> None:
        self.fit_to(Size(self.size.width, len(self._rows) + len(self._headings)))

    def _set_cursor(self, place: int, *, by_key: bool) -> None:
        place = max(0, min(place, len(self._rows) - 1))
        if not self._rows or place == self._cursor:
            return
        previous, self._cursor = self._cursor, place
        self.refresh_line(self._line_of(previous))
        self.refresh_line(self._line_of(place))
        self._reveal()
        self.post_message(self.Moved(self, self._rows.ids[place], by_key=by_key))
        if self._prepare_timer is not None:
            self._prepare_timer.stop()
        self._prepare_later(_PREPARE_AFTER)

    def _prepare_later(self, seconds: float, start: int = 0) -> None:
        self._prepare_timer = self.set_timer(seconds, lambda: self._prepare_lines(start))

    def _prepare_lines(self, start: int) -> None:
        """Prepares the lines of the next and the previous page, a few at a time."""
        height, top = self.visible_lines, self.scroll_offset.y
        ahead = [*range(top + height, top + 2 * height), *range(top - 1, top - height, -1)]
        for line in ahead[start : start + _SLICE]:
            self._painted(line)
        if start + _SLICE < len(ahead):
            self._prepare_later(_PAUSE, start + _SLICE)

    def _reveal(self) -> None:
        """Scrolls if the cursor is not visible, by enough that the next keys need not scroll.

        Over a slow line a scrolled list costs twenty times what a moved cursor does.
        """
        height, top = self.visible_lines, self.scroll_offset.y
        margin = _MARGIN if height > 4 else 0
        line = self._line_of(self._cursor)
        if top + margin <= line < top + height - margin:
            return
        third = height // 3
        above = line < top + margin
        self.scroll_to_line(line - (height - third if above else third))
