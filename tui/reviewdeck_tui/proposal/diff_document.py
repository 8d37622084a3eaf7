"""The document that a diff view shows: sections of lines. Values only.

Its texts are as the agent wrote them: the view makes them inert.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, groupby
from typing import TypeAlias

from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark


class Tone(StrEnum):
    """The meaning of a notice, for its colour and sign."""

    PLAIN = "plain"
    HEADING = "heading"
    """The title of one entry, place or file within a section."""
    LOST = "lost"
    """Text that is lost."""
    OVER = "over"
    """A problem of the result: over budget, not comparable."""
    QUIET = "quiet"
    OPEN = "open"
    """A place that the operator has to decide."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence of ours between the lines of a document."""

    text: str
    tone: Tone = Tone.PLAIN
    aside: str = ""
    """Shown at the right edge of the same line."""


@dataclass(frozen=True, slots=True)
class Authors:
    """The authors of the two sides of the lines below."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Quote:
    """One line across both sides: of a base, or of a candidate."""

    text: str


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """One line of one of several texts side by side."""

    text: str | None
    """None where the other texts have a line and this one has not."""
    sign: str = " "
    tone: str = ""
    """added, removed, or empty for unchanged."""
    marks: tuple[Mark, ...] = ()
    flags: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One line of several texts, in columns of one width."""

    columns: tuple[SplitColumn, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Unchanged lines, shown as one until they are unfolded."""

    rows: tuple[Row | str, ...]
    """A string is a line that is the same on both sides, which costs less memory than a row."""
    label: str


Line: TypeAlias = Row | Notice | Authors | Quote | SideBySide | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """One text document of a proposal."""

    title: str
    """Empty for a section without a title line."""
    lines: tuple[Line, ...]
    note: str = ""
    """Shown with the title: new, deleted, a conflict."""
    language: str = ""
    """The language that colours its lines; empty for plain text."""
    numbered: bool = False
    """Whether lines have numbers."""
    conflicts: tuple[int, ...] = ()
    """Indices of the lines at which a conflict begins."""
    flags: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict)
    """By the index of a line: the spans of findings, in characters of its right text."""


@dataclass(frozen=True, slots=True)
class DiffDocument:
    """The diff of one proposal, or of several composed."""

    id: str
    title: str
    sections: tuple[Section, ...]

    @property
    def has_two_sides(self) -> bool:
        """Whether both sides have text: not if lines are only added, or only removed."""
        kinds: set[RowKind] = set()
        for line in chain.from_iterable(section.lines for section in self.sections):
            if isinstance(line, Row):
                kinds.add(line.kind)
            if isinstance(line, Authors) or RowKind.CHANGED in kinds:
                return True
        return {RowKind.REMOVED, RowKind.ADDED} <= kinds


PADDING = 20
"""Blank lines from which a run is folded: padding pushes what follows out of sight."""


def without_padding(section: Section) -> Section:
    """The section with its long blank runs folded; conflicts and flags keep their lines."""
    lines: list[Line] = []
    places: dict[int, int] = {}
    at = 0
    for is_blank, run in groupby(section.lines, _is_blank_addition):
        members = list(run)
        rows = tuple(line for line in members if isinstance(line, Row))
        if is_blank and len(rows) >= PADDING:
            lines.append(Fold(rows, f"{len(rows):,} blank lines"))
        else:
            places.update((at + step, len(lines) + step) for step in range(len(members)))
            lines += members
        at += len(members)
    if len(lines) == len(section.lines):
        return section
    return replace(
        section,
        lines=tuple(lines),
        conflicts=tuple(places[place] for place in section.conflicts if place in places),
        flags={places[place]: marks for place, marks in section.flags.items() if place in places},
    )


def _is_blank_addition(line: Line) -> bool:
    return isinstance(line, Row) and line.kind is RowKind.ADDED and not (line.right or "").strip()
