"""The database connection of one process: short transactions, one writer at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Text,
    bindparam,
    create_engine,
    event,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from reviewdeck.errors import Busy, LedgerUnavailable
from reviewdeck.ledger.bulk import insert_missing
from reviewdeck.ledger.cells import dump, shield
from reviewdeck.ledger.deltas import Delta, nearest
from reviewdeck.ledger.faults import fault_of
from reviewdeck.ledger.tables import BlobRow, Row, table_of
from reviewdeck.model import Revision, revision_of
from reviewdeck.ports import Clock

BUSY_MILLISECONDS = 10_000
_CHUNK = 500

T = TypeVar("T")


class Storage:
    """Sessions on one ledger file, with errors in the engine's own words."""

    def __init__(self, path: Path, now: Clock) -> None:
        self.path = path
        self.now = now
        self._mine = threading.local()
        """What this thread does as one, while it does."""
        self._lock = threading.RLock()
        self._engine = engine_for(path)
        self._writer = self._engine.execution_options(reviewdeck_begin="BEGIN IMMEDIATE")

    @contextmanager
    def viewing(self) -> Iterator[Connection]:
        """One consistent view, beside any writer: rows, which cost less than objects."""
        with translated(str(self.path)):
            if (mine := self._whole()) is not None:
                yield mine
                return
            with self._engine.connect() as connection:
                connection.begin()  # also for statements that go to the driver
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """The same, where objects are wanted."""
        with translated(str(self.path)), Session(self._whole() or self._engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction that holds the write lock from its start; rolled back on any error.

        Writes go through Core: an object in a session costs many times as much as a row.
        """
        if (mine := self._whole()) is not None:
            with translated(str(self.path)):
                yield mine
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
        """All that this thread reads and writes is one transaction, until what is given is called.

        Each commit waits for the disk, and each view of its own takes longer than what is asked.
        """
        if self._whole() is not None:
            yield lambda: None
            return
        with ExitStack() as whole:
            self._mine.connection = whole.enter_context(self.writing())

            def end() -> None:
                self._mine.connection = None
                whole.close()

            try:
                yield end
            finally:
                self._mine.connection = None

    def _whole(self) -> Connection | None:
        return getattr(self._mine, "connection", None)

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()


class Part:
    """What every part of the ledger stands on."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage


def engine_for(path: Path) -> Engine:
    """An engine whose transactions are SQLite's own: the driver never begins one by itself."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_MILLISECONDS / 1000},
        # An error must not carry what an agent wrote to a terminal or a log.
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def translated(where: str) -> Iterator[None]:
    """The one place where SQLAlchemy's exceptions become the engine's."""
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


def asked(connection: Connection, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
    """What a statement of every pass gives, as the cells hold it.

    Through SQLAlchemy, a statement that finds one row takes ten times as long as SQLite needs.
    """
    driver: Any = connection.connection.driver_connection
    found: Iterator[tuple[Any, ...]] = driver.execute(sql, values)
    return found


def put(connection: Connection, row: type[Row], key: str, values: Mapping[str, Any]) -> None:
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
    """Stores bytes that are mostly in others; the others are stored already, whole."""
    whole = {base: revision_of(base) for base in bases}
    rows, deltas = [], []
    for sha, data in by_sha.items():
        found = None if sha in whole.values() else nearest(data, bases)
        if found is None:
            rows.append({"sha": sha, "data": data})
        else:
            base, delta = found
            near = {"base": whole[base], "head": delta.head, "tail": delta.tail}
            deltas.append({"sha": sha, "data": delta.own} | near)
    insert_missing(connection, BlobRow, rows)
    insert_missing(connection, BlobRow, deltas)


def bytes_of(source: Session | Connection, shas: Iterable[str]) -> dict[str, bytes]:
    """The stored bytes under these SHA-256; those that are not stored are left out."""
    found: dict[str, bytes] = {}
    for chunk in chunks(dict.fromkeys(shas)):
        rows = source.execute(_BLOBS, {"shas": listed(chunk)}).all()
        bases = bytes_of(source, {row.base for row in rows if row.base is not None} - found.keys())
        for row in rows:
            if row.base is None:
                found[row.sha] = row.data
            else:
                delta = Delta(row.head, row.data, row.tail)
                found[row.sha] = delta.on(bases.get(row.base) or found[row.base])
    return found


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Parts that fit into one statement."""
    iterator = iter(values)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


def listed(values: Iterable[str]) -> str:
    """Any number of values as one: for what `among` asks about."""
    return dump([shield(value) for value in values])


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether it is one of those that are bound by this name, `listed`.

    A statement with a place for each of them has to be put together anew for each number of them.
    """
    values = func.json_each(bindparam(name, type_=Text)).table_valued("value")
    return column.in_(select(type_coerce(values.c.value, Text)))


_BLOBS = table_of(BlobRow).select().where(among(table_of(BlobRow).c.sha, "shas"))


def runner(
    session: Session | Connection,
) -> Callable[[str, Mapping[str, object]], Sequence[Sequence[Any]]]:
    """Runs the SQL of the shared lists in this session."""

    def run(sql: str, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        return session.execute(text(sql), dict(values)).all()

    return run


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    # Without this the driver begins transactions of its own, and late.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    # A decision that was reported as made has to survive a power cut.
    connection.execute("PRAGMA synchronous = FULL")
    # What a statement would need to be taken back is written before each page that it changes: to
    # a file, that is seven times what the ledger itself grows by.
    connection.execute("PRAGMA temp_store = MEMORY")
    # Makes the log's triggers see the deletion inside INSERT OR REPLACE.
    connection.execute("PRAGMA recursive_triggers = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("reviewdeck_begin", "BEGIN"))
