"""Types of columns: what the domain has and a database has not."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator

from reviewdeck.ledger.cells import dump, load, micros_of, moment_of, shield, unshield

Number = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only where the type is exactly INTEGER."""


class Moment(TypeDecorator[datetime]):
    """A time with a zone, as microseconds since 1970."""

    impl = Number
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Refuses a time without a zone."""
        return None if value is None else micros_of(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """In UTC."""
        return None if value is None else moment_of(value)


class Words(TypeDecorator[str]):
    """Text from outside, whatever is in it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Spells out what the database cannot hold."""
        return None if value is None else shield(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """As it was."""
        return None if value is None else unshield(value)


class Json(TypeDecorator[Any]):
    """A value as canonical JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """ASCII only, so that nothing in it can upset the database."""
        return dump(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """As it was."""
        return None if value is None else load(value)
