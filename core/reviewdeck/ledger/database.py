"""The database connection of one process: short transactions, one writer at a time.

Many rows go in one prepared statement.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    Executable,
    Text,
    bindparam,
    create_engine,
    event,
    func,
    select,
    type_coerce,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from reviewdeck.errors import Busy, LedgerUnavailable
from reviewdeck.ledger.blobs import Run, nearest
from reviewdeck.ledger.columns import Converted
from reviewdeck.ledger.faults import fault_of
from reviewdeck.ledger.tables import BlobRow, LedgerRow, table_of
from reviewdeck.model import Revision, revision_of
from reviewdeck.ports import Clock

_Rows: TypeAlias = Sequence[Mapping[str, Any]]
_Column: TypeAlias = Callable[[_Rows], Iterable[Any]]
"""The cells of one column, row by row."""


class Many:
    """An insert or update of one row, to be executed for many."""

    def __init__(self, statement: Executable, keys: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._keys = keys
        self._ready: tuple[str, Sequence[_Column]] | None = None

    def execute(self, connection: Connection, rows: _Rows) -> None:
        """Executes it for each of these rows."""
        if not rows:
            return
        if self._ready is None:
            self._ready = self._prepare(connection.dialect)
        sql, columns = self._ready
        cells = [column(rows) for column in columns]
        connection.exec_driver_sql(sql, list(zip(*cells, strict=True)))

    def _prepare(self, dialect: Dialect) -> tuple[str, Sequence[_Column]]:
        compiled = self._statement.compile(  # type: ignore[attr-defined]  # every statement has it
            dialect=dialect, column_keys=self._keys
        )
        if not isinstance(compiled, SQLCompiler) or compiled.positiontup is None:
            raise TypeError("only statements whose values are told apart by their place")
        defaults = {column.key: column.default for column in compiled.insert_prefetch}
        return compiled.string, tuple(
            _column(compiled, name, defaults.get(name)) for name in compiled.positiontup
        )


def _column(compiled: SQLCompiler, name: str, default: object) -> _Column:
    """Gives the cells of one column for all rows."""
    bound = compiled.binds[name]
    convert = _converter(bound, compiled.dialect)
    if isinstance(default, ScalarElementColumnDefault):
        return lambda rows: [default.arg] * len(rows)
    if not bound.required and bound.value is not None:
        fixed = bound.value if convert is None else convert(bound.value)
        return lambda rows: [fixed] * len(rows)
    if convert is None:
        return lambda rows: [row[name] for row in rows]
    return lambda rows: [convert(row[name]) for row in rows]


def _converter(bound: BindParameter[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    """The conversion to cells; our own types skip SQLAlchemy's two calls around each value."""
    if isinstance(bound.type, Converted):
        return bound.type.to_cell
    return bound.type.bind_processor(dialect)


@lru_cache(maxsize=64)
def _inserting(row: type[LedgerRow], keys: tuple[str, ...], *, missing: bool) -> Many:
    statement = insert(table_of(row))
    return Many(statement.on_conflict_do_nothing() if missing else statement, keys)


def bulk_insert(connection: Connection, row: type[LedgerRow], rows: _Rows) -> None:
    """Inserts rows, all with the same columns."""
    if rows:
        _inserting(row, tuple(rows[0]), missing=False).execute(connection, rows)


def insert_missing(connection: Connection, row: type[LedgerRow], rows: _Rows) -> None:
    """Inserts rows, all with the same columns, and leaves those alone that are there already."""
    if rows:
        _inserting(row, tuple(rows[0]), missing=True).execute(connection, rows)


BUSY_MILLISECONDS = 10_000


class Database:
    """Sessions on one ledger file, with errors in the engine's own words."""

    def __init__(self, path: Path, now: Clock, *, is_immutable: bool = False) -> None:
        self.path = path
        self.now = now
        self._local = threading.local()
        """This thread's open transaction of `together`."""
        self._lock = threading.RLock()
        self._engine = engine_for(path, is_immutable=is_immutable)
        self._writer = self._engine.execution_options(reviewdeck_begin="BEGIN IMMEDIATE")

    @contextmanager
    def viewing(self) -> Iterator[Connection]:
        """One consistent view, beside any writer, for Core queries."""
        with translated(str(self.path)):
            if (current := self._transaction()) is not None:
                yield current
                return
            with self._engine.connect() as connection:
                connection.begin()  # also for statements that go to the driver
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """The same for ORM queries."""
        with translated(str(self.path)), Session(self._transaction() or self._engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction that holds the write lock from its start; rolled back on any error.

        Writes go through Core: an object in a session costs many times as much as a row.
        """
        if (current := self._transaction()) is not None:
            with translated(str(self.path)):
                yield current
            return
        if not self._lock.acquire(timeout=BUSY_MILLISECONDS / 1000):
            raise Busy(f"The ledger {self.path} is busy with another part of this program.")
        try:
            with translated(str(self.path)), self._writer.begin() as connection:
                yield connection
        finally:
            self._lock.release()

    @contextmanager
    def together(self) -> Iterator[Callable[[], None]]:
        """One transaction over all that this thread reads and writes, until the function is called.

        Each commit waits for the disk, and opening a view costs more than a short query.
        """
        if self._transaction() is not None:
            yield lambda: None
            return
        with ExitStack() as transaction:
            self._local.connection = transaction.enter_context(self.writing())

            def end() -> None:
                self._local.connection = None
                transaction.close()

            try:
                yield end
            finally:
                self._local.connection = None

    def _transaction(self) -> Connection | None:
        return getattr(self._local, "connection", None)

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()


class LedgerPart:
    """The base class of the ledger's parts."""

    def __init__(self, storage: Database) -> None:
        self._storage = storage


def engine_for(path: Path, *, is_immutable: bool = False) -> Engine:
    """An engine whose transactions are SQLite's own: the driver never begins one by itself.

    An immutable file is read without a lock and without a file beside it.
    """
    options = {"uri": "true", "mode": "ro", "immutable": "1"}
    place = path.absolute().as_uri() if is_immutable else str(path)
    engine = create_engine(
        URL.create("sqlite", database=place, query=options if is_immutable else {}),
        connect_args={"timeout": BUSY_MILLISECONDS / 1000},
        # An error must not carry what an agent wrote to a terminal or a log.
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns SQLAlchemy's exceptions into the engine's, here and nowhere else."""
    try:
        yield
    except PoolTimeout as error:
        raise Busy(f"The ledger {where} is busy with other parts of this program.") from error
    except DBAPIError as error:
        raise fault_of(error.orig or error, where) from error
    except StatementError as error:
        # A value that cannot be stored, such as a time without a zone: the caller's mistake.
        raise (error.orig or LedgerUnavailable(f"{where}: {error.code}")) from error
    except sqlite3.Error as error:  # of a statement that went to the driver
        raise fault_of(error, where) from error
    except SQLAlchemyError as error:
        raise LedgerUnavailable(
            f"The ledger {where} cannot be used: {type(error).__name__}."
        ) from error


def raw_rows(connection: Connection, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
    """The raw rows of a statement that goes to the driver directly.

    Through SQLAlchemy, a statement with one row takes ten times as long as SQLite needs.
    """
    driver: Any = connection.connection.driver_connection
    rows: Iterator[tuple[Any, ...]] = driver.execute(sql, values)
    return rows


def upsert(
    connection: Connection, row: type[LedgerRow], key: str, values: Mapping[str, Any]
) -> None:
    """Inserts a row, or changes these values of the one that has this key."""
    changes = {name: value for name, value in values.items() if name != key}
    query = sqlite_insert(table_of(row)).values(**values)
    connection.execute(query.on_conflict_do_update(index_elements=[key], set_=changes))


def keep_bytes(connection: Connection, contents: Iterable[bytes | None]) -> None:
    """Stores bytes under their SHA-256."""
    by_sha = {revision_of(data): data for data in contents if data is not None}
    insert_missing(connection, BlobRow, [{"sha": sha, "data": d} for sha, d in by_sha.items()])


def keep_near(
    connection: Connection, by_sha: Mapping[Revision, bytes], bases: Sequence[bytes]
) -> None:
    """Stores bytes as differences from similar bases, which are stored whole already."""
    shas = {base: revision_of(base) for base in bases}
    rows, deltas = [], []
    for sha, data in by_sha.items():
        match = None if sha in shas.values() else nearest(data, bases)
        if match is None:
            rows.append({"sha": sha, "data": data})
        else:
            base, delta = match
            near = {"base": shas[base], "head": delta.head, "tail": delta.tail}
            deltas.append({"sha": sha, "data": delta.own} | near)
    insert_missing(connection, BlobRow, rows)
    insert_missing(connection, BlobRow, deltas)


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether a column is one of the values bound, as `listed`, by this name.

    A statement with a placeholder for each value would be compiled anew for each number of
    values.
    """
    values = func.json_each(bindparam(name, type_=Text)).table_valued("value")
    return column.in_(select(type_coerce(values.c.value, Text)))


def runner(connection: Connection) -> Run:
    """Runs the plain SQL that the light reader runs, within this connection's transaction."""
    driver: Any = connection.connection.driver_connection

    def run(sql: str, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] = driver.execute(sql, values).fetchall()
        return rows

    return run


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    # Without this the driver begins transactions of its own, and late.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    # A decision that was reported as made has to survive a power cut.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync stops at the drive's own memory
    # SQLite writes the undo data of a statement before each page that it changes: in a file, seven
    # times what the ledger itself grows by.
    connection.execute("PRAGMA temp_store = MEMORY")
    # Makes the log's triggers see the deletion inside INSERT OR REPLACE.
    connection.execute("PRAGMA recursive_triggers = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("reviewdeck_begin", "BEGIN"))
