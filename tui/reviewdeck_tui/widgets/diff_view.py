"""The diff: any length, laid out and painted only where somebody looks.

It binds no key. The app's table of actions calls `scroll_lines`, `jump_hunk` and the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.widgets.diff_cells import Frame
from reviewdeck_tui.widgets.diff_changes import FlatChange
from reviewdeck_tui.widgets.diff_model import DiffModel, nearest
from reviewdeck_tui.widgets.diff_paint import paint
from reviewdeck_tui.widgets.laid_out import LEAD, LaidOut
from reviewdeck_tui.widgets.palette import Palette
from reviewdeck_tui.widgets.seen import SeenLines

Layout = Literal["auto", "split", "unified"]

SPLIT_FROM: Final = 96
"""Columns of its own from which the automatic layout has two sides: 160 beside a queue of 58."""
_CACHED: Final = 128
_KEPT: Final = 64
"""Documents of which it is remembered what was seen, when others were shown since."""


class DiffView(LaidOut, can_focus=True):
    """One document of sections, in two sides or in one."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    DiffView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        height: 1fr;
    }
    """

    layout_mode: reactive[Layout] = reactive("auto", repaint=False)
    context: reactive[int] = reactive(3, repaint=False)
    by_lines: reactive[bool] = reactive(False, repaint=False)
    """Whether the next change is the next changed line, and one of them is pointed at."""

    class Painted(Message):
        """Lines of a document came on the screen."""

        def __init__(self, view: DiffView, id: str, fraction_seen: float, first: bool) -> None:
            super().__init__()
            self.view = view
            self.id = id
            self.fraction_seen = fraction_seen
            """How much of what changes has been on the screen since it was first shown, 0 to 1."""
            self.first_paint = first

        @property
        def control(self) -> DiffView:
            """The view that sent it."""
            return self.view

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._document: DiffDocument | None = None
        self._seen = SeenLines(())
        self._earlier: LRUCache[str, tuple[DiffDocument, SeenLines]] = LRUCache(_KEPT)
        self._painted: float | None = None
        self._hunk: int | None = None
        self._pointed_at: int | None = None
        self._matches: list[int] = []
        self._match: int | None = None
        self._search: re.Pattern[str] | None = None
        self._palette: Palette | None = None
        self._strips: LRUCache[int, list[Strip]] = LRUCache(_CACHED)
        self._looking = False
        self._has_two_sides = True

    @property
    def document(self) -> DiffDocument | None:
        """What is shown."""
        return self._document

    @property
    def is_split(self) -> bool:
        """Whether it has two sides at this width."""
        if self.layout_mode == "auto":
            return self._has_two_sides and self.size.width >= SPLIT_FROM
        return self.layout_mode == "split"

    @property
    def fraction_seen(self) -> float:
        """How much of what changes has been on the screen, over all times that it was shown."""
        return self._seen.fraction

    @property
    def current_hunk(self) -> int | None:
        """Which of the document's hunks was jumped to last, from 0; else the first in sight."""
        return self._index_of(self._model.hunks if self._model else [])

    @property
    def hunk_count(self) -> int:
        """How many runs of changes there are."""
        return len(self._model.hunks) if self._model else 0

    @property
    def current_change(self) -> FlatChange | None:
        """Which change is looked at: an entry of a memory, a run of lines, or a single line."""
        if self._model is None:
            return None
        if self.by_lines:
            lines = self._model.changed_lines
            index = self._index_of([one.start for one in lines])
            is_here = index is not None and self._is_in_sight(lines[index].start)
            return lines[index] if index is not None and is_here else None
        hunk = self.current_hunk
        if hunk is None:
            return None
        at = self._model.hunks[hunk]
        return next((one for one in self._model.changes if one.start <= at < one.end), None)

    def changed_lines_in(self, section: int) -> int:
        """How many lines a section changes."""
        lines = self._model.changed_lines if self._model is not None else []
        return sum(one.section == section for one in lines)

    def mark_dropped(self, section: int, numbers: Collection[int]) -> None:
        """Shows these changed lines of a section as left out, and no others."""
        if self._model is None:
            return
        dropped = frozenset(
            one.start
            for one in (self._model.changed_lines if numbers else ())
            if one.section == section and one.numbers.start in numbers
        )
        if dropped != self._model.dropped:
            self._model.dropped = dropped
            self._strips.clear()
            self.repaint_changes()

    @property
    def conflict_count(self) -> int:
        """How many conflicts there are."""
        return len(self._model.flat.conflicts) if self._model else 0

    def show(self, document: DiffDocument, *, keep_place: bool = False) -> None:
        """Replaces what is shown; from its beginning, unless its place is to be kept.

        The same document again stays as it is, with what was seen of it.
        """
        if self._model is not None and document == self._document:
            self._painted = None
            self._look_later()
            return
        top = self.scroll_offset.y if keep_place else 0
        self._document = document
        if not self.is_attached:
            return
        self._has_two_sides = document.has_two_sides
        self._model = DiffModel(document, self.context, self._frame())
        self._seen = self._seen_of(document, self._model)
        self._painted = self._match = self._search = None
        if not keep_place:
            self._hunk = None
        self._matches = []
        self._strips.clear()
        self._fit()
        self._go_to(top)
        self._point_anew()
        self.repaint_changes()
        self._look_later()

    def _seen_of(self, document: DiffDocument, model: DiffModel) -> SeenLines:
        """What was seen of a document, also before another one was shown."""
        before = self._earlier.get(document.id)
        if before is not None and before[0] == document:
            return before[1]
        seen = SeenLines(model.flat.lines)
        self._earlier[document.id] = document, seen
        return seen

    def on_mount(self) -> None:
        """Lays out what was given before there was a screen."""
        # Textual itself calls what the classes above this one do when they are mounted.
        if self._document is not None:
            self.show(self._document)

    def clear(self) -> None:
        """Shows nothing."""
        self._document = self._model = None
        self._strips.clear()
        self.fit_to(Size(0, 0))
        self.refresh()

    def jump_hunk(self, delta: int) -> bool:
        """Goes to the next run of changes, or so many before; False when there is none.

        Line by line it is the next changed line.
        """
        if self._model is None:
            return False
        if not self.by_lines:
            return self._jump(self._model.hunks, delta)
        found = self._jump([one.start for one in self._model.changed_lines], delta)
        self._point_anew()
        return found

    def jump_conflict(self, delta: int) -> bool:
        """Goes to the next conflict; False when there is none."""
        return self._model is not None and self._jump(self._model.flat.conflicts, delta)

    def show_conflict(self, index: int, *, only_when_hidden: bool = False) -> None:
        """Goes to a conflict by its number, from 0."""
        if self._model is None or not 0 <= index < len(self._model.flat.conflicts):
            return
        at = self._model.flat.conflicts[index]
        top, line = self.scroll_offset.y, self._model.top_of(at)
        if not only_when_hidden or not top <= line < top + self._visible_lines - 1:
            self._show_line(at, lead=LEAD)

    def toggle_fold(self) -> bool:
        """Opens or closes the fold at the top of the screen, else the first that is in sight."""
        if self._model is None:
            return False
        top = self.scroll_offset.y
        for line in range(top, min(top + self._visible_lines, self._model.total)):
            code, _, _ = self._model.item_at(line)
            if self._model.is_folded(code) or self._model.fold_of(code // 4) is not None:
                return self._toggle(code // 4)
        return False

    def search(self, text: str) -> int:
        """Marks a text wherever it stands and goes to the first place; says in how many lines."""
        self._match, self._matches = None, []
        self._search = re.compile(re.escape(text), re.IGNORECASE) if text else None
        if self._model is not None:
            if self._search is not None:
                self._matches = self._model.find(self._search)
            self._reframe()
            self.next_match(1)
        return len(self._matches)

    def next_match(self, delta: int) -> bool:
        """Goes to the next line with what was searched, round the end; False when there is none."""
        if self._model is None or not self._matches:
            return False
        at = self._match if self._match is not None else self._top_line() - 1
        found = nearest(self._matches, at, delta)
        self._match = self._matches[0 if delta > 0 else -1] if found is None else found
        self._model.reveal(self._match)
        self._strips.clear()
        self._fit()
        self._show_line(self._match, lead=self._visible_lines // 3)
        self.refresh()
        return True

    def line(self, y: int) -> Strip:
        """One line of the screen."""
        model, line = self._model, y + self.scroll_offset.y
        if model is None or line >= model.total:
            return Strip.blank(self._columns, self.ground)
        code, within, height = model.item_at(line)
        strips = self._strips.get(code)
        if strips is None:
            strips = paint(
                *(model.flat, code, model.folds, model.frame),
                dropped=code // 4 in model.dropped,
                pointed_at=code // 4 == self._pointed_at,
            )
            self._strips[code] = strips
        if within >= len(strips):
            return Strip.blank(self._columns, self.ground)
        if not model.is_folded(code):
            self._seen.add(code // 4, code % 4, first=within == 0, last=within == height - 1)
        return strips[within]

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region. Once they are on the screen, that is reported."""
        self._look_later()
        return super().render_lines(crop)

    def watch_layout_mode(self) -> None:
        """Lays out anew."""
        self._reframe()

    def watch_wrap(self) -> None:
        """Lays out anew, from the first column."""
        self.styles.overflow_x = "hidden" if self.wrap else "auto"
        self.set_scroll(0, None)
        self._reframe()

    def watch_by_lines(self) -> None:
        """Points at a line, or at none."""
        self._point_anew()

    def watch_context(self, context: int) -> None:
        """Folds anew."""
        if self._model is not None:
            at = self._top_line()
            self._model.set_context(max(0, context))
            self._relaid(at)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Moves the text of both sides."""
        super().watch_scroll_x(old_value, new_value)
        if self._model is not None and not self.wrap:
            self._model.frame = self._frame()
            self._strips.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measures what comes into view before it is painted."""
        self._measure()
        super().watch_scroll_y(old_value, new_value)
        self._look_later()
        if self.by_lines:
            self._point_anew()

    def restyled(self) -> None:
        """Takes the colours of the theme anew."""
        self._palette = None
        self._strips.clear()
        if self._model is not None and self.is_attached:
            self._model.frame = self._frame()

    def on_resize(self, event: events.Resize) -> None:
        """Lays out anew for another width."""
        if self._model is not None and self._model.frame.width != self._columns:
            self._reframe()
        else:
            self._fit()

    def on_click(self, event: events.Click) -> None:
        """Opens or closes the fold that was clicked on."""
        line = event.y + self.scroll_offset.y
        if self._model is not None and 0 <= line < self._model.total:
            code, _, _ = self._model.item_at(line)
            if self._model.is_folded(code):
                event.stop()
                self._toggle(code // 4)

    def _look_later(self) -> None:
        if not self._looking and self.is_attached:
            self._looking = True
            self.call_after_refresh(self._look)

    def _look(self) -> None:
        """Reports what has been painted."""
        self._looking = False
        if self.app.is_headless:  # which never paints: what would be on the screen counts
            for y in range(self.size.height):
                self.render_line(y)
        if self._document is None or not self.size or self._seen.fraction == self._painted:
            return
        first, self._painted = self._painted is None, self._seen.fraction
        self.post_message(self.Painted(self, self._document.id, self._painted, first))

    def _frame(self) -> Frame:
        if self._palette is None:
            self._palette = Palette(self.app.current_theme)
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
            palette=self._palette,
            base=self.ground,
        )

    def _reframe(self) -> None:
        if self._model is not None:
            at = self._top_line()
            self._model.reframe(self._frame())
            self._relaid(at)

    def _relaid(self, at: int) -> None:
        """Everything has moved: the line that was at the top is put there again."""
        self._strips.clear()
        self._fit()
        self._show_line(at, lead=0)
        self.refresh()
        self._look_later()

    def _toggle(self, at: int) -> bool:
        if self._model is None or not self._model.toggle(at):
            return False
        self._strips.clear()
        self._fit()
        self._measure()
        self.refresh()
        self._look_later()
        return True

    def _jump(self, places: list[int], delta: int) -> bool:
        """From what was jumped to last while it is in sight, else from the top of the screen."""
        if self._model is None:
            return False
        at = self._pointed_at if self.by_lines else self._place
        if at is None:
            at = self._top_line() - (delta > 0)
        found = nearest(places, at, delta)
        if found is None:
            return False
        self._hunk = found
        self._show_line(found, lead=LEAD)
        return True

    @property
    def _place(self) -> int | None:
        """What was jumped to last, while it is in sight."""
        if self._model is None or self._hunk is None or self._hunk >= len(self._model.flat.lines):
            return None
        return self._hunk if self._is_in_sight(self._hunk) else None

    def _is_in_sight(self, at: int) -> bool:
        line, top = self._model.top_of(at) if self._model else -1, self.scroll_offset.y
        return top <= line < top + self._visible_lines

    def _point_anew(self) -> None:
        """The line that is pointed at may be another one."""
        change = self.current_change if self.by_lines else None
        at = None if change is None else change.start
        if at != self._pointed_at:
            self._pointed_at = at
            self._strips.clear()
            self.refresh()

    def _index_of(self, places: list[int]) -> int | None:
        place = self._place
        at = self._top_line() if place is None else place
        return next((index for index, place in enumerate(places) if place >= at), None)
