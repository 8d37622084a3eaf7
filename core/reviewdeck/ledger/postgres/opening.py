"""Opening a ledger on PostgreSQL. It is neither made nor changed by that."""

from __future__ import annotations

from reviewdeck.ledger.postgres.database import PostgresDatabase
from reviewdeck.ledger.postgres_url import read_address
from reviewdeck.model.ledger import LedgerMember
from reviewdeck.ports import Clock


def open_database(
    url: str, now: Clock, is_read_only: bool
) -> tuple[PostgresDatabase, LedgerMember | None]:
    """A database of a version that this program can use, and the member that its role stands for.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, NotPermitted, BadInput.
    """
    database = PostgresDatabase(read_address(url), now, is_read_only=is_read_only)
    try:
        return database, database.check()
    except BaseException:
        database.close()
        raise
