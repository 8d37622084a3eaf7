"""The diff: of any length, laid out and painted only where it is visible.

It binds no key. The app's table of actions calls `move`, `jump_hunk` and the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.strip import Strip

from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.widgets.diff_cells import Frame, Stretch
from reviewdeck_tui.widgets.diff_changes import FlatChange
from reviewdeck_tui.widgets.diff_model import DiffModel, nearest
from reviewdeck_tui.widgets.diff_paint import paint, stretches
from reviewdeck_tui.widgets.laid_out import LEAD, LaidOut
from reviewdeck_tui.widgets.line_scroll import WidgetMessage
from reviewdeck_tui.widgets.on_screen import is_in
from reviewdeck_tui.widgets.seen import SeenLines

Layout = Literal["auto", "split", "unified"]

SPLIT_FROM: Final = 96
"""Columns of the widget from which the automatic layout is split, so for a screen of 160."""
_CACHED: Final = 128
_MOST_REMEMBERED: Final = 64
"""Documents whose painted lines are remembered after others were shown."""


class DiffView(LaidOut, can_focus=True):
    """A document of sections, in two sides or in one."""

    layout_mode: reactive[Layout] = reactive("auto", repaint=False)
    context: reactive[int] = reactive(3, repaint=False)
    by_lines: reactive[bool] = reactive(False, repaint=False)
    """Whether changes are stepped through line by line, with a pointer at one of them."""

    @dataclass
    class Painted(WidgetMessage):
        """Lines of a document were painted."""

        sender: DiffView
        document: DiffDocument
        fraction_seen: float
        """The part of the changed lines that has been painted so far, 0 to 1."""
        first_paint: bool

        @property
        def id(self) -> str:
            return self.document.id

        @property
        def is_current(self) -> bool:
            """Whether the view shows that document still; a message may come late."""
            return self.document is self.sender.document

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._document: DiffDocument | None = None
        self._seen = SeenLines(())
        self._lines_by_document: LRUCache[str, tuple[DiffDocument, SeenLines]] = LRUCache(
            _MOST_REMEMBERED
        )
        self._reported_fraction: float | None = None
        self._target: int | None = None
        self._pointed_line: int | None = None
        self._matches: list[int] = []
        self._match: int | None = None
        self._search: re.Pattern[str] | None = None
        self._strips: LRUCache[int, list[Strip]] = LRUCache(_CACHED)
        self._is_report_due = False
        self._has_two_sides = True

    @property
    def document(self) -> DiffDocument | None:
        """The document that is shown."""
        return self._document

    @property
    def is_split(self) -> bool:
        """Whether the diff is split at this width."""
        if self.layout_mode == "auto":
            return self._has_two_sides and self.size.width >= SPLIT_FROM
        return self.layout_mode == "split"

    @property
    def fraction_seen(self) -> float:
        """The part of the changed lines that was ever painted, 0 to 1."""
        return self._seen.fraction

    @property
    def current_hunk(self) -> int | None:
        """The index of the hunk jumped to last, else of the first visible one."""
        return self._index_of(self._model.hunks if self._model else [])

    @property
    def current_change(self) -> FlatChange | None:
        """The change at the cursor: an entry of a memory, a run of lines, or a single line."""
        if self._model is None:
            return None
        if self.by_lines:
            lines = self._model.changed_lines
            index = self._index_of([line.start for line in lines])
            is_visible = index is not None and self._is_visible(lines[index].start)
            return lines[index] if index is not None and is_visible else None
        hunk = self.current_hunk
        if hunk is None:
            return None
        at = self._model.hunks[hunk]
        return next(
            (change for change in self._model.changes if change.start <= at < change.end), None
        )

    def changed_lines_in(self, section: int) -> int:
        """The number of changed lines in a section."""
        lines = self._model.changed_lines if self._model is not None else []
        return sum(line.section == section for line in lines)

    def mark_dropped(self, section: int, numbers: Collection[int]) -> None:
        """Strikes out these changed lines of a section, and no others."""
        if self._model is None:
            return
        dropped = frozenset(
            line.start
            for line in (self._model.changed_lines if numbers else ())
            if line.section == section and line.numbers.start in numbers
        )
        if dropped != self._model.dropped:
            self._model.dropped = dropped
            self._strips.clear()
            self.repaint_changes()

    def show(self, document: DiffDocument, *, keep_place: bool = False) -> None:
        """Shows a document from its start, or keeps the scroll offset.

        Where long context lines leave the first change out of sight, it goes on there. An equal
        document stays as it is, with its painted lines.
        """
        if self._model is not None and document == self._document:
            self._reported_fraction = None
            self._report_later()
            return
        top = self.scroll_offset.y if keep_place else 0
        self._document = document
        if not self.is_attached:
            return
        self._has_two_sides = document.has_two_sides
        if not keep_place:
            self.scroll_to(x=0, animate=False, force=True)
        self._model = DiffModel(document, self.context, self._frame())
        self._seen = self._lines_seen_in(document, self._model)
        self._reported_fraction = self._match = self._search = None
        if not keep_place:
            self._target = None
        self._matches = []
        self._strips.clear()
        self._fit()
        self._go_to(top)
        self._update_pointer()
        self.repaint_changes()
        self._report_later()
        if not keep_place:
            # The first refresh gives the view its height for this document.
            self.call_after_refresh(self.call_after_refresh, self._show_first_change)

    def _show_first_change(self) -> None:
        if self._model is None or not self._model.hunks or self.scroll_offset.y:
            return
        first = self._model.hunks[0]
        if not self._is_visible(first):
            self._target = first
            self._show_line(first, lead=self.visible_lines // 3)

    def _lines_seen_in(self, document: DiffDocument, model: DiffModel) -> SeenLines:
        """The painted lines of a document, also from before another one was shown."""
        before = self._lines_by_document.get(document.id)
        if before is not None and before[0] == document:
            return before[1]
        lines = SeenLines(model.flat.lines)
        self._lines_by_document[document.id] = document, lines
        return lines

    def on_mount(self) -> None:
        """Shows the document that was set before there was a screen."""
        # Textual itself calls the base classes' `on_mount`.
        if self._document is not None:
            self.show(self._document)

    def clear(self) -> None:
        """Shows nothing."""
        self._document = self._model = None
        self._strips.clear()
        self.fit_to(Size(0, 0))
        self.refresh()

    def jump_hunk(self, delta: int) -> bool:
        """Jumps by so many hunks; False if there is none that way.

        In line-by-line mode it jumps to a changed line.
        """
        if self._model is None:
            return False
        if not self.by_lines:
            return self._jump(self._model.hunks, delta)
        has_jumped = self._jump([line.start for line in self._model.changed_lines], delta)
        self._update_pointer()
        return has_jumped

    def jump_conflict(self, delta: int) -> bool:
        """Jumps to the next conflict; False if there is none."""
        return self._model is not None and self._jump(self._model.flat.conflicts, delta)

    def show_conflict(self, index: int, *, only_when_hidden: bool = False) -> None:
        """Jumps to a conflict by its number, from 0."""
        if self._model is None or not 0 <= index < len(self._model.flat.conflicts):
            return
        at = self._model.flat.conflicts[index]
        top, line = self.scroll_offset.y, self._model.top_of(at)
        if not only_when_hidden or not top <= line < top + self.visible_lines - 1:
            self._show_line(at, lead=LEAD)

    def toggle_fold(self) -> bool:
        """Unfolds or folds the first fold on the screen; False if there is none."""
        if self._model is None:
            return False
        top = self.scroll_offset.y
        for line in range(top, min(top + self.visible_lines, self._model.total)):
            code, _, _ = self._model.item_at(line)
            if self._model.is_folded(code) or self._model.fold_of(code // 4) is not None:
                return self._toggle(code // 4)
        return False

    def search(self, text: str) -> int:
        """Highlights a text and jumps to its first match; returns the number of matching lines."""
        self._match, self._matches = None, []
        self._search = re.compile(re.escape(text), re.IGNORECASE) if text else None
        if self._model is not None:
            if self._search is not None:
                self._matches = self._model.find(self._search)
            self._reframe()
            self.next_match(1)
        return len(self._matches)

    @property
    def match_words(self) -> str:
        """The line of the current match among all: ``match 2 of 9``; empty without a search."""
        if self._search is None:
            return ""
        if self._match is None:
            return "no match"
        return f"match {self._matches.index(self._match) + 1} of {len(self._matches)}"

    def next_match(self, delta: int) -> bool:
        """Jumps to the next match, wrapping around; False if there is none."""
        if self._model is None or not self._matches:
            return False
        at = self._match if self._match is not None else self._top_line() - 1
        match = nearest(self._matches, at, delta)
        self._match = self._matches[0 if delta > 0 else -1] if match is None else match
        self._model.reveal(self._match)
        self._strips.clear()
        self._fit()
        self._show_line(self._match, lead=self.visible_lines // 3)
        self.refresh()
        return True

    def line(self, y: int) -> Strip:
        """One line of the screen."""
        model, line = self._model, y + self.scroll_offset.y
        if model is None or line >= model.total:
            return Strip.blank(self._columns, self.ground)
        code, within, _ = model.item_at(line)
        strips = self._strips.get(code)
        if strips is None:
            strips = paint(
                *(model.flat, code, model.folds, model.frame),
                dropped=code // 4 in model.dropped,
                is_pointed_at=code // 4 == self._pointed_line,
            )
            self._strips[code] = strips
        if within >= len(strips):
            return Strip.blank(self._columns, self.ground)
        return strips[within]

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region, for Textual. Once they are on the screen, that is reported."""
        strips = super().render_lines(crop)
        self._note_seen()
        self._report_later()
        return strips

    def watch_layout_mode(self) -> None:
        """Lays the document out again."""
        self._reframe()

    def watch_wrap(self) -> None:
        """Lays the document out again, from the first column."""
        self.styles.overflow_x = "hidden" if self.wrap else "auto"
        self.set_scroll(0, None)
        self._reframe()

    def watch_by_lines(self) -> None:
        """Moves the pointer to a line, or hides it."""
        self._update_pointer()

    def watch_context(self, context: int) -> None:
        """Folds the document for the new context."""
        if self._model is not None:
            at = self._top_line()
            self._model.set_context(max(0, context))
            self._restore_top(at)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Scrolls the text of both sides."""
        super().watch_scroll_x(old_value, new_value)
        if self._model is not None and not self.wrap:
            self._model.frame = self._frame()
            self._strips.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measures the lines that come into view before they are painted."""
        self._measure()
        super().watch_scroll_y(old_value, new_value)
        self._report_later()
        if self.by_lines:
            self._update_pointer()

    def drop_painted(self) -> None:
        self._strips.clear()
        if self._model is not None and self.is_attached:
            self._model.frame = self._frame()

    def on_resize(self, event: events.Resize) -> None:
        """Lays the document out for another width."""
        if self._model is not None and self._model.frame.width != self._columns:
            self._reframe()
        else:
            self._fit()

    def on_click(self, event: events.Click) -> None:
        """Unfolds or folds the clicked fold."""
        line = event.y + self.scroll_offset.y
        if self._model is not None and 0 <= line < self._model.total:
            code, _, _ = self._model.item_at(line)
            if self._model.is_folded(code):
                event.stop()
                self._toggle(code // 4)

    def _report_later(self) -> None:
        if not self._is_report_due and self.is_attached:
            self._is_report_due = True
            self.call_after_refresh(self._report_painted)

    def _report_painted(self) -> None:
        self._is_report_due = False
        if self._document is None:
            return
        if self._seen.fraction < 1.0:
            self._note_seen()
        if self._seen.fraction == self._reported_fraction:
            return
        if not any(spans for _, spans in self.rows_in_sight()):
            return  # What covers it brings on a paint when it goes.
        first, self._reported_fraction = self._reported_fraction is None, self._seen.fraction
        self.post_message(self.Painted(self, self._document, self._reported_fraction, first))

    def _note_seen(self) -> None:
        by_item: dict[int, list[list[Stretch]]] = {}
        for y, spans in self.rows_in_sight():
            for line, stretch in self._unseen_stretches(y + self.scroll_offset.y, by_item):
                if is_in(stretch.columns, spans):
                    self._seen.add(line, stretch)

    def _unseen_stretches(
        self, row: int, by_item: dict[int, list[list[Stretch]]]
    ) -> Iterator[tuple[int, Stretch]]:
        """What a row of the document shows of lines that were not seen whole, with their lines.

        `by_item` keeps those of each item, as a long line alone may fill the screen.
        """
        if self._model is None or row >= self._model.total:
            return
        code, within, _ = self._model.item_at(row)
        if self._seen.misses(code // 4):
            if code not in by_item:
                by_item[code] = stretches(self._model.flat, code, self._model.frame)
            shown = by_item[code][within : within + 1]
            yield from ((code // 4, stretch) for stretch in chain(*shown))

    def _frame(self) -> Frame:
        numbered = self._document is not None and [
            len(section.lines) for section in self._document.sections if section.numbered
        ]
        return Frame(
            width=self._columns,
            split=self.is_split,
            wrap=self.wrap,
            digits=max(3, len(str(max(numbered)))) if numbered else 0,
            scroll=self.scroll_offset.x,
            search=self._search,
            palette=self.palette,
            base=self.ground,
        )

    def _reframe(self) -> None:
        if self._model is not None:
            at = self._top_line()
            self._model.reframe(self._frame())
            self._restore_top(at)

    def _restore_top(self, at: int) -> None:
        self._strips.clear()
        self._fit()
        self._show_line(at, lead=0)
        self.refresh()
        self._report_later()

    def _toggle(self, at: int) -> bool:
        if self._model is None or not self._model.toggle(at):
            return False
        self._strips.clear()
        self._fit()
        self._measure()
        self.refresh()
        self._report_later()
        return True

    def _jump(self, places: list[int], delta: int) -> bool:
        """Jumps from the last target while it is visible, else from the top of the screen."""
        if self._model is None:
            return False
        at = self._pointed_line if self.by_lines else self._visible_target
        if at is None:
            at = self._top_line() - (delta > 0)
        target = nearest(places, at, delta)
        if target is None:
            return False
        self._target = target
        self._show_line(target, lead=LEAD)
        return True

    @property
    def _visible_target(self) -> int | None:
        """The last target of a jump, while it is visible."""
        if (
            self._model is None
            or self._target is None
            or self._target >= len(self._model.flat.lines)
        ):
            return None
        return self._target if self._is_visible(self._target) else None

    def _is_visible(self, at: int) -> bool:
        line, top = self._model.top_of(at) if self._model else -1, self.scroll_offset.y
        return top <= line < top + self.visible_lines

    def _update_pointer(self) -> None:
        change = self.current_change if self.by_lines else None
        at = None if change is None else change.start
        if at != self._pointed_line:
            self._pointed_line = at
            self._strips.clear()
            self.refresh()

    def _index_of(self, places: list[int]) -> int | None:
        place = self._visible_target
        at = self._top_line() if place is None else place
        return next((index for index, place in enumerate(places) if place >= at), None)
