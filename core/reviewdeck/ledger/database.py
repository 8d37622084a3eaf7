"""What the ledger asks of a database. Each statement is plain SQL, written once.

Values are bound by name (`:id`). Where a list is bound, the statement says `IN :ids`. Texts, times
and lists become cells here below; what comes back is as the cells hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, TypeAlias

from reviewdeck.errors import NotPermitted
from reviewdeck.ledger.faults import decoding
from reviewdeck.model.ledger import Opener
from reviewdeck.ports import Clock, Head
from reviewdeck.values import dataclass

Values: TypeAlias = Mapping[str, Any]
Row: TypeAlias = Sequence[Any]

NONE: Final[Values] = MappingProxyType({})
NOBODY: Final = Opener()
ALL: Final = 2**62
"""The limit of a statement that reads everything."""
CLOCK: Final = "clock_micros()"
"""In a statement, the database's own time in microseconds since 1970. Every adapter has a function
of this name: hosts' clocks differ."""

BEHIND: Final = (
    "The ledger lacks a line of the log that this host saw: it is an older copy, or another one."
    " Nothing is claimed or reported."
)
"""What LedgerBehind says."""


@dataclass(frozen=True, slots=True)
class HomeOf:
    """The homes of rows of which a caller knows no more than the ids."""

    table: Literal["batch", "operation", "proposal"]
    ids: tuple[str, ...]


class Transaction(Protocol):
    """One transaction, or one consistent view."""

    has_lateral: bool
    """Whether a query can have a part for each row of another, or of a list that is bound."""
    is_far: bool
    """Whether each answer is a journey: then one long statement is better than several."""
    ends: dict[str, Callable[[], Head]]
    """The last lines of logs that it holds, by home, as far as they were asked for or written."""

    def hold(self, *homes: str) -> None:
        """Waits until nobody else writes to these homes, and keeps others waiting to its end.

        An empty name is the ledger's own chain, which is held after all homes.
        """

    def rows(self, sql: str, values: Values = NONE) -> Sequence[Row]:
        """All rows of a query."""

    def stream(self, sql: str, values: Values = NONE) -> Iterator[Row]:
        """The rows of a query one by one, for those that need not fit into memory."""

    def run(self, sql: str, values: Values = NONE) -> int:
        """Changes rows; gives how many."""

    def put(self, sql: str, values: Values = NONE) -> None:
        """Changes rows where nobody asks how many: a mistake may show with a later statement."""

    def later(self, sql: str, values: Values = NONE) -> Callable[[], Sequence[Row]]:
        """The rows of a query as they are now, once they are wanted.

        Over a network, what is wanted later comes with the next answer.
        """

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        """Changes something for each of these values, no row of a table for two of them.

        It may be done for all at once.
        """


class Database(Protocol):
    """The database of one ledger. Its errors are the engine's."""

    @property
    def now(self) -> Clock:
        """The clock of what is stored."""

    def reading(self) -> AbstractContextManager[Transaction]:
        """One consistent view, beside any writer."""

    def writing(self, *homes: str | HomeOf) -> AbstractContextManager[Transaction]:
        """One transaction that holds these homes from its start; rolled back on any error.

        A database with one writer holds all of them, whatever is named.
        """

    def together(self, *homes: str) -> AbstractContextManager[Callable[[], None]]:
        """One transaction over all that this thread reads and writes, until the function is called.

        It holds these homes from its start.

        Each commit waits for the disk, and opening a view costs more than a short query.
        """

    def at_once(self) -> AbstractContextManager[None]:
        """One consistent view over all that this thread reads; what it writes is not in it."""

    def foresee(self, questions: Iterable[Callable[[], object]]) -> None:
        """Says what this thread is going to ask in its view or transaction.

        Each question only reads, and may be broken off wherever it needs an answer. Over a network
        all of them get as far as they can with each answer, so that they share journeys. Whoever
        asks later gets that answer, unless something was written since. A file need not even look
        at the questions.
        """

    def require(self, lines: Mapping[str, Head]) -> None:
        """Has each later transaction raise LedgerBehind, and do nothing, without these lines.

        They are lines of the log by home, each with its number and sum; what is stored later takes
        the place of an earlier line. A connection that is made again, or a pooler, may lead to a
        server that has not got them. A file looks at once: what is open stays the same file.
        """

    def homes_read(self) -> frozenset[str] | None:
        """The homes whose rows can be read here; None for all, whichever they are."""

    def wait_for_news(self, seconds: float, homes: Collection[str] | None = None) -> bool:
        """Waits until something was decided in one of these homes, or so many seconds passed.

        None is for all homes. True where the database said so; what it did not say is found by
        asking. False at once when it is closed.
        """

    def break_off(self) -> None:
        """Ends what other threads wait for, with LedgerUnavailable, and lets none begin again."""

    def close(self) -> None:
        """Closes all connections."""


class LedgerPart:
    """The base class of the ledger's parts."""

    def __init__(self, database: Database, opener: Opener = NOBODY) -> None:
        self._database = database
        self._opener = opener

    @property
    def operator(self) -> str:
        """Whose drafts and marks these are: on a server with roles, the operator of the role."""
        return self._opener.operator

    @property
    def machine(self) -> str:
        """What a server with roles calls this machine; empty where it has no name for it."""
        return self._opener.machine

    def refuse_machine(self) -> None:
        """Raises NotPermitted under the role of a machine, before anything is begun."""
        if name := self._opener.machine:
            raise NotPermitted(
                f"{name} is the role of a machine here: it decides nothing for a person.",
                hint="Nothing was changed. Use your own role: --ledger postgresql://NAME@...",
            )

    def at_once(self) -> AbstractContextManager[None]:
        """One consistent view over this thread's reads; what it writes meanwhile is not in it."""
        return self._database.at_once()

    def foresee(self, questions: Iterable[Callable[[], object]]) -> None:
        """Says which calls that only read follow: over a network, these share journeys."""
        self._database.foresee(questions)

    @contextmanager
    def _reading(self, subject: str) -> Iterator[Transaction]:
        """One consistent view; a row of it that makes no sense is damage to this subject."""
        with self._database.reading() as tx, decoding(subject):
            yield tx


def first(tx: Transaction, sql: str, values: Values = NONE) -> Any:
    """The first cell of the first row; None without one."""
    rows = tx.rows(sql, values)
    return rows[0][0] if rows else None


def insert(tx: Transaction, table: str, rows: Sequence[Values], *, missing: bool = False) -> None:
    """Inserts rows, all with the same columns; with `missing`, those that are not there yet."""
    if rows:
        tx.many(_insertion(table, tuple(rows[0]), missing), rows)


def upsert(tx: Transaction, table: str, key: tuple[str, ...], values: Values) -> None:
    """Inserts a row, or changes these values of the one that has this key."""
    tx.put(_upsertion(table, key, tuple(values)), values)


@lru_cache(maxsize=64)
def _insertion(table: str, columns: tuple[str, ...], missing: bool) -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f":{name}" for name in columns)
    return f"INSERT INTO {table} ({names}) VALUES ({values})" + (  # noqa: S608 - names of the schema
        " ON CONFLICT DO NOTHING" if missing else ""
    )


@lru_cache(maxsize=16)
def _upsertion(table: str, key: tuple[str, ...], columns: tuple[str, ...]) -> str:
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in columns if name not in key)
    of_key = ", ".join(f'"{name}"' for name in key)
    return f"{_insertion(table, columns, False)} ON CONFLICT ({of_key}) DO UPDATE SET {changes}"
