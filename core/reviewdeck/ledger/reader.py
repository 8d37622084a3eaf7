"""Opening a ledger to be read, wherever it is kept."""

from __future__ import annotations

from reviewdeck.clock import utc_now
from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.place import is_postgres, path_of
from reviewdeck.ledger.sqlite import ReadOnlyDatabase
from reviewdeck.model.ledger import Opener
from reviewdeck.ports import Clock


def open_reader(url: str, *, now: Clock = utc_now, opener: Opener = NOBODY) -> Ledger:
    """The ledger at this URL, to be read as it is. A file need not exist.

    Raises BadInput; its methods raise LedgerUnavailable, LedgerTooNew, LedgerDamaged, Busy. On a
    server all of them may be raised at once.
    """
    if is_postgres(url):
        from reviewdeck.ledger.shared import open_shared

        return open_shared(url, now=now, opener=opener, is_read_only=True)
    return Ledger(ReadOnlyDatabase(path_of(url), now), opener)
