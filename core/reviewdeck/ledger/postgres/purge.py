"""Purging a secret from the rows of a hub, for its owner. What the server keeps is out of reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from psycopg import errors

from reviewdeck.ledger.audit import Note
from reviewdeck.ledger.database import Database, Transaction
from reviewdeck.ledger.postgres.opening import open_database
from reviewdeck.ledger.postgres.retention import alone, refuse_members
from reviewdeck.ledger.purging import Detail, PurgedRows, Site, own_word, purge_rows
from reviewdeck.ports import Clock
from reviewdeck.ports.authority import Attest


def purge_hub(
    url: str, forms: Sequence[str], note: Callable[[str, Detail], Note], now: Clock, attest: Attest
) -> PurgedRows:
    """Replaces a secret in every row.

    Raises BadInput, LedgerUnavailable, LedgerDamaged, NotPermitted, Busy.
    """
    refuse_member(url, now)
    database, _ = open_database(url, now, is_read_only=False)
    with closing(database):
        return purge_rows(_HubSite(database), forms, (), note, attest)


def refuse_member(url: str, now: Clock) -> None:
    """Raises NotPermitted for the role of a host or an operator."""
    database, _ = open_database(url, now, is_read_only=True)
    with closing(database), database.reading() as tx:
        refuse_members(tx, url, "purges it")


class _HubSite(Site):
    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def alone(self) -> Iterator[Transaction]:
        with alone(self._database) as tx:
            try:
                yield tx
                tx.rows("SELECT 1")  # Nothing that waits may fail behind this.
            except errors.IntegrityError as error:
                raise own_word() from error

    @contextmanager
    def unguarded(self, tx: Transaction) -> Iterator[None]:
        # It ends with the transaction in any case, and no other one writes meanwhile.
        tx.put("ALTER TABLE event DISABLE TRIGGER events_only_added")
        yield
        tx.put("ALTER TABLE event ENABLE TRIGGER events_only_added")
