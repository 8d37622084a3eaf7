"""Secrets covered on what a person reads in passing. What is decided on stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from reviewdeck.cli.glancing import may_hold
from reviewdeck.cli.requests import requested
from reviewdeck.model import Conflict, Ready, Span
from reviewdeck.policy.masking import cover, mask, merged, secret_spans
from reviewdeck.text.rows import Row

if TYPE_CHECKING:
    from rich.text import Text

    from reviewdeck.cli.changes import ConflictView, DocumentDiff
    from reviewdeck.cli.inspection import Inspected

_SHORTEST: Final = 4
_TOLD: Final = 4
"""Characters at the beginning of a secret that a cover shows too."""
_CUT: Final = r"(?:(?=…|\.\.\.)|\Z)"
"""Where a text that was shortened ends."""


class Cover:
    """Covers secrets where a person only looks, also where a screen cuts their text into lines."""

    def __init__(self, texts: Iterable[str], *, is_off: bool = False) -> None:
        self._is_off = is_off
        self._secrets: set[str] = set()
        for text in () if is_off else texts:
            self._secrets.update(_secrets_in(text))

    def may_touch(self, text: str) -> bool:
        """False only where nothing is covered in any line of a text: known at a glance."""
        if self._is_off:
            return False
        return any(secret[: _TOLD + 1] in text for secret in self._secrets) or may_hold(text)

    def text(self, text: str) -> str:
        """A text with secrets covered."""
        return mask(text, self._places(text)) if self._places(text) else text

    def line(self, line: Text) -> Text:
        """A line of a screen with secrets covered, in its colours."""
        for span in reversed(self._places(line.plain)):
            hidden = cover(line.plain[span.start : span.end])
            line = line[: span.start].append(hidden).append_text(line[span.end :])
        return line

    def document(self, found: DocumentDiff) -> DocumentDiff:
        """A diff to be shown; where something is covered, no words are marked."""
        lost = tuple(self.text(one) for one in found.lost)
        return replace(found, rows=tuple(map(self.row, found.rows)), lost=lost)

    def conflict(self, view: ConflictView) -> ConflictView:
        """A conflict to be shown."""

        def side(text: str | None) -> str | None:
            return None if text is None else self.text(text)

        places = tuple(
            replace(
                one, base=side(one.base), ours=self.text(one.ours), theirs=self.text(one.theirs)
            )
            for one in view.places
        )
        return replace(
            view,
            base=side(view.base),
            live=side(view.live),
            proposed=side(view.proposed),
            places=places,
            lost=tuple(self.text(one) for one in view.lost),
            besides=view.besides and self.document(view.besides),
            others=tuple(map(self.document, view.others)),
        )

    def row(self, row: Row) -> Row:
        """A row of a diff; where something is covered, no words are marked."""
        left = None if row.left is None else self.text(row.left)
        right = None if row.right is None else self.text(row.right)
        if (left, right) == (row.left, row.right):
            return row
        return replace(row, left=left, right=right, left_marks=(), right_marks=())

    def _places(self, text: str) -> list[Span]:
        if self._is_off:
            return []
        known = (span for secret in self._secrets for span in _known_in(secret, text))
        found = secret_spans(text) if may_hold(text) else ()
        return merged((*found, *known))


def cover_of(found: Inspected, *, is_off: bool) -> Cover:
    """Covers the secrets in one proposal and in what it would replace."""
    edits = found.proposal.edits if found.proposal is not None else ()
    texts = [text for edit in edits for _, text in requested(edit)]
    outcome = found.examined.staged.outcome if found.examined is not None else None
    shown: list[bytes | None] = []
    if isinstance(outcome, Ready):
        shown = [data for change in outcome.plan.changes for data in (change.before, change.after)]
    elif isinstance(outcome, Conflict):
        shown = [outcome.base, outcome.live, outcome.proposed]
    texts += [data.decode("utf-8", errors="replace") for data in shown if data is not None]
    return Cover(texts, is_off=is_off)


def _secrets_in(text: str) -> Iterator[str]:
    """The lines of the secrets in a text."""
    if may_hold(text):
        for span in secret_spans(text):
            lines = text[span.start : span.end].splitlines()
            yield from (line for line in map(str.strip, lines) if len(line) >= _SHORTEST)


def _known_in(secret: str, text: str) -> Iterator[Span]:
    """Where a secret that is known of stands in a text; also what is left of it at a cut."""
    for found in re.finditer(re.escape(secret), text):
        yield Span(*found.span())
    begins = secret[: _TOLD + 1] in text
    lengths = range(len(secret) - 1, _TOLD, -1) if begins else ()
    cuts = (re.search(re.escape(secret[:length]) + _CUT, text) for length in lengths)
    yield from (Span(*cut.span()) for cut in islice(filter(None, cuts), 1))
