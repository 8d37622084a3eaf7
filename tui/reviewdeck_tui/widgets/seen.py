"""The part of a diff's changed text that was in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Notice, Quote, SideBySide
from reviewdeck_tui.widgets.diff_cells import Stretch
from reviewdeck_tui.widgets.diff_items import FlatLine
from reviewdeck_tui.widgets.wrap import MOST_CHARACTERS

_LEFT: Final = 0b01
_RIGHT: Final = 0b10
_OF_ROWS: Final = {
    RowKind.SAME: 0,
    RowKind.GAP: 0,
    RowKind.NOTICE: 0,
    RowKind.ADDED: _RIGHT,
    RowKind.REMOVED: _LEFT,
    RowKind.CHANGED: _LEFT | _RIGHT,
}


class SeenLines:
    """For each line, whether every character of it was in sight, on each side that changes.

    A line too long to be shown whole never counts as seen.
    """

    def __init__(self, lines: Sequence[FlatLine]) -> None:
        self._never = {at for at, line in enumerate(lines) if _is_cut(line)}
        self._missing = bytearray(_sides(line) for line in lines)
        """The sides that are not seen whole yet, one bit each."""
        self._total = sum(1 for sides in self._missing if sides)
        self._unseen = self._total
        self._parts: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """The parts in sight so far of what is not seen whole, by line and side."""

    @property
    def fraction(self) -> float:
        """0 to 1; 1 when nothing changes."""
        return 1.0 if not self._total else (self._total - self._unseen) / self._total

    def misses(self, line: int) -> bool:
        """Whether a part of this line was not in sight yet."""
        return bool(self._missing[line])

    def add(self, line: int, stretch: Stretch) -> None:
        """Records a stretch of a line that is in sight."""
        bit = 1 << stretch.side
        if not self._missing[line] & bit:
            return
        parts = _joined([*self._parts.pop((line, stretch.side), ()), (stretch.start, stretch.end)])
        if parts[0][0] > 0 or parts[0][1] < stretch.length:
            self._parts[line, stretch.side] = parts
            return
        if line not in self._never:
            self._missing[line] &= ~bit
            self._unseen -= not self._missing[line]


def _joined(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    parts.sort()
    joined = parts[:1]
    for start, end in parts[1:]:
        if start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _sides(line: FlatLine) -> int:
    match line:
        case Row():
            return _OF_ROWS[line.kind]
        case Notice():
            return _LEFT | _RIGHT if line.aside else _LEFT
        case Quote():
            return _LEFT
        case SideBySide():
            return sum(1 << n for n, column in enumerate(line.columns) if column.text is not None)
        case _:
            return 0


def _is_cut(line: FlatLine) -> bool:
    match line:
        case Row():
            texts = [line.left, line.right]
        case Quote():
            texts = [line.text]
        case SideBySide():
            texts = [column.text for column in line.columns]
        case _:
            return False
    return any(len(text or "") > MOST_CHARACTERS for text in texts)
