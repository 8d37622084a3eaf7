"""Opening a ledger that several hosts share, where its extra is installed."""

from __future__ import annotations

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model.ledger import Opener
from reviewdeck.ports import Clock


def open_shared(url: str, *, now: Clock, opener: Opener, is_read_only: bool = False) -> Ledger:
    """The ledger at this URL on PostgreSQL.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, NotPermitted, BadInput.
    """
    try:
        from reviewdeck.ledger.postgres import opening
    except ModuleNotFoundError as error:
        if error.name != "psycopg":
            raise
        raise LedgerUnavailable(
            "A ledger on PostgreSQL needs the extra `postgres`, which is not installed.",
            hint="pip install 'reviewdeck[postgres]'",
        ) from error
    return opening.open_shared(url, now=now, opener=opener, is_read_only=is_read_only)
