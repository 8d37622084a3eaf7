"""What lists need, through the ORM's connection."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.errors import UnknownId
from reviewdeck.ledger.database import LedgerPart, chunks, put, runner
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.list_sql import (
    read_counts,
    read_item,
    read_items,
    read_outlines,
    read_page,
    read_stamp,
)
from reviewdeck.ledger.tables import HomeRow
from reviewdeck.model import Outline, QueueItem
from reviewdeck.ports import Counts, Filter


class SqlQueue(LedgerPart):
    """Counts, pages and the stamp."""

    def counts(self, homes: Sequence[str] = ()) -> Counts:
        """How many proposals stand where."""
        with self._storage.viewing() as session, decoding("The counters"):
            return read_counts(runner(session), homes)

    def page(
        self, wanted: Filter, *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """Newest first, by keyset."""
        with self._storage.viewing() as session, decoding("A page of the queue"):
            return read_page(runner(session), wanted, after, limit)

    def item(self, id: str) -> QueueItem:
        """One line of the queue. Raises UnknownId."""
        with self._storage.viewing() as session, decoding(f"Proposal {id}"):
            found = read_item(runner(session), id)
        if found is None:
            raise UnknownId(f"There is no proposal {id}.")
        return found

    def items(self, ids: Sequence[str]) -> tuple[QueueItem, ...]:
        """Several lines of the queue, in this order; unknown ids are left out."""
        with self._storage.viewing() as session, decoding("The queue"):
            run = runner(session)
            return tuple(item for chunk in chunks(ids) for item in read_items(run, chunk))

    def outlines(
        self, wanted: Filter, *, after: int | None = None, limit: int = 1_000
    ) -> tuple[Outline, ...]:
        """As `page`, with only what ordering and filtering a long queue need."""
        with self._storage.reading() as session, decoding("A page of the queue"):
            return read_outlines(runner(session), wanted, after, limit)

    def stamp(self, home: str) -> str | None:
        """The hint that was stored when this home was last taken in."""
        with self._storage.viewing() as session:
            return read_stamp(runner(session), home)

    def set_stamp(self, home: str, stamp: str) -> None:
        """Remembers the hint."""
        with self._storage.writing() as connection:
            put(connection, HomeRow, "id", {"id": home, "stamp": stamp})
