"""Secrets covered on the screens until the operator asks to see them. It is the view alone.

Diffs, lines and cards are covered here on their way to the widgets. What is decided on, drafted,
copied or edited stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, overload

from reviewdeck.errors import ReviewdeckError
from reviewdeck.policy.redact import Redaction, redact
from reviewdeck.presentation.document_diff import redacted_row
from reviewdeck.text.rows import Row
from reviewdeck_tui.proposal import panes
from reviewdeck_tui.proposal.diff_document import (
    Abreast,
    DiffDocument,
    Fold,
    Line,
    Notice,
    Quote,
    Section,
    Tone,
)
from reviewdeck_tui.widgets.cards import Card, Cards, Leaf

_PART: Final = 256
"""Lines that are looked at together."""
STILL_COVERED = " Secrets in it are covered there too; the palette (ctrl+p) shows them."
"""What is said where something was copied as it was shown."""
COVERED = Notice("Secrets are covered here. The palette (ctrl+p) shows them.", Tone.QUIET)


def covered(document: DiffDocument, cover: Redaction | None = None) -> DiffDocument:
    """The document with its secrets covered; the same one where there are none.

    `cover` knows of more than the document shows, where there is such a one.
    """
    cover = cover or Redaction(texts_of(document))
    sections = tuple(_section(section, cover) for section in document.sections)
    return document if sections == document.sections else replace(document, sections=sections)


def texts_of(document: DiffDocument) -> Iterator[str]:
    """The texts in one piece: a key goes over many lines."""
    for section in document.sections:
        rows = [line for line in section.lines if isinstance(line, Row)]
        yield "\n".join(row.left for row in rows if row.left is not None)
        yield "\n".join(row.right for row in rows if row.right is not None)


def _section(section: Section, cover: Redaction) -> Section:
    moved = dict(_moved(section.lines, cover))
    if not moved:
        return section
    lines = tuple(moved.get(at, line) for at, line in enumerate(section.lines))
    flags = {at: marks for at, marks in section.flags.items() if at not in moved}
    return replace(section, lines=(*lines, COVERED), flags=flags)


def _moved(lines: Sequence[Line], cover: Redaction) -> Iterator[tuple[int, Line]]:
    """The lines in which something is covered. Only parts that may hold some are gone through."""
    for start in range(0, len(lines), _PART):
        part = lines[start : start + _PART]
        if not cover.may_touch("\n".join(text for line in part for text in _texts(line))):
            continue
        for at, line in enumerate(part, start):
            if (shown := _line(line, cover)) != line:
                yield at, shown


def _texts(line: Line | str) -> Iterator[str]:
    """Every text of a line that `_line` covers."""
    match line:
        case str():
            yield line
        case Row(left=left, right=right):
            yield from (text for text in (left, right) if text is not None)
        case Quote(text) | Notice(text):
            yield text
        case Fold(rows):
            yield from (text for row in rows for text in _texts(row))
        case Abreast(columns):
            yield from (one.text for one in columns if one.text)
        case _:
            return


def _line(line: Line, cover: Redaction) -> Line:
    match line:
        case Row():
            return redacted_row(line, cover)
        case Quote(text):
            return Quote(cover.text(text))
        case Notice(text):
            return replace(line, text=cover.text(text))
        case Fold(rows):
            hidden_rows = (
                cover.text(row) if isinstance(row, str) else redacted_row(row, cover)
                for row in rows
            )
            return replace(line, rows=tuple(hidden_rows))
        case Abreast(columns):
            hidden = ((one, one.text and cover.text(one.text)) for one in columns)
            return Abreast(
                tuple(
                    one if text == one.text else replace(one, text=text, marks=(), flags=())
                    for one, text in hidden
                )
            )
        case _:
            return line


def covered_line(line: panes.Line, cover: Redaction) -> panes.Line:
    """A line of facts with its secrets covered; ids, times and actors in it are ours."""
    return tuple(
        (text if isinstance(text, panes.Ours) else cover.text(text), tone) for text, tone in line
    )


def complaint(error: ReviewdeckError) -> str:
    """What went wrong, in one line: an error may quote what somebody asked for."""
    return redact(f"{error.message} {error.hint}".strip())


class CoveredCards(Sequence[Card]):
    """Cards with their secrets covered, each when it is looked at."""

    def __init__(self, cards: Cards, cover: Redaction) -> None:
        self._cards = cards
        self._cover = cover

    def __len__(self) -> int:
        return len(self._cards)

    @overload
    def __getitem__(self, place: int) -> Card: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Card]: ...
    def __getitem__(self, place: int | slice) -> Card | Sequence[Card]:
        if isinstance(place, slice):
            return [self._card(card) for card in self._cards[place]]
        return self._card(self._cards[place])

    def _card(self, card: Card) -> Card:
        leaves = tuple(map(self._leaf, card.leaves))
        return replace(card, leaves=leaves, aside=tuple(map(self._leaf, card.aside)))

    def _leaf(self, leaf: Leaf) -> Leaf:
        if isinstance(leaf.text, panes.Ours):
            return leaf
        text = self._cover.text(leaf.text)
        return leaf if text == leaf.text else replace(leaf, text=text, marks=())
