"""Statements and values in PostgreSQL's dialect, as psycopg takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from psycopg.adapt import AdaptersMap
from psycopg.types.numeric import NumericBinaryLoader, NumericLoader

from reviewdeck.ledger.cells import micros_of, shield
from reviewdeck.ledger.database import Values

_VALUE: Final = re.compile(r"(\bIN )?(?<![:\w]):(\w+)")
_INSERTION: Final = re.compile(
    r"INSERT INTO (\w+) \((?P<columns>[^()]+)\) VALUES \((?P<values>[:\w, ]+)\)"
    r"(?P<end> ON CONFLICT DO NOTHING)?"
)
_TYPES: Final = {str: "text", bool: "boolean", int: "bigint", float: "double precision",
                 bytes: "bytea"}  # fmt: skip
_MOST_ROWS: Final = 5_000
"""Of one statement."""


@lru_cache(maxsize=512)
def in_postgres(sql: str) -> str:
    """A statement in PostgreSQL's dialect: a list is an array, and `%` begins a value."""
    return _VALUE.sub(_named, sql.replace("%", "%%"))


def _named(match: re.Match[str]) -> str:
    return f"= ANY(%({match[2]})s)" if match[1] else f"%({match[2]})s"


def cells(values: Values) -> dict[str, Any]:
    """Values as what psycopg binds."""
    return {
        name: value if (to_cell := _CELLS.get(type(value))) is None else to_cell(value)
        for name, value in values.items()
    }


def _listed(values: Iterable[Any]) -> list[Any]:
    return [shield(value) if isinstance(value, str) else value for value in values]


_CELLS: Final[Mapping[type, Callable[[Any], object]]] = {
    str: shield,
    datetime: micros_of,
    list: _listed,
    tuple: _listed,
    set: _listed,
    frozenset: _listed,
}


def in_one(sql: str, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, dict[str, Any]]] | None:
    """Statements that insert many rows of cells at once; None for what is no plain insertion.

    One statement for each row would be parsed, planned and answered for each.
    """
    match = _INSERTION.fullmatch(sql)
    if match is None or len(rows) < 2:
        return None
    names = [value.strip().removeprefix(":") for value in match["values"].split(",")]
    head = f"INSERT INTO {match[1]} ({match['columns']}) SELECT "
    parts = []
    for first in range(0, len(rows), _MOST_ROWS):
        columns = {name: [row[name] for row in rows[first : first + _MOST_ROWS]] for name in names}
        kinds = {name: _type_of(column) for name, column in columns.items()}
        known = [name for name in names if kinds[name]]
        if not known:
            return None
        # A column of nothing but NULL has whatever type is asked for.
        selected = ", ".join(f'"{name}"' if kinds[name] else "NULL" for name in names)
        arrays = ", ".join(f"%({name})b::{kinds[name]}[]" for name in known)
        aliases = ", ".join(f'"{name}"' for name in known)
        text = f"{head}{selected} FROM unnest({arrays}) AS added ({aliases}){match['end'] or ''}"
        parts.append((text, {name: columns[name] for name in known}))
    return parts


def _type_of(column: Sequence[Any]) -> str:
    kinds = {type(value) for value in column if value is not None}
    if kinds == {int, float}:
        return _TYPES[float]
    return _TYPES[kinds.pop()] if len(kinds) == 1 else ""


class _WholeText(NumericLoader):
    def load(self, data: Any) -> Any:
        return _whole(super().load(data))


class _WholeBinary(NumericBinaryLoader):
    def load(self, data: Any) -> Any:
        return _whole(super().load(data))


def _whole(number: Any) -> int | float:
    return int(number) if number == int(number) else float(number)


def register(adapters: AdaptersMap) -> None:
    """Makes what comes back be as the cells hold it: the sum of whole numbers is one, say."""
    adapters.register_loader("numeric", _WholeText)
    adapters.register_loader("numeric", _WholeBinary)
