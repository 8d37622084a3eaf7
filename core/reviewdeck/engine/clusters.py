"""Clusters: open proposals about one thing, which repeat each other or contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reviewdeck.model import Outline, QueueItem, State
from reviewdeck.ports import Filter, QueueReader

_PAGE: Final = 1_000


_OPEN: Final = tuple(s for s in State if s.is_open and s is not State.QUARANTINED)


def anchor(one: Outline | QueueItem) -> tuple[str, ...]:
    """What a proposal is about: one entry of a memory. All else is about itself alone."""
    return one.home, one.subject or one.id


def rivals(reader: QueueReader, item: QueueItem) -> tuple[QueueItem, ...]:
    """What waits and is about the same thing as this one, newest first, without itself."""
    wanted = anchor(item)
    ids = [one.id for one in _open(reader, item.home) if anchor(one) == wanted]
    return reader.items([id for id in ids if id != item.id])


def _open(reader: QueueReader, home: str) -> Iterator[Outline]:
    after: int | None = None
    while page := reader.outlines(Filter((home,), _OPEN), after=after, limit=_PAGE):
        yield from page
        after = page[-1].position
