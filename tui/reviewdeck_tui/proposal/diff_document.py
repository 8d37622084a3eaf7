"""What a diff view shows: a document of sections, each a list of lines. Values only.

The texts are as the agent wrote them: the view makes them visible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import TypeAlias

from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark


class Tone(StrEnum):
    """How a notice is meant."""

    PLAIN = "plain"
    HEADING = "heading"
    """The title of one entry, place or file within a section."""
    LOST = "lost"
    """Text that goes away."""
    OVER = "over"
    """Something is wrong with the result: over budget, not comparable."""
    QUIET = "quiet"
    OPEN = "open"
    """Somebody has to decide here."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence of ours between the lines of a document."""

    text: str
    tone: Tone = Tone.PLAIN
    aside: str = ""
    """Stands at the right edge of the same line."""


@dataclass(frozen=True, slots=True)
class Authors:
    """Who wrote the two sides of the lines that follow."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Quote:
    """One line of a text that stands over both sides: a base, a candidate."""

    text: str


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """One line of one of several texts that stand side by side."""

    text: str | None
    """None where this text has nothing beside what the others have."""
    sign: str = " "
    tone: str = ""
    """added, removed, or empty for what did not change."""
    marks: tuple[Mark, ...] = ()
    flags: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Abreast:
    """One line of as many texts as there are columns, all of one width."""

    columns: tuple[SplitColumn, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Unchanged lines that are shown as one until they are opened."""

    rows: tuple[Row | str, ...]
    """A string is a line that is the same on both sides: there may be very many of them."""
    label: str


Line: TypeAlias = Row | Notice | Authors | Quote | Abreast | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """One text document of a proposal."""

    title: str
    """Empty for one that needs no line of its own for it."""
    lines: tuple[Line, ...]
    note: str = ""
    """Stands beside the title: that it is new, goes away, is a conflict."""
    language: str = ""
    """What its lines are coloured as; empty for plain text."""
    numbered: bool = False
    """Whether lines have numbers."""
    conflicts: tuple[int, ...] = ()
    """Indices of the lines at which a conflict begins."""
    flags: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict)
    """By index of a line: what findings are about, in characters of its right text."""


@dataclass(frozen=True, slots=True)
class DiffDocument:
    """Everything that is shown of one proposal, or of several composed."""

    id: str
    title: str
    sections: tuple[Section, ...]

    @property
    def has_two_sides(self) -> bool:
        """Whether there is something to read on either side: not where text only comes, or goes."""
        kinds: set[RowKind] = set()
        for line in chain.from_iterable(section.lines for section in self.sections):
            if isinstance(line, Row):
                kinds.add(line.kind)
            if isinstance(line, Authors) or RowKind.CHANGED in kinds:
                return True
        return {RowKind.REMOVED, RowKind.ADDED} <= kinds
