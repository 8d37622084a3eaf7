"""One statement for many rows, made ready once.

SQLAlchemy looks each value of each row up by name on its way to the driver, which takes longer
than SQLite needs to store it. The types of the columns turn values into cells here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import Connection, Dialect, Executable
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from reviewdeck.ledger.tables import Row, table_of

_Cell: TypeAlias = Callable[[Mapping[str, Any]], Any]
_Cells: TypeAlias = tuple[_Cell, ...]


class Many:
    """An insert or update of one row, to be executed for many."""

    def __init__(self, statement: Executable, keys: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._keys = keys
        self._ready: tuple[str, _Cells] | None = None

    def execute(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Executes it for each of these rows."""
        if not rows:
            return
        if self._ready is None:
            self._ready = self._prepare(connection.dialect)
        sql, cells = self._ready
        values = [tuple([cell(row) for cell in cells]) for row in rows]
        connection.exec_driver_sql(sql, values)

    def _prepare(self, dialect: Dialect) -> tuple[str, _Cells]:
        compiled = self._statement.compile(  # type: ignore[attr-defined]  # every statement has it
            dialect=dialect, column_keys=self._keys
        )
        if not isinstance(compiled, SQLCompiler) or compiled.positiontup is None:
            raise TypeError("only statements whose values are told apart by their place")
        defaults = {column.key: column.default for column in compiled.insert_prefetch}
        return compiled.string, tuple(
            _cell(compiled, name, defaults.get(name)) for name in compiled.positiontup
        )


def _cell(compiled: SQLCompiler, name: str, default: object) -> _Cell:
    """Takes one value out of a row, as a cell holds it."""
    bound = compiled.binds[name]
    process = bound.type.bind_processor(compiled.dialect)
    if isinstance(default, ScalarElementColumnDefault):
        return lambda row: default.arg
    if not bound.required and bound.value is not None:
        fixed = bound.value if process is None else process(bound.value)
        return lambda row: fixed
    if process is None:
        return lambda row: row[name]
    return lambda row: process(row[name])


@lru_cache(maxsize=64)
def _inserting(row: type[Row], keys: tuple[str, ...], *, missing: bool) -> Many:
    statement = insert(table_of(row))
    return Many(statement.on_conflict_do_nothing() if missing else statement, keys)


def bulk_insert(connection: Connection, row: type[Row], rows: Sequence[Mapping[str, Any]]) -> None:
    """Inserts rows, all with the same columns."""
    if rows:
        _inserting(row, tuple(rows[0]), missing=False).execute(connection, rows)


def insert_missing(
    connection: Connection, row: type[Row], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Inserts rows, all with the same columns, and leaves those alone that are there already."""
    if rows:
        _inserting(row, tuple(rows[0]), missing=True).execute(connection, rows)
