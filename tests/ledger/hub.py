"""A hub in a database of its own: the ledger of its owner, and its members' connections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any

import psycopg
from tests.ledger.samples import clock

from reviewdeck.ledger.cells import micros_of, shield
from reviewdeck.ledger.database import NONE, HomeOf, Row, Transaction, Values
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model.ledger import Opener
from reviewdeck.ports import Clock

VALUE = re.compile(r"(\bIN )?(?<![:\w]):(\w+)")


class PlainTransaction:
    """Satisfies `Transaction` with one statement at a time."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def hold(self, *homes: str) -> None:
        """Nothing: one connection at a time writes here."""

    def rows(self, sql: str, values: Values = NONE) -> Sequence[Row]:
        return self.connection.execute(_named(sql), _cells(values)).fetchall()

    def stream(self, sql: str, values: Values = NONE) -> Iterator[Row]:
        return iter(self.rows(sql, values))

    def run(self, sql: str, values: Values = NONE) -> int:
        return self.connection.execute(_named(sql), _cells(values)).rowcount

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        for row in rows:
            self.run(sql, row)


class PlainDatabase:
    """Satisfies `Database` over one connection."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("SET search_path = reviewdeck")

    @property
    def now(self) -> Clock:
        return clock

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self._connection.transaction():
            yield PlainTransaction(self._connection)

    @contextmanager
    def writing(self, *homes: str | HomeOf) -> Iterator[Transaction]:
        with self.reading() as tx:
            yield tx

    def wait_for_news(self, seconds: float) -> bool:
        """Nobody waits here."""
        return False

    @contextmanager
    def together(self, *homes: str) -> Iterator[Callable[[], None]]:
        with ExitStack() as opened:
            opened.enter_context(self._connection.transaction())
            yield opened.close

    @contextmanager
    def at_once(self) -> Iterator[None]:
        yield

    def close(self) -> None:
        self._connection.close()


def ledger_at(url: str, opener: Opener) -> Ledger:
    """The ledger of somebody in a hub."""
    return Ledger(PlainDatabase(url), opener)


def _named(sql: str) -> str:
    def value(match: re.Match[str]) -> str:
        return f"= ANY(%({match[2]})s)" if match[1] else f"%({match[2]})s"

    return VALUE.sub(value, sql.replace("%", "%%"))


def _cells(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _cell(value) for name, value in values.items()}


def _cell(value: Any) -> Any:
    match value:
        case str():
            return shield(str(value))
        case datetime():
            return micros_of(value)
        case list() | tuple() | set() | frozenset():
            return [_cell(each) for each in value]
        case _:
            return value
