"""Clusters: open proposals about one thing, which repeat each other or contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Outline, QueueItem, State
from reviewdeck.model.ledger import Filter

_PAGE: Final = 1_000


_OPEN: Final = tuple(s for s in State if s.is_open and s is not State.QUARANTINED)


def subject_key(proposal: Outline | QueueItem) -> tuple[str, ...]:
    """The subject of a proposal: a memory entry, or else the proposal itself."""
    return proposal.home, proposal.subject or proposal.id


def same_subject(reader: Ledger, item: QueueItem) -> tuple[QueueItem, ...]:
    """The other open proposals about the same subject, newest first."""
    own_anchor, selection = subject_key(item), Filter((item.home,), _OPEN)
    ids = [
        outline.id
        for outline in outlines_of(reader, selection)
        if subject_key(outline) == own_anchor
    ]
    return reader.items([id for id in ids if id != item.id])


def outlines_of(reader: Ledger, selection: Filter) -> Iterator[Outline]:
    """All outlines of a selection, newest first, read by pages."""
    after: int | None = None
    while page := reader.outlines(selection, after=after, limit=_PAGE):
        yield from page
        after = page[-1].position
