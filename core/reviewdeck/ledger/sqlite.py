"""The ledger's database as one SQLite file: short transactions, one writer at a time."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NoReturn

from reviewdeck.errors import Busy, LedgerBehind, LedgerUnavailable
from reviewdeck.ledger import connecting
from reviewdeck.ledger.cells import dump, micros_of, shield
from reviewdeck.ledger.connecting import connect, connect_to_read
from reviewdeck.ledger.database import BEHIND, NONE, HomeOf, Row, Transaction, Values, first
from reviewdeck.ledger.faults import translated
from reviewdeck.ledger.place import is_there
from reviewdeck.ledger.schema import version_of
from reviewdeck.ledger.threads import ThreadTransactions
from reviewdeck.ledger.versions import HEAD
from reviewdeck.ports import Clock, Head

PREPARATION = (
    "PRAGMA foreign_keys = ON",
    # A decision that was reported as made has to survive a power cut.
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # macOS: fsync stops at the drive's own memory
    # SQLite writes the undo data of a statement before each page that it changes: in a file, seven
    # times what the ledger itself grows by.
    "PRAGMA temp_store = MEMORY",
    # Makes the log's triggers see the deletion inside INSERT OR REPLACE.
    "PRAGMA recursive_triggers = ON",
)
"""What each connection is told first."""
_REQUIRED: Final = """
    SELECT count(*) FROM event WHERE chain IN :chains AND sequence IN :numbers AND sha IN :sums
"""
"""A line is known by its sum."""
_LIST: Final = re.compile(r"\bIN :(\w+)")


@lru_cache(maxsize=512)
def in_sqlite(sql: str) -> str:
    """A statement in SQLite's dialect: a list is one parameter there, as JSON.

    With a placeholder for each value, each number of values would be a statement of its own.
    """
    return _LIST.sub(r"IN (SELECT value FROM json_each(:\1))", sql)


class SqliteTransaction:
    """Satisfies `Transaction` over one connection."""

    has_lateral = False
    is_far = False

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.ends: dict[str, Callable[[], Head]] = {}

    def hold(self, *homes: str) -> None:
        """Whoever writes holds the whole file."""

    def rows(self, sql: str, values: Values = NONE) -> Sequence[Row]:
        return self.connection.execute(in_sqlite(sql), cells(values)).fetchall()

    def stream(self, sql: str, values: Values = NONE) -> Iterator[Row]:
        return self.connection.execute(in_sqlite(sql), cells(values))

    def run(self, sql: str, values: Values = NONE) -> int:
        return self.connection.execute(in_sqlite(sql), cells(values)).rowcount

    def put(self, sql: str, values: Values = NONE) -> None:
        self.connection.execute(in_sqlite(sql), cells(values))

    def later(self, sql: str, values: Values = NONE) -> Callable[[], Sequence[Row]]:
        rows = self.rows(sql, values)
        return lambda: rows

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        self.connection.executemany(in_sqlite(sql), map(cells, rows))


class SqliteDatabase(ThreadTransactions[Transaction]):
    """Satisfies `Database`. Connections are kept, and each serves one transaction at a time."""

    def __init__(self, path: Path, now: Clock, *, is_immutable: bool = False) -> None:
        super().__init__()
        self.path = path
        self._options = "mode=ro&immutable=1" if is_immutable else "mode=rw"
        self._now = now
        self._writer = threading.RLock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = threading.Event()

    @property
    def now(self) -> Clock:
        return self._now

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with translated(str(self.path)):
            if (current := self._current() or self._view()) is not None:
                yield current
                return
            with self._connection() as connection, transaction(connection, "BEGIN"):
                yield SqliteTransaction(connection)

    @contextmanager
    def writing(self, *homes: str | HomeOf) -> Iterator[Transaction]:
        if (current := self._current()) is not None:
            with translated(str(self.path)):
                yield current
            return
        if not self._writer.acquire(timeout=connecting.BUSY_SECONDS):
            raise Busy(f"The ledger {self.path} is busy with another part of this program.")
        try:
            with (
                translated(str(self.path)),
                self._connection() as connection,
                transaction(connection, "BEGIN IMMEDIATE"),
            ):
                yield SqliteTransaction(connection)
        finally:
            self._writer.release()

    def foresee(self, questions: Iterable[Callable[[], object]]) -> None:
        """Asking a file one by one costs no more."""

    def require(self, lines: Mapping[str, Head]) -> None:
        """Looks now: what is open stays the same file."""
        numbers, sums = ([head[at] for head in lines.values()] for at in (0, 1))
        required = {"chains": list(lines), "numbers": numbers, "sums": sums}
        with self.reading() as tx:
            if lines and first(tx, _REQUIRED, required) != len(lines):
                raise LedgerBehind(BEHIND)

    def homes_read(self) -> None:
        """A file is read whole."""

    def wait_for_news(self, seconds: float, homes: Collection[str] | None = None) -> bool:
        """A file tells nobody of its changes."""
        self._closed.wait(seconds)
        return False

    def break_off(self) -> None:
        """A file answers."""

    def close(self) -> None:
        """Closes all connections; one that is in use, when it is given back."""
        self._closed.set()
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._open()
        try:
            yield connection
        except BaseException:
            if connection.in_transaction:  # it could not even be rolled back
                connection.close()
                raise
            self._give_back(connection)
            raise
        self._give_back(connection)

    def _open(self) -> sqlite3.Connection:
        return prepared(connect(self.path, self._options))

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed.is_set():
            connection.close()
        else:
            self._idle.append(connection)


class ReadOnlyDatabase(SqliteDatabase):
    """A ledger's file to be read, never made nor upgraded; empty while there is none."""

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        if self._idle or is_there(self.path):
            try:
                with super().reading() as tx:
                    yield tx
                return
            except _NotMade:
                pass
        yield _Nothing()

    def writing(self, *homes: str | HomeOf) -> NoReturn:
        raise LedgerUnavailable(f"The ledger {self.path} was opened to be read.")

    def _open(self) -> sqlite3.Connection:
        connection = connect_to_read(self.path)
        try:
            version = version_of(connection, str(self.path))
            if version is None:
                raise _NotMade
            if version != HEAD:
                raise LedgerUnavailable(
                    f"The ledger {self.path} is of an earlier version of reviewdeck.",
                    hint="Any command that writes, such as `reviewdeck auto`, upgrades it.",
                )
        except BaseException:
            connection.close()
            raise
        return connection


class _NotMade(Exception):
    """The ledger is being made at this moment."""


class _Nothing:
    """Satisfies `Transaction` where there is no ledger."""

    has_lateral = False
    is_far = False

    def __init__(self) -> None:
        self.ends: dict[str, Callable[[], Head]] = {}

    def hold(self, *homes: str) -> None:
        """Nothing to hold."""

    def rows(self, sql: str, values: Values = NONE) -> Sequence[Row]:
        return ()

    def stream(self, sql: str, values: Values = NONE) -> Iterator[Row]:
        return iter(())

    def run(self, sql: str, values: Values = NONE) -> int:
        """Nothing to change."""
        return 0

    def put(self, sql: str, values: Values = NONE) -> None:
        """Nothing to change."""

    def later(self, sql: str, values: Values = NONE) -> Callable[[], Sequence[Row]]:
        return tuple

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        """Nothing to change."""


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """One transaction: kept at the end, or rolled back on any error."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A connection that keeps its word: durable, and with references that hold."""
    for statement in PREPARATION:
        connection.execute(statement)
    return connection


def cells(values: Values) -> Values:
    """Values as cells."""
    return {
        name: value if (to_cell := _CELLS.get(type(value))) is None else to_cell(value)
        for name, value in values.items()
    }


def _listed(values: Iterable[str | int]) -> str:
    return dump([shield(value) if isinstance(value, str) else value for value in values])


_CELLS: Final[Mapping[type, Callable[[Any], object]]] = {
    str: shield,
    datetime: micros_of,
    list: _listed,
    tuple: _listed,
    set: _listed,
    frozenset: _listed,
}
