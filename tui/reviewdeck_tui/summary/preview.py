"""All drafts worked out together, as they are shown before the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from reviewdeck.engine.drafts import Summary
from reviewdeck.model import QueueItem
from reviewdeck.policy.redact import Redaction
from reviewdeck_tui.proposal.diff import composed
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.proposal.redaction import covered, texts_of

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck


@dataclass(frozen=True)
class SummaryPreview:
    """A summary, and the documents that it would write as diffs."""

    summary: Summary
    diffs: tuple[DiffDocument, ...]
    names: Mapping[str, QueueItem]
    """Every proposal that it speaks of."""

    @cached_property
    def cover(self) -> Redaction:
        """Knows the secrets in all of that."""
        return Redaction(text for diff in self.diffs for text in texts_of(diff))

    @cached_property
    def _covered(self) -> tuple[DiffDocument, ...]:
        return tuple(covered(diff, self.cover) for diff in self.diffs)

    def seen(self, *, secrets: bool) -> tuple[DiffDocument, ...]:
        """The documents as they are to be shown."""
        return self.diffs if secrets else self._covered


def diffs_of(deck: Deck, found: Summary) -> Iterator[DiffDocument]:
    """The composed diff of each document."""
    for part in found.parts:
        budget = deck.context.one_home(part.home).home.snapshot().budget
        for document in part.documents:
            id = f"{part.home}\n{document.path}"
            yield composed(id, document.path, [document.change], budget=budget)
