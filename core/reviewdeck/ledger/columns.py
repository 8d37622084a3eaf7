"""Types of columns: what the domain has and a database has not."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import BigInteger, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from reviewdeck.ledger.cells import dump, load, micros_of, moment_of, shield, unshield

Number = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only where the type is exactly INTEGER."""

T = TypeVar("T")


class Converted(TypeDecorator[T]):
    """A value that is another one in its cell."""

    impl: type[TypeEngine[Any]] | TypeEngine[Any] = Text
    cache_ok = True

    @abstractmethod
    def to_cell(self, value: T | None) -> int | str | None:
        """The value as the database stores it."""

    def process_bind_param(self, value: T | None, dialect: Dialect) -> int | str | None:
        """The same, for SQLAlchemy."""
        return self.to_cell(value)


class Moment(Converted[datetime]):
    """A time with a zone, as microseconds since 1970."""

    impl = Number
    cache_ok = True

    def to_cell(self, value: datetime | None) -> int | None:
        """Refuses a time without a zone."""
        return None if value is None else micros_of(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """In UTC."""
        return None if value is None else moment_of(value)


class Words(Converted[str]):
    """Text from outside, whatever is in it."""

    cache_ok = True

    def to_cell(self, value: str | None) -> str | None:
        """Spells out what the database cannot hold."""
        return None if value is None else shield(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """As it was."""
        return None if value is None else unshield(value)


class Json(Converted[Any]):
    """A value as canonical JSON text."""

    cache_ok = True

    def to_cell(self, value: Any) -> str:
        """ASCII only, so that nothing in it can upset the database."""
        return dump(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """As it was."""
        return None if value is None else load(value)
