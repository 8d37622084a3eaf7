"""The redaction of the screens, until the operator shows secrets. It affects only the view.

Diffs, lines and cards are redacted on their way to the widgets. What is decided on, drafted,
copied or edited stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.presentation.document_diff import redacted_row
from reviewdeck.text.redact import Redaction, redact
from reviewdeck.text.rows import Row
from reviewdeck_tui.proposal import panes
from reviewdeck_tui.proposal.diff_document import (
    DiffDocument,
    Fold,
    Line,
    Notice,
    Quote,
    Section,
    SideBySide,
    Tone,
)
from reviewdeck_tui.widgets.cards import Card, Cards, Leaf
from reviewdeck_tui.widgets.on_demand import OnDemand

_PART: Final = 256
"""Lines that are checked together."""
STILL_COVERED = " Secrets in it are covered there too; the palette (ctrl+p) shows them."
"""The note on a copy of redacted text."""
COVERED = Notice("Secrets are covered here. The palette (ctrl+p) shows them.", Tone.QUIET)


def redacted(document: DiffDocument, redaction: Redaction | None = None) -> DiffDocument:
    """The document without its secrets; the same object if there are none.

    `cover` may know secrets from more text than the document shows.
    """
    redaction = redaction or Redaction(texts_of(document))
    sections = tuple(_redact_section(section, redaction) for section in document.sections)
    return document if sections == document.sections else replace(document, sections=sections)


def texts_of(document: DiffDocument) -> Iterator[str]:
    """The texts of each side in one piece: a key spans many lines."""
    for section in document.sections:
        rows = [line for line in section.lines if isinstance(line, Row)]
        yield "\n".join(row.left for row in rows if row.left is not None)
        yield "\n".join(row.right for row in rows if row.right is not None)


def _redact_section(section: Section, redaction: Redaction) -> Section:
    redacted_lines = dict(_redact_lines(section.lines, redaction))
    if not redacted_lines:
        return section
    lines = tuple(redacted_lines.get(at, line) for at, line in enumerate(section.lines))
    flags = {at: marks for at, marks in section.flags.items() if at not in redacted_lines}
    return replace(section, lines=(*lines, COVERED), flags=flags)


def _redact_lines(lines: Sequence[Line], redaction: Redaction) -> Iterator[tuple[int, Line]]:
    """The lines that contain secrets. Only parts that may contain some are scanned."""
    for start in range(0, len(lines), _PART):
        part = lines[start : start + _PART]
        if not redaction.covers_any_of("\n".join(text for line in part for text in _texts(line))):
            continue
        for at, line in enumerate(part, start):
            if (hidden_line := _redact_line(line, redaction)) != line:
                yield at, hidden_line


def _texts(line: Line | str) -> Iterator[str]:
    """Every text of a line that `_line` redacts."""
    match line:
        case str():
            yield line
        case Row(left=left, right=right):
            yield from (text for text in (left, right) if text is not None)
        case Quote(text) | Notice(text):
            yield text
        case Fold(rows):
            yield from (text for row in rows for text in _texts(row))
        case SideBySide(columns):
            yield from (column.text for column in columns if column.text)
        case _:
            return


def _redact_line(line: Line, redaction: Redaction) -> Line:
    match line:
        case Row():
            return redacted_row(line, redaction)
        case Quote(text):
            return Quote(redaction.text(text))
        case Notice(text):
            return replace(line, text=redaction.text(text))
        case Fold(rows):
            hidden_rows = (
                redaction.text(row) if isinstance(row, str) else redacted_row(row, redaction)
                for row in rows
            )
            return replace(line, rows=tuple(hidden_rows))
        case SideBySide(columns):
            texts = ((column, column.text and redaction.text(column.text)) for column in columns)
            return SideBySide(
                tuple(
                    column
                    if text == column.text
                    else replace(column, text=text, marks=(), flags=())
                    for column, text in texts
                )
            )
        case _:
            return line


def redacted_line(line: panes.Line, redaction: Redaction) -> panes.Line:
    """A line of evidence without its secrets; ids, times and actors in it are ours."""
    return tuple(
        (text if isinstance(text, panes.Ours) else redaction.text(text), tone)
        for text, tone in line
    )


def error_words(error: ReviewdeckError) -> str:
    """An error in one line, redacted: it may quote text from others."""
    return redact(f"{error.message} {error.hint}".strip())


class RedactedCards(OnDemand[Card]):
    """Cards without their secrets."""

    def __init__(self, cards: Cards, redaction: Redaction) -> None:
        self._cards = cards
        self._cover = redaction

    def __len__(self) -> int:
        return len(self._cards)

    def make(self, place: int, /) -> Card:
        card = self._cards[place]
        leaves = tuple(map(self._redact_leaf, card.leaves))
        return replace(card, leaves=leaves, aside=tuple(map(self._redact_leaf, card.aside)))

    def _redact_leaf(self, leaf: Leaf) -> Leaf:
        if isinstance(leaf.text, panes.Ours):
            return leaf
        text = self._cover.text(leaf.text)
        return leaf if text == leaf.text else replace(leaf, text=text, marks=())
