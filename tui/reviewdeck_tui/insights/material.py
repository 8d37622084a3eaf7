"""The reading of the data for the charts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from reviewdeck.engine.insights import MemoryUsage, memory_sizes, memory_usage
from reviewdeck.ports import OpenHome
from reviewdeck_tui.home_names import names_of
from reviewdeck_tui.insights.pictures import Material

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


def gather(engine: Engine, now: datetime, days: int) -> Material:
    """The lives of all proposals, and the sizes of each memory over so many days."""
    zone = now.tzinfo
    if zone is None:
        raise ValueError("The time of day needs a zone.")
    names = names_of(open_home.home for open_home in engine.open_homes)
    fillings = [
        sizes
        for open_home in engine.open_homes
        for sizes in _memory_fillings(
            *(engine, open_home, now, days, zone),
            lead=f"{names[open_home.home.id]} " if len(names) > 1 else "",
        )
    ]
    # Streaming the lives instead would take a third longer.
    lives = tuple(engine.ledger.lives(engine.home_ids))
    return Material(lives, fillings, now.date(), days, zone)


def _memory_fillings(
    engine: Engine, open_home: OpenHome, now: datetime, days: int, zone: tzinfo, *, lead: str
) -> Iterator[MemoryUsage]:
    snapshot = open_home.home.snapshot()
    for path in open_home.home.documents():
        limit = snapshot.budget(path)
        if limit is None:
            continue
        name = path.rpartition("/")[2]
        sizes = memory_sizes(engine.ledger, open_home.home.id, path)
        first = now.date() - timedelta(days=days - 1)
        yield memory_usage(f"{lead}{name}", limit, sizes, first, now.date(), zone)
