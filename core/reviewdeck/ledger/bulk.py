"""One statement for many rows, made ready once.

SQLAlchemy looks each value of each row up by name on its way to the driver, which takes longer
than SQLite needs to store it. The types of the columns turn values into cells here as well, one
column after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import BindParameter, Connection, Dialect, Executable
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from reviewdeck.ledger.columns import Converted
from reviewdeck.ledger.tables import Row, table_of

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
    """Takes one value out of each row, as a cell holds it."""
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
    """Our own types without SQLAlchemy's two calls around each: their cells are stored as is."""
    if isinstance(bound.type, Converted):
        return bound.type.to_cell
    return bound.type.bind_processor(dialect)


@lru_cache(maxsize=64)
def _inserting(row: type[Row], keys: tuple[str, ...], *, missing: bool) -> Many:
    statement = insert(table_of(row))
    return Many(statement.on_conflict_do_nothing() if missing else statement, keys)


def bulk_insert(connection: Connection, row: type[Row], rows: _Rows) -> None:
    """Inserts rows, all with the same columns."""
    if rows:
        _inserting(row, tuple(rows[0]), missing=False).execute(connection, rows)


def insert_missing(connection: Connection, row: type[Row], rows: _Rows) -> None:
    """Inserts rows, all with the same columns, and leaves those alone that are there already."""
    if rows:
        _inserting(row, tuple(rows[0]), missing=True).execute(connection, rows)
