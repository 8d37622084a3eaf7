"""The syntax that each diff line begins inside of, on either side, computed up to the visible part.

Every `STEP` lines it is cached, so that a jump continues from there; lines in which nothing
opens or closes are skipped together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeAlias

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Authors, Notice, Quote, Section, SideBySide
from reviewdeck_tui.widgets.syntax_state import (
    OUTSIDE,
    Inside,
    is_unaffected,
    spans_lines,
    state_after,
)

FlatLine: TypeAlias = Row | Notice | Authors | Quote | SideBySide | Section | str
"""A section stands for its title, a string for a line that is the same on both sides."""
Sides: TypeAlias = tuple[Inside, ...]
"""Left and right of a row; one for a quote; one for each column of texts side by side."""

STEP: Final = 64
"""Lines between two cached places."""
NOTHING: Final[Sides] = (OUTSIDE, OUTSIDE)


def as_painted(line: FlatLine) -> Row | Notice | Authors | Quote | SideBySide | Section:
    return Row(RowKind.SAME, line, line) if isinstance(line, str) else line


class SyntaxSides:
    """The syntax of both sides of one document."""

    def __init__(
        self, lines: Sequence[FlatLine], starts: Sequence[int], sections: Sequence[Section]
    ) -> None:
        self._lines = lines
        self._starts = starts
        self._sections = sections
        self._cached: dict[int, list[Sides]] = {}
        """For each section, by its start, the sides before every `STEP` lines."""
        self._last = (-1, NOTHING)

    def sides_before(self, at: int) -> Sides:
        """The syntax that a line begins inside of."""
        number = bisect_right(self._starts, at) - 1
        language = self._sections[number].language
        if not spans_lines(language):
            return NOTHING
        start, (last, sides) = self._starts[number], self._last
        first = start + (at - start) // STEP * STEP
        if not first <= last <= at:
            last, sides = first, self._sides_at(start, (at - start) // STEP, language)
        sides = self._after_lines(sides, last, at, language)
        self._last = (at, sides)
        return sides

    def _sides_at(self, start: int, step: int, language: str) -> Sides:
        cached = self._cached.setdefault(start, [NOTHING])
        while len(cached) <= step:
            first = start + (len(cached) - 1) * STEP
            cached.append(self._after_step(cached[-1], first, language))
        return cached[step]

    def _after_step(self, sides: Sides, first: int, language: str) -> Sides:
        lines = map(as_painted, self._lines[first : first + STEP])
        rows = [line for line in lines if isinstance(line, Row)]
        left, right = (
            "\n".join(text for row in rows if (text := row.left if side == 0 else row.right))
            for side in (0, 1)
        )
        is_quiet = (
            len(rows) == STEP
            and len(sides) == 2
            and is_unaffected(sides[0], left, language)
            and is_unaffected(sides[1], right, language)
        )
        if is_quiet:
            return sides
        return self._after_lines(sides, first, first + STEP, language)

    def _after_lines(self, sides: Sides, first: int, end: int, language: str) -> Sides:
        for at in range(first, end):
            sides = _after_line(sides, self._lines[at], language)
        return sides


def _after_line(sides: Sides, line: FlatLine, language: str) -> Sides:
    """The sides after a line. A text of another kind starts outside of everything."""
    match line:
        case Row(left=left, right=right):
            texts: tuple[str | None, ...] = (left, right)
        case Quote(text):
            texts = (text,)
        case SideBySide(columns):
            texts = tuple(column.text for column in columns)
        case str():
            texts = (line, line)
        case _:
            return NOTHING
    if len(texts) != len(sides):
        sides = (OUTSIDE,) * len(texts)
    if len(texts) == 2 and texts[0] == texts[1] and sides[0] == sides[1]:
        return (state_after(sides[0], texts[0] or "", language),) * 2
    return tuple(
        side if text is None else state_after(side, text, language)
        for side, text in zip(sides, texts, strict=True)
    )
