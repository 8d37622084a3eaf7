"""Values from rows, and rows from values: a column has the name of a field, and its type says how
the cell is read and written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from enum import Enum
from functools import cached_property, lru_cache
from types import NoneType
from typing import Any, Generic, NamedTuple, NewType, TypeAlias, TypeVar, get_args, get_type_hints

from reviewdeck.ledger.cells import dump, load, moment_of, unshield
from reviewdeck.ledger.database import Row
from reviewdeck.model import Actor
from reviewdeck.model.codec import actor_from_json, actor_to_json

T = TypeVar("T")
_Convert: TypeAlias = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


class Codec(NamedTuple):
    """How a cell is read, and how it is written."""

    read: _Convert
    write: _Convert = _same


class Columns(Generic[T]):
    """The columns of a table that are the fields of one type of values."""

    def __init__(self, kind: type[T], *, without: str = "", **cells: Codec) -> None:
        """`cells` are those whose types do not say how; the field `without` is no column."""
        self._kind, self._own = kind, cells
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass
        self.names = tuple(name for name in names if name != without)
        self.sql = ", ".join(self.names)

    @cached_property
    def _cells(self) -> tuple[tuple[str, Codec], ...]:
        hints = get_type_hints(self._kind)
        return tuple((name, self._own.get(name) or _cell_of(hints[name])) for name in self.names)

    def value(self, row: Row, **more: Any) -> T:
        """The value in a row of these columns, in this order; `more` is not in it."""
        found = {name: cell.read(raw) for (name, cell), raw in zip(self._cells, row, strict=True)}
        return self._kind(**found, **more)

    def row(self, value: T) -> dict[str, Any]:
        """The cells of a value, by column."""
        return {name: cell.write(getattr(value, name)) for name, cell in self._cells}


@lru_cache(maxsize=256)
def actor_of(cell: str) -> Actor:
    """The actor of a cell."""
    return actor_from_json(load(cell))


@lru_cache(maxsize=256)
def actor_cell(actor: Actor) -> str:
    """An actor as a JSON cell."""
    return dump(actor_to_json(actor))


def _cell_of(kind: Any) -> Codec:
    if NoneType in get_args(kind):
        inner = _cell_of(next(part for part in get_args(kind) if part is not NoneType))
        return Codec(_unless_none(inner.read), _unless_none(inner.write))
    kind = kind.__supertype__ if isinstance(kind, NewType) else kind
    if issubclass(kind, Enum):
        return Codec(kind, lambda member: member.value)
    return _BY_TYPE.get(kind, Codec(_same))


def _unless_none(convert: _Convert) -> _Convert:
    return lambda value: None if value is None else convert(value)


_BY_TYPE = {
    Actor: Codec(actor_of, actor_cell),
    bool: Codec(bool),
    datetime: Codec(moment_of),
    str: Codec(unshield),
}
"""Times and texts are made cells where a statement is run."""
