"""Statements and values in PostgreSQL's dialect, as psycopg takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from psycopg.adapt import AdaptersMap
from psycopg.types.numeric import NumericBinaryLoader, NumericLoader

from reviewdeck.ledger.cells import micros_of, shield
from reviewdeck.ledger.database import Values

_VALUE: Final = re.compile(r"(\bIN )?(?<![:\w]):(\w+)")
_INSERTION: Final = re.compile(
    r"(?P<head>INSERT INTO .+?)\sVALUES\s*\((?P<values>.+?)\)\s*(?P<end>ON CONFLICT\b.+)?",
    re.DOTALL,
)
_CONDITION: Final = re.compile(r"\sWHERE\s")
_BESIDE: Final = {"UPDATE": "FROM", "DELETE": "USING"}
"""By the kind of a statement, how it names another table; else that stands in its FROM."""
_TYPES: Final = {str: "text", bool: "boolean", int: "bigint", float: "double precision",
                 bytes: "bytea"}  # fmt: skip
_MOST_ROWS: Final = 5_000
"""Of one statement."""
_MOST_BYTES: Final = 16 * 2**20
"""Of the texts and bytes of one statement, about: a server takes no more than 1 GB."""


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


def in_one(sql: str, rows: Sequence[Values]) -> list[tuple[str, dict[str, Any]]] | None:
    """Statements that each do for many rows at once what this one does for each.

    None where that is not possible: for one row alone, or values of more than one kind. One
    statement for each row would be parsed, planned and answered for each, and so would triggers.
    """
    if len(rows) < 2:
        return None
    columns = {name: _column([row[name] for row in rows]) for name in _names(sql)}
    kinds = {name: _type_of(column) for name, column in columns.items()}
    if None in kinds.values() or not any(kinds.values()):
        return None
    same = {name: all_of[0] for name, all_of in columns.items() if _is_one_value(all_of)}
    if len(same) == len(columns):
        same = {}
    text = _of_all(sql, tuple(kinds.items()), frozenset(same))
    columns = {name: column for name, column in columns.items() if kinds[name] and name not in same}
    same = {name: value for name, value in same.items() if kinds[name]}
    return [
        (text, same | {name: column[part] for name, column in columns.items()})
        for part in _parts(columns, len(rows))
    ]


def _is_one_value(column: Sequence[Any]) -> bool:
    return column.count(column[0]) == len(column)


@lru_cache(maxsize=64)
def _names(sql: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[2] for match in _VALUE.finditer(sql)))


@lru_cache(maxsize=128)
def _of_all(sql: str, kinds: tuple[tuple[str, str], ...], same: frozenset[str]) -> str:
    """The statement over arrays, each a value of all rows, beside what is the same for all."""
    given_as = {name: "NULL" for name, kind in kinds if not kind}
    given_as |= {name: f"%({name})s::{kind}" for name, kind in kinds if kind and name in same}
    listed = [(name, kind) for name, kind in kinds if name not in given_as]
    arrays = ", ".join(f"%({name})b::{kind}[]" for name, kind in listed)
    given = f"unnest({arrays}) AS given ({', '.join(f'given_{name}' for name, _ in listed)})"
    plain = sql.replace("%", "%%")
    plain = _VALUE.sub(lambda value: given_as.get(value[2], f"given_{value[2]}"), plain)
    if (match := _INSERTION.fullmatch(plain.strip())) is not None:
        return f"{match['head']} SELECT {match['values']} FROM {given} {match['end'] or ''}"  # noqa: S608 - a statement of ours
    head, condition = _CONDITION.split(plain, maxsplit=1)
    beside = _BESIDE.get(head.split(maxsplit=1)[0], ",")
    return f"{head} {beside} {given} WHERE {condition}"


def _column(values: list[Any]) -> list[Any]:
    """Values of all rows as what psycopg binds."""
    kinds = set(map(type, values)) - {type(None)}
    to_cell = _CELLS.get(kinds.pop()) if len(kinds) == 1 else None
    if to_cell is None:
        return values
    return [None if value is None else to_cell(value) for value in values]


def _type_of(column: Sequence[Any]) -> str | None:
    """The type of a column; empty for nothing but NULL, None where values differ."""
    kinds = {type(value) for value in column if value is not None}
    if kinds == {int, float}:
        return _TYPES[float]
    if len(kinds) > 1:
        return None
    return _TYPES.get(kinds.pop()) if kinds else ""


def _parts(columns: Mapping[str, Sequence[Any]], amount: int) -> Iterator[slice]:
    """Rows that fit into one statement."""
    sizes = [0] * amount
    for column in columns.values():
        if _type_of(column) in ("text", "bytea"):
            sizes = [size + len(value or "") for size, value in zip(sizes, column, strict=True)]
    first = total = 0
    for at, size in enumerate(sizes):
        if at > first and (at - first >= _MOST_ROWS or total + size > _MOST_BYTES):
            yield slice(first, at)
            first, total = at, 0
        total += size
    yield slice(first, amount)


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
