"""A list of cards with a cursor, which stays on its card when the cards change.

It binds no key. Screens call `move`, `move_to` and the rest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.strip import Strip

from reviewdeck_tui.widgets.card_paint import Sheet, height_of, is_whole, paint
from reviewdeck_tui.widgets.cards import Card, Cards
from reviewdeck_tui.widgets.line_scroll import LineScroll, WidgetMessage
from reviewdeck_tui.widgets.on_screen import is_in
from reviewdeck_tui.widgets.wrap import cells

_CACHED: Final = 256


class CardList(LineScroll, can_focus=True, inherit_bindings=False):
    """Any number of cards, of which only the visible ones are painted."""

    DEFAULT_CSS = """
    CardList {
        scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-color: $secondary 60%;
    }
    """

    @dataclass
    class Highlighted(WidgetMessage):
        """The cursor moved to another card."""

    @dataclass
    class Selected(WidgetMessage):
        """A card was double-clicked."""

    def __init__(self, *, id: str, margin: int = 0) -> None:
        super().__init__(id=id)
        self._cards: Cards = ()
        self._margin = margin
        self._wrap = True
        self._cursor = 0
        self._tops: list[int] = [0]
        self._laid_out_width: int | None = None
        self._strips: LRUCache[tuple[object, ...], list[Strip]] = LRUCache(_CACHED)

    @property
    def cards(self) -> Cards:
        """The cards in order."""
        return self._cards

    @property
    def cursor_id(self) -> str:
        """The id of the card under the cursor; empty when there is none."""
        return self._cards[self._cursor].id if self._cards else ""

    @property
    def visible_cards(self) -> Iterator[tuple[str, Collection[int], int]]:
        """The cards in sight that are not cut: id, the lines in sight, height."""
        lines: dict[int, set[int]] = {}
        for y, spans in self.rows_in_sight():
            row = y + self.scroll_offset.y
            size = cells(self.line(y).text.rstrip())
            if row < self._tops[-1] and (not size or is_in((0, size), spans)):
                place = self._card_at(row)
                lines.setdefault(place, set()).add(row - self._tops[place])
        sheet = self._sheet()
        for place, shown in lines.items():
            card = self._cards[place]
            if card.id and is_whole(card, sheet):
                yield card.id, shown, self._tops[place + 1] - self._tops[place]

    def show(
        self,
        cards: Cards,
        *,
        margin: int | None = None,
        wrap: bool | None = None,
        is_other: bool = False,
    ) -> None:
        """Replaces the cards. The cursor stays on its card, else on its place.

        With `is_other` the cards are of something else and start at the first.
        """
        cursor_id, offset = self.cursor_id, self._top(self._cursor) - self.scroll_offset.y
        self._cards = cards
        self._margin = self._margin if margin is None else margin
        self._wrap = self._wrap if wrap is None else wrap
        place = None if is_other else self._place_of(cursor_id)
        start = 0 if is_other else min(self._cursor, len(cards) - 1)
        self._cursor = self._nearest(start if place is None else place)
        self._lay_out()
        if cursor_id and place is not None:
            self.scroll_to_line(self._top(self._cursor) - offset)
        else:
            self.scroll_to_line(0)
        self._reveal()
        self.refresh()
        if self.cursor_id != cursor_id:
            self.post_message(self.Highlighted(self))

    def move(self, delta: int) -> None:
        """Moves the cursor by so many cards that can hold it."""
        at, step = self._cursor, 1 if delta > 0 else -1
        for _ in range(abs(delta)):
            place = self._next_place(at, step)
            if place is None:
                break
            at = place
        if at == self._cursor:
            self.scroll_relative(y=step, animate=False)
        self._set_cursor(at)

    def move_page(self, pages: float) -> None:
        """Moves by a part of the visible height, or within a card higher than that."""
        step = max(1, int(abs(pages) * self.visible_lines)) * (1 if pages > 0 else -1)
        target = self._top(self._cursor) + step
        self.scroll_to_line(self.scroll_offset.y + step)
        self._set_cursor(self._nearest(self._card_at(target)), reveal=False)
        if self._top(self._cursor + 1) - self._top(self._cursor) <= self.visible_lines:
            self._reveal()

    def move_to(self, id: str) -> bool:
        """Moves the cursor to a card; False if it is not in the list."""
        place = self._place_of(id)
        if place is not None:
            self._set_cursor(place)
        return place is not None

    def move_where(self, step: int, matches: Callable[[Card], bool]) -> bool:
        """Moves the cursor to the next matching card in this direction; False if there is none."""
        at = self._cursor + step
        while 0 <= at < len(self._cards):
            if self._cards[at].id and matches(self._cards[at]):
                self._set_cursor(at, lead=1)
                return True
            at += step
        return False

    def line(self, y: int) -> Strip:
        """One line of the screen."""
        line = y + self.scroll_offset.y
        base, width = self.rich_style, self.size.width
        if not self._cards or line >= self._tops[-1]:
            return Strip.blank(width, base)
        place = self._card_at(line)
        cursor = place == self._cursor and bool(self._cards[place].id)
        key = (place, width, cursor, self.has_focus, base)
        strips = self._strips.get(key)
        if strips is None:
            sheet = self._sheet()
            strips = paint(self._cards[place], sheet, cursor=cursor, focused=self.has_focus)
            self._strips[key] = strips
        within = line - self._tops[place]
        return strips[within] if within < len(strips) else Strip.blank(width, base)

    def drop_painted(self) -> None:
        self._strips.clear()

    def on_resize(self, event: events.Resize) -> None:
        """Wraps the cards for the new width, and keeps the cursor visible."""
        if self._laid_out_width != event.size.width:
            self._lay_out()
            self._reveal()

    def on_focus(self) -> None:
        """Repaints the card under the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Repaints the card under the cursor."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor on a click, selects on a double click."""
        line = event.y + self.scroll_offset.y
        if not self._cards or line >= self._tops[-1]:
            return
        place = self._card_at(line)
        if self._cards[place].id:
            event.stop()
            self._set_cursor(place)
            if event.chain == 2:
                self.post_message(self.Selected(self))

    def _sheet(self) -> Sheet:
        return Sheet(
            self.size.width, self.palette, self.rich_style, margin=self._margin, wrap=self._wrap
        )

    def _lay_out(self) -> None:
        self._strips.clear()
        self._laid_out_width = self.size.width
        if not self.is_attached or not self.size.width:
            self._tops = [0] * (len(self._cards) + 1)
            return
        if self._wrap:
            sheet = self._sheet()
            heights: Sequence[int] = [height_of(card, sheet) for card in self._cards]
            self._tops = [0, *accumulate(heights)]
        else:
            self._tops = list(range(len(self._cards) + 1))
        size = Size(self.size.width, self._tops[-1])
        if self.virtual_size != size:
            self.virtual_size = size

    def _top(self, place: int) -> int:
        return self._tops[place] if 0 <= place < len(self._tops) else 0

    def _card_at(self, line: int) -> int:
        place = bisect_right(self._tops, max(0, line)) - 1
        return max(0, min(place, len(self._cards) - 1))

    def _place_of(self, id: str) -> int | None:
        if not id:
            return None
        if self._cursor < len(self._cards) and self._cards[self._cursor].id == id:
            return self._cursor
        return next((at for at, card in enumerate(self._cards) if card.id == id), None)

    def _next_place(self, at: int, step: int) -> int | None:
        at += step
        while 0 <= at < len(self._cards):
            if self._cards[at].id:
                return at
            at += step
        return None

    def _nearest(self, at: int) -> int:
        """This place, or the nearest one that can hold the cursor."""
        at = max(0, at)
        if not self._cards or self._cards[at].id:
            return at
        below = self._next_place(at, 1)
        above = self._next_place(at, -1)
        return below if below is not None else above if above is not None else at

    def _set_cursor(self, place: int, *, reveal: bool = True, lead: int = 0) -> None:
        if not self._cards or place == self._cursor:
            return
        self._cursor = place
        self.refresh()
        if reveal:
            self._reveal(lead)
        self.post_message(self.Highlighted(self))

    def _reveal(self, lead: int = 0) -> None:
        """Scrolls just enough that the whole card under the cursor is visible."""
        if not self._cards:
            return
        top, end = self._top(self._cursor), self._top(self._cursor + 1)
        height, offset = self.visible_lines, self.scroll_offset.y
        if self._next_place(self._cursor, -1) is None:
            top = 0  # Lines above the first card that can hold the cursor are shown with it.
        if top < offset or lead:
            self.scroll_to_line(top)
        elif end > offset + height:
            self.scroll_to_line(min(top, end - height))
