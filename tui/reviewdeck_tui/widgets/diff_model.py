"""The mapping between screen lines and document lines of a diff. Knows no widget."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from functools import cached_property

from reviewdeck.text.rows import Row
from reviewdeck_tui.proposal.diff_document import DiffDocument, SideBySide
from reviewdeck_tui.widgets.diff_cells import Frame
from reviewdeck_tui.widgets.diff_changes import FlatChange, changed_lines, changes_of
from reviewdeck_tui.widgets.diff_items import (
    DiffPart,
    FoldSpan,
    flatten,
    folds_of,
    hunks_of,
    items_of,
)
from reviewdeck_tui.widgets.diff_paint import estimate_of, height_of
from reviewdeck_tui.widgets.diff_split import column_width
from reviewdeck_tui.widgets.heights import GROUP, Heights
from reviewdeck_tui.widgets.wrap import MOST_CHARACTERS, cells, display_line, is_plain


class DiffModel:
    """A document laid out for one frame; its folds and its frame may change."""

    def __init__(self, document: DiffDocument, context: int, frame: Frame) -> None:
        self.document = document
        self.flat = flatten(document)
        self.hunks = hunks_of(self.flat)
        self.frame = frame
        self.dropped: frozenset[int] = frozenset()
        """The lines that the operator drops."""
        self._context = context
        self._unfolded: set[int] = set()
        self._refold()

    @property
    def total(self) -> int:
        """All lines of the screen, as far as is known."""
        return self._heights.total

    @property
    def is_exact(self) -> bool:
        """Whether nothing is estimated."""
        return self._heights.is_exact

    @property
    def folds(self) -> dict[int, FoldSpan]:
        """The possible folds, by their first line."""
        return self._folds

    @cached_property
    def changes(self) -> list[FlatChange]:
        """The changes that can be dropped one by one."""
        return changes_of(self.flat, self.hunks)

    @cached_property
    def changed_lines(self) -> list[FlatChange]:
        """The changes that can be dropped line by line."""
        return changed_lines(self.flat)

    @cached_property
    def widest(self) -> int:
        """The cells of the longest line."""
        return max(map(_width_of, self.flat.lines), default=0)

    @property
    def narrowest(self) -> int:
        """The cells for text in the narrowest column."""
        columns = column_width(self.frame.width, max(1, self._most_columns))
        return min(self.frame.narrowest, self.frame.room(columns, numbered=False))

    @cached_property
    def _most_columns(self) -> int:
        lines = (line for line in self.flat.lines if isinstance(line, SideBySide))
        return max((len(line.columns) for line in lines), default=0)

    def item_at(self, line: int) -> tuple[int, int, int]:
        """The item that a screen line shows, the line within the item, and the item's height."""
        item, within = self._heights.locate(line)
        return self._items[item], within, self._heights.height(item)

    def line_at(self, line: int) -> int:
        """The document line that a screen line shows."""
        return self.item_at(line)[0] // 4

    def top_of(self, at: int) -> int:
        """The first screen line of a document line, or of the fold over it."""
        return self._heights.top(self._item_of(at))

    def reframe(self, frame: Frame) -> None:
        """Lays the document out for another frame."""
        self.frame = frame
        self._lay_out()

    def set_context(self, context: int) -> None:
        """Sets the number of context lines, and folds again what was unfolded."""
        self._context = context
        self._unfolded.clear()
        self._refold()

    def toggle(self, at: int) -> bool:
        """Unfolds or folds the fold of a line; False if there is none."""
        fold = self.fold_of(at)
        if fold is None:
            return False
        self._unfolded ^= {fold.start}
        self._lay_out()
        return True

    def reveal(self, at: int) -> None:
        """Unfolds the fold that hides a line, if one does."""
        fold = self.fold_of(at)
        if fold is not None and fold.start not in self._unfolded:
            self.toggle(at)

    def fold_of(self, at: int) -> FoldSpan | None:
        """The fold of a line, open or not."""
        index = bisect_right(self._fold_starts, at) - 1
        fold = self._folds[self._fold_starts[index]] if index >= 0 else None
        return fold if fold is not None and at < fold.end else None

    def is_folded(self, code: int) -> bool:
        """Whether an item shows a fold."""
        return code % 4 == DiffPart.FOLD

    def measure_around(self, line: int, count: int) -> bool:
        """Measures the items of these screen lines; whether any height changed."""
        return self._heights.measure_around(max(0, line), count, self._measure)

    def measure_next(self) -> None:
        """Measures some of the estimated items."""
        self._heights.measure_next(self._measure)

    def find(self, pattern: re.Pattern[str]) -> list[int]:
        """The document lines in which a pattern matches."""
        search = pattern.search
        return [at for at, line in enumerate(self.flat.lines) if any(map(search, _texts_of(line)))]

    def _measure(self, item: int) -> int:
        return height_of(self.flat, self._items[item], self.frame)

    def _refold(self) -> None:
        self._folds = folds_of(self.flat, self._context)
        self._fold_starts = sorted(self._folds)
        self._lay_out()

    def _lay_out(self) -> None:
        self._items = items_of(self.flat, self._folds, self._unfolded, split=self.frame.split)
        self._positions: array[int] | None = None
        heights = array("q", bytes(8 * len(self._items)))
        exact = bytearray(b"\1") * -(-len(self._items) // GROUP)
        text_width = self.frame.narrowest
        for item, code in enumerate(self._items):
            height = estimate_of(self.flat, code, self.frame, text_width)
            heights[item] = abs(height)
            if height < 0:
                exact[item // GROUP] = 0
        self._heights = Heights(heights, exact)

    def _item_of(self, at: int) -> int:
        if self._positions is None:
            self._positions = self._index_items()
        return self._positions[at]

    def _index_items(self) -> array[int]:
        positions = array("q", bytes(8 * len(self.flat.lines)))
        for item in range(len(self._items) - 1, -1, -1):
            code = self._items[item]
            at = code // 4
            if code % 4 == DiffPart.FOLD:
                positions[at : self._folds[at].end] = array(
                    "q", [item] * (self._folds[at].end - at)
                )
            else:
                positions[at] = item
        return positions


def _texts_of(line: object) -> tuple[str, ...]:
    if isinstance(line, str):
        return (line[:MOST_CHARACTERS],)
    if isinstance(line, Row):
        left, right = line.left, line.right
        texts = (left,) if right is None or left == right else (left, right)
        return tuple(text[:MOST_CHARACTERS] for text in texts if text is not None)
    if isinstance(line, SideBySide):
        columns = (column.text for column in line.columns if column.text is not None)
        return tuple(text[:MOST_CHARACTERS] for text in columns)
    text = getattr(line, "text", None)
    return (text,) if isinstance(text, str) else ()


def _width_of(line: object) -> int:
    note = f"  ⟨{line.note}⟩" if isinstance(line, Row) and line.note else ""
    return max((_cells_of(text) + cells(note) for text in _texts_of(line)), default=0)


def _cells_of(text: str) -> int:
    if len(text) < MOST_CHARACTERS and is_plain(text):
        return len(text)
    return cells(display_line(f"{text} ").text)  # with a mark of the cut, if it is as long as that


def nearest(places: list[int], at: int, delta: int) -> int | None:
    """The place `delta` steps after or before a line; None if there is none."""
    start = bisect_right(places, at) - 1 if delta > 0 else bisect_left(places, at)
    index = start + delta
    return places[index] if 0 <= index < len(places) else None
