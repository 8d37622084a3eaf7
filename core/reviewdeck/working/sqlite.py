"""Working memory in an SQLite file: the durable default of one machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import RLock
from typing import Final

from reviewdeck.errors import StorageUnavailable
from reviewdeck.working.storage import Cells, StoredCell, T, Work

IDLE: Final = timedelta(days=30)
"""A scope that was not written to for this long is dropped at the next start."""
PATIENCE: Final = 5.0
"""Seconds to wait for another process that writes."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS scope (scope TEXT PRIMARY KEY, touched REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cell (
    scope TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, until REAL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
"""


class Sqlite:
    """One file, one connection, any number of threads and processes.

    It survives a kill; a power cut may lose the last commits (`synchronous=NORMAL`): this storage
    is for work that can be done again.
    """

    name = "sqlite"
    is_using_fallback = False

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = RLock()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise StorageUnavailable(f"{path} cannot be opened: {error}") from error
        try:
            self._prepare()
        except StorageUnavailable:
            self._connection.close()
            raise

    def get(self, scope: str, key: str) -> StoredCell | None:
        query = "SELECT text, until FROM cell WHERE scope = ? AND key = ?"
        with self._using() as connection:
            row = connection.execute(query, (scope, key)).fetchone()
        return StoredCell(*row) if row else None

    def cells(self, scope: str) -> Cells:
        with self._using() as connection:
            return _cells(connection, scope)

    def put(self, scope: str, key: str, cell: StoredCell) -> None:
        with self._writing(scope) as connection:
            connection.execute(_PUT, (scope, key, cell.text, cell.until))

    def change(self, scope: str, work: Work[T]) -> T:
        with self._writing(scope) as connection:
            changes, answer = work(_cells(connection, scope))
            connection.executemany(
                "DELETE FROM cell WHERE scope = ? AND key = ?", [(scope, k) for k in changes.drop]
            )
            rows = [(scope, key, cell.text, cell.until) for key, cell in changes.put.items()]
            connection.executemany(_PUT, rows)
        return answer

    def attach(self, scope: str) -> None:
        """Marks the scope as written to, so that it is not dropped for IDLE."""
        with self._writing(scope):
            pass

    def detach(self, scope: str) -> None:
        """Does nothing: idle scopes are dropped at a start."""

    def check(self) -> None:
        with self._using() as connection:
            connection.execute("SELECT count(*) FROM scope").fetchone()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _prepare(self) -> None:
        with self._using() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(SCHEMA)
            before = (self._now() - IDLE).timestamp()
            idle_scopes = "SELECT scope FROM scope WHERE touched < ?"
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"DELETE FROM cell WHERE scope IN ({idle_scopes})", (before,))  # noqa: S608 - constant
            connection.execute("DELETE FROM scope WHERE touched < ?", (before,))
            connection.execute("COMMIT")

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise StorageUnavailable(f"The working memory cannot be used: {error}") from error

    @contextmanager
    def _writing(self, scope: str) -> Iterator[sqlite3.Connection]:
        with self._using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                touched = (scope, self._now().timestamp())
                connection.execute("INSERT OR REPLACE INTO scope VALUES (?, ?)", touched)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


_PUT: Final = "INSERT OR REPLACE INTO cell VALUES (?, ?, ?, ?)"


def _cells(connection: sqlite3.Connection, scope: str) -> dict[str, StoredCell]:
    query = "SELECT key, text, until FROM cell WHERE scope = ?"
    return {
        key: StoredCell(text, until) for key, text, until in connection.execute(query, (scope,))
    }
