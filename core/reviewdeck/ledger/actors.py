"""Who did something, as a cell: the same few over and over, so each is written and read once."""

from __future__ import annotations

from functools import lru_cache

from reviewdeck.ledger.cells import Dumped, dump, load
from reviewdeck.model import Actor
from reviewdeck.model.codec import actor_from_json, actor_to_json

_KNOWN = 256


@lru_cache(maxsize=_KNOWN)
def actor_cell(actor: Actor) -> Dumped:
    """What a column of JSON holds for somebody."""
    return Dumped(dump(actor_to_json(actor)))


@lru_cache(maxsize=_KNOWN)
def actor_of(cell: str) -> Actor:
    """Whom a cell is about."""
    return actor_from_json(load(cell))
