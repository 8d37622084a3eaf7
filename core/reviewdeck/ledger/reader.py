"""The light reader: what `status` and the first page need, on the standard library alone."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.cells import shield
from reviewdeck.ledger.faults import decoding, translated
from reviewdeck.ledger.list_sql import (
    Run,
    read_counts,
    read_items,
    read_outlines,
    read_page,
    read_stamp,
)
from reviewdeck.ledger.pages import HOME_AT, home_at
from reviewdeck.ledger.place import is_there, path_of
from reviewdeck.ledger.schema import version_of
from reviewdeck.ledger.versions import HEAD
from reviewdeck.model import Outline, QueueItem
from reviewdeck.ports import Counts, Filter

_AT_ONCE: Final = 500
"""Ids in one statement."""


class LightReader:
    """Satisfies `ports.QueueReader`. Never writes; empty as long as there is no ledger."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def counts(self, homes: Sequence[str] = ()) -> Counts:
        """How many proposals stand where."""
        with self._reading("The counters") as run:
            return read_counts(run, homes)

    def page(
        self, wanted: Filter, *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """Newest first, by keyset."""
        with self._reading("A page of the queue") as run:
            return read_page(run, wanted, after, limit)

    def items(self, ids: Sequence[str]) -> tuple[QueueItem, ...]:
        """Several lines of the queue, in this order; unknown ids are left out."""
        with self._reading("The queue") as run:
            parts = (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE))
            return tuple(item for part in parts for item in read_items(run, part))

    def outlines(
        self, wanted: Filter, *, after: int | None = None, limit: int = 1_000
    ) -> tuple[Outline, ...]:
        """As `page`, with only what ordering and filtering a long queue need."""
        with self._reading("A page of the queue") as run:
            return read_outlines(run, wanted, after, limit)

    def stamp(self, home: str) -> str | None:
        """The hint that was stored when this home was last taken in."""
        with self._reading("The stamp") as run:
            return read_stamp(run, home)

    def home_at(self, path: str, seen: tuple[str, str] | None) -> str | None:
        """The id of the home that stands at this path; None where that has to be looked into."""
        with self._reading("The places of homes") as run:
            rows = run(HOME_AT, {"path": shield(path)})
            return home_at(rows[0] if rows else None, seen)

    def close(self) -> None:
        """Lets go of the database."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self, what: str) -> Iterator[Run]:
        """One consistent view for all the queries of one question."""
        with self._lock, translated(str(self._path)), decoding(what):
            connection = self._connected()
            if connection is None:
                yield _nothing
                return
            connection.execute("BEGIN")
            try:
                yield _runner(connection)
            finally:
                connection.execute("ROLLBACK")

    def _connected(self) -> sqlite3.Connection | None:
        if self._connection is None and is_there(self._path):
            self._connection = _connect(self._path)
        return self._connection


def open_reader(url: str) -> LightReader:
    """A reader of the ledger at this URL; the ledger need not exist.

    Raises BadInput; its methods raise LedgerUnavailable, LedgerTooNew, LedgerDamaged, Busy.
    """
    return LightReader(path_of(url))


def _connect(path: Path) -> sqlite3.Connection | None:
    """A connection that cannot write; None when the ledger is being made at this moment."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        timeout=10,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        version = version_of(connection, str(path))
        if version is not None and version != HEAD:
            raise LedgerUnavailable(
                f"The ledger {path} is of an earlier version of reviewdeck.",
                hint="Any command that writes, such as `reviewdeck auto`, brings it up to date.",
            )
    except BaseException:
        connection.close()
        raise
    if version is None:
        connection.close()
        return None
    return connection


def _runner(connection: sqlite3.Connection) -> Run:
    def run(sql: str, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        return connection.execute(sql, values).fetchall()

    return run


def _nothing(sql: str, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
    return ()
