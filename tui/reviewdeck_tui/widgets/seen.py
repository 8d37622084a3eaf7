"""The part of a diff's changed lines that was painted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Notice, Quote, SideBySide
from reviewdeck_tui.widgets.diff_items import DiffPart, FlatLine
from reviewdeck_tui.widgets.wrap import MOST_CHARACTERS

_LEFT: Final = 0b0011
_RIGHT: Final = 0b1100
_BOTH: Final = _LEFT | _RIGHT
_FIRST: Final = 0b0101
_LAST: Final = 0b1010
_NEVER: Final = 0b10000
_OF_ROWS: Final = {
    RowKind.SAME: 0,
    RowKind.GAP: 0,
    RowKind.NOTICE: 0,
    RowKind.ADDED: _RIGHT,
    RowKind.REMOVED: _LEFT,
    RowKind.CHANGED: _BOTH,
}


class PaintedLines:
    """For each line, whether its start and its end were painted, on either side.

    A line too long to be shown whole never counts as painted.
    """

    def __init__(self, lines: Sequence[FlatLine]) -> None:
        self._needed = bytearray(_needed(line) for line in lines)
        self._painted = bytearray(len(lines))
        self._total = sum(1 for needed in self._needed if needed)
        self._unpainted = self._total

    @property
    def fraction(self) -> float:
        """0 to 1; 1 when nothing changes."""
        return 1.0 if not self._total else (self._total - self._unpainted) / self._total

    def add(self, line: int, part: int, *, first: bool, last: bool) -> None:
        """Records a painted screen line: the first or last of its item, or neither."""
        needed, painted = self._needed[line], self._painted[line]
        if not needed & ~painted:
            return
        side = {DiffPart.LEFT: _LEFT, DiffPart.RIGHT: _RIGHT}.get(DiffPart(part), _BOTH)
        painted |= side & ((_FIRST if first else 0) | (_LAST if last else 0))
        self._painted[line] = painted
        self._unpainted -= not needed & ~painted


def _needed(line: FlatLine) -> int:
    if isinstance(line, Row):
        needed = _OF_ROWS[line.kind]
        if not needed:
            return 0
        is_long = max(len(line.left or ""), len(line.right or "")) > MOST_CHARACTERS
        return needed | _NEVER if is_long else needed
    return _BOTH if isinstance(line, Notice | Quote | SideBySide) else 0
