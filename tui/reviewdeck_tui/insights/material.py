"""Reading what the pictures of the insights screen are made of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from reviewdeck.engine.insights import Filling, filling, memory_sizes
from reviewdeck.ports import OpenHome
from reviewdeck_tui.insights.pictures import Material

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck


def gather(deck: Deck, now: datetime, days: int) -> Material:
    """The lives of all proposals, and how full each memory was over so many days."""
    zone = now.tzinfo
    if zone is None:
        raise ValueError("The time of day needs a zone.")
    homes = deck.context.homes
    fillings = [one for home in homes for one in _fillings(deck, home, now, days, zone)]
    # Going through what is being read would take a third of the time.
    lives = tuple(deck.ledger.lives(deck.context.home_ids))
    return Material(lives, fillings, now.date(), days, zone)


def _fillings(
    deck: Deck, one: OpenHome, now: datetime, days: int, zone: tzinfo
) -> Iterator[Filling]:
    snapshot = one.home.snapshot()
    many = len(deck.context.homes) > 1
    for path in one.home.documents():
        limit = snapshot.budget(path)
        if limit is None:
            continue
        name = path.rpartition("/")[2]
        sizes = memory_sizes(deck.ledger, one.home.id, path)
        first = now.date() - timedelta(days=days - 1)
        shown = f"{one.home.name} {name}" if many else name
        yield filling(shown, limit, sizes, first, now.date(), zone)
