"""Opening a ledger on PostgreSQL. It is neither made nor changed by that."""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.postgres.database import PostgresDatabase
from reviewdeck.ledger.postgres_url import read_address
from reviewdeck.model.ledger import Opener
from reviewdeck.ports import Clock


def open_shared(url: str, *, now: Clock, opener: Opener, is_read_only: bool = False) -> Ledger:
    """The ledger at this URL, of a version that this program can use.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, NotPermitted, BadInput.
    """
    database = PostgresDatabase(read_address(url), now, is_read_only=is_read_only)
    try:
        member = database.check()
    except BaseException:
        database.close()
        raise
    # Whatever a program calls its operator: there, a role is who it is.
    return Ledger(database, opener if member is None else replace(opener, operator=member))
