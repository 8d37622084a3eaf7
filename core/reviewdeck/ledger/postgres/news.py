"""The news of a ledger on PostgreSQL, by LISTEN on a connection of its own.

They are a hint that it is worth asking. A pooler in transaction mode passes none on, and while the
connection is lost there are none: whoever waits asks at intervals all the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from typing import Any, Final

import psycopg

from reviewdeck.ledger.cells import shield
from reviewdeck.ledger.postgres.faults import translated
from reviewdeck.ledger.postgres.guards import MOST_TOLD
from reviewdeck.ledger.postgres.line import connect
from reviewdeck.ledger.postgres.schema import SCHEMA
from reviewdeck.ledger.postgres_url import PostgresAddress

_SLICE: Final = 1.0
"""Seconds after which it is looked whether the ledger was closed."""


def notice_of(home: str) -> str:
    """What a notice says of a home; see `guards`."""
    return shield(home)[:MOST_TOLD]


class News:
    """Waits for the notices of one ledger: one thread at a time."""

    def __init__(self, address: PostgresAddress, closed: threading.Event) -> None:
        self._address = address
        self._closed = closed
        self._waiting = threading.Lock()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    def wait(self, seconds: float, homes: Collection[str] | None = None) -> bool:
        """Waits for a notice of one of these homes, or of any.

        Raises LedgerUnavailable; the next call connects again.
        """
        until = time.monotonic() + seconds
        names = None if homes is None else {notice_of(home) for home in homes}
        with self._waiting:
            try:
                with translated(self._address.label):
                    while not self._closed.is_set() and (left := until - time.monotonic()) > 0:
                        connection = self._connection or self._listening()
                        notices = connection.notifies(timeout=min(left, _SLICE), stop_after=1)
                        # Every worker hears of every home: one that is another's asks nothing.
                        if any(names is None or each.payload in names for each in notices):
                            return True
            except BaseException:
                self._hang_up()
                raise
            finally:
                if self._closed.is_set():
                    self._hang_up()
            return False

    def close(self) -> None:
        """Ends the connection; one on which somebody waits, as soon as that is noticed there."""
        if self._waiting.acquire(blocking=False):
            try:
                self._hang_up()
            finally:
                self._waiting.release()

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _listening(self) -> psycopg.Connection[tuple[Any, ...]]:
        self._connection = connect(self._address)
        self._connection.execute(f"LISTEN {SCHEMA}")
        return self._connection
