"""Opening a ledger that several hosts share, where its extra is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.database import Database
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model.ledger import LedgerMember, Opener
from reviewdeck.ports import Clock


def open_shared(url: str, *, now: Clock, opener: Opener, is_read_only: bool = False) -> Ledger:
    """The ledger at this URL on PostgreSQL.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, NotPermitted, BadInput.
    """
    database, member = open_database(url, now=now, is_read_only=is_read_only)
    # Whatever a program calls its operator or its machine: there, a role is who it is.
    match member:
        case LedgerMember(name, is_operator=True):
            opener = replace(opener, operator=name)
        case LedgerMember(name):
            opener = replace(opener, machine=name)
        case None:
            pass
    return Ledger(database, opener)


def open_database(
    url: str, *, now: Clock, is_read_only: bool = False
) -> tuple[Database, LedgerMember | None]:
    """The database at this URL, and the member that its role stands for; None for none.

    Raises as `open_shared` does.
    """
    with extra():
        from reviewdeck.ledger.postgres import opening
    return opening.open_database(url, now, is_read_only)


@contextmanager
def extra() -> Iterator[None]:
    """Raises LedgerUnavailable where what is imported within needs the extra, and has none."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "psycopg":
            raise
        raise LedgerUnavailable(
            "A ledger on PostgreSQL needs the extra `postgres`, which is not installed.",
            hint="pip install 'reviewdeck[postgres]'",
        ) from error
