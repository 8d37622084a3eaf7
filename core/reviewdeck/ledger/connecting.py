"""Connections of the standard library to a ledger's file, also where nothing can be written.

Reading a ledger writes too: SQLite keeps shared memory beside it. On a full or read-only disk a
ledger that lies wholly in its one file is opened as an immutable one.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from reviewdeck.errors import LedgerReadOnly
from reviewdeck.ledger.faults import translated

BUSY_SECONDS = 10.0
"""How long another program that writes is waited for."""
STATEMENTS = 256
"""How many prepared statements a connection keeps: there are about a hundred."""


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises LedgerUnavailable, LedgerDamaged, Busy."""
    try:
        return connect(path, "mode=ro")
    except LedgerReadOnly:
        if not is_at_rest(path):
            raise
    return connect(path, "mode=ro&immutable=1")


def connect(path: Path, options: str) -> sqlite3.Connection:
    """A connection with these parameters, which has read once.

    Raises LedgerUnavailable, LedgerDamaged, Busy.
    """
    with translated(str(path)):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?{options}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,  # the driver never begins a transaction by itself
            check_same_thread=False,
            cached_statements=STATEMENTS,
        )
        connection.create_function("clock_micros", 0, _clock_micros)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
    return connection


def _clock_micros() -> int:
    """The machine's clock is this database's own."""
    return time.time_ns() // 1_000


def is_at_rest(path: Path) -> bool:
    """Whether everything of a ledger is in its one file: no write-ahead log holds more."""
    log = path.with_name(f"{path.name}-wal")
    return path.is_file() and not (log.exists() and log.stat().st_size)
