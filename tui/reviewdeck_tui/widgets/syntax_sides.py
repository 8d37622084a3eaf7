"""What each line of a diff begins inside of, on either side. Worked out up to where one looks.

Every so many lines it is remembered, so that a jump goes on from there; lines in which nothing
opens or closes are passed over together, folded ones like all others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeAlias

from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import Abreast, Authors, Notice, Quote, Section
from reviewdeck_tui.widgets.syntax_state import OUTSIDE, Inside, after, spans_lines, stays

FlatLine: TypeAlias = Row | Notice | Authors | Quote | Abreast | Section | str
"""A section stands for its own title, a string for a line that is the same on both sides."""
Sides: TypeAlias = tuple[Inside, ...]
"""Left and right of a row; one for a quote; one for each column of what stands abreast."""

STEP: Final = 64
"""Lines between two places that are remembered."""
NOTHING: Final[Sides] = (OUTSIDE, OUTSIDE)


def in_full(line: FlatLine) -> Row | Notice | Authors | Quote | Abreast | Section:
    """The line as it is painted."""
    return Row(RowKind.SAME, line, line) if isinstance(line, str) else line


class SyntaxSides:
    """The sides of one document."""

    def __init__(
        self, lines: Sequence[FlatLine], starts: Sequence[int], sections: Sequence[Section]
    ) -> None:
        self._lines = lines
        self._starts = starts
        self._sections = sections
        self._known: dict[int, list[Sides]] = {}
        """For each section, by its start, the sides before every so many lines."""
        self._last = (-1, NOTHING)

    def before(self, at: int) -> Sides:
        """What a line begins inside of."""
        number = bisect_right(self._starts, at) - 1
        language = self._sections[number].language
        if not spans_lines(language):
            return NOTHING
        start, (last, sides) = self._starts[number], self._last
        first = start + (at - start) // STEP * STEP
        if not first <= last <= at:
            last, sides = first, self._at_step(start, (at - start) // STEP, language)
        sides = self._walked(sides, last, at, language)
        self._last = (at, sides)
        return sides

    def _at_step(self, start: int, step: int, language: str) -> Sides:
        known = self._known.setdefault(start, [NOTHING])
        while len(known) <= step:
            first = start + (len(known) - 1) * STEP
            known.append(self._over(known[-1], first, language))
        return known[step]

    def _over(self, sides: Sides, first: int, language: str) -> Sides:
        """The sides after one step."""
        lines = map(in_full, self._lines[first : first + STEP])
        rows = [line for line in lines if isinstance(line, Row)]
        left, right = (
            "\n".join(text for row in rows if (text := row.left if side == 0 else row.right))
            for side in (0, 1)
        )
        is_quiet = (
            len(rows) == STEP
            and len(sides) == 2
            and stays(sides[0], left, language)
            and stays(sides[1], right, language)
        )
        if is_quiet:
            return sides
        return self._walked(sides, first, first + STEP, language)

    def _walked(self, sides: Sides, first: int, end: int, language: str) -> Sides:
        for at in range(first, end):
            sides = _after_line(sides, self._lines[at], language)
        return sides


def _after_line(sides: Sides, line: FlatLine, language: str) -> Sides:
    """Where texts of another kind begin, they begin outside of everything."""
    match line:
        case Row(left=left, right=right):
            texts: tuple[str | None, ...] = (left, right)
        case Quote(text):
            texts = (text,)
        case Abreast(columns):
            texts = tuple(column.text for column in columns)
        case str():
            texts = (line, line)
        case _:
            return NOTHING
    if len(texts) != len(sides):
        sides = (OUTSIDE,) * len(texts)
    if _is_one(texts, sides):
        return (after(sides[0], texts[0] or "", language),) * 2
    return tuple(
        side if text is None else after(side, text, language)
        for side, text in zip(sides, texts, strict=True)
    )


def _is_one(texts: tuple[str | None, ...], sides: Sides) -> bool:
    """Whether both sides of a row are in the same place of the same text: most are."""
    return len(texts) == 2 and texts[0] == texts[1] and sides[0] == sides[1]
