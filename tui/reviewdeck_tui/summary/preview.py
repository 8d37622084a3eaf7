"""The composed drafts, as they are shown before the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.summary import Summary
from reviewdeck.model import QueueItem
from reviewdeck.text.lines import decoded
from reviewdeck.text.redact import Redaction
from reviewdeck_tui.proposal.diff import compose_diff, lost_words
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.proposal.redaction import redacted, texts_of


@dataclass(frozen=True)
class SummaryPreview:
    """A summary, with its documents as diffs."""

    summary: Summary
    diffs: tuple[DiffDocument, ...]
    names: Mapping[str, QueueItem]
    """The proposals that it names."""
    machines: Mapping[str, str] = field(default_factory=dict)
    """By home of another machine, the name of that: it writes there, once it is approved here."""

    @cached_property
    def redaction(self) -> Redaction:
        return Redaction(text for diff in self.diffs for text in texts_of(diff))

    @cached_property
    def _redacted(self) -> tuple[DiffDocument, ...]:
        return tuple(redacted(diff, self.redaction) for diff in self.diffs)

    @cached_property
    def lost(self) -> tuple[tuple[str, str], ...]:
        """What the texts no longer say in any words, each with its document."""
        return tuple(
            (document.path, words)
            for document in self.summary.shown
            if document.change.after is not None
            for words in lost_words(
                document.path, decoded(document.change.before), decoded(document.change.after)
            )
        )

    def visible_diffs(self, *, secrets: bool) -> tuple[DiffDocument, ...]:
        """The diffs to show, redacted unless secrets are shown."""
        return self.diffs if secrets else self._redacted


def diffs_of(engine: Engine, summary: Summary) -> Iterator[DiffDocument]:
    for part in (*summary.parts, *summary.votes):
        budget = engine.home_by_id(part.home).home.snapshot().budget
        for document in part.documents:
            id = f"{part.home}\n{document.path}"
            yield compose_diff(id, document.path, [document.change], budget=budget)
