"""One connection to PostgreSQL. Statements wait until an answer is needed, and go out together."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

import psycopg
from psycopg import generators
from psycopg.pq import ExecStatus, TransactionStatus

from reviewdeck.ledger.postgres.dialect import register
from reviewdeck.ledger.postgres.faults import unreachable
from reviewdeck.ledger.postgres_url import PostgresAddress
from reviewdeck.values import dataclass

# It writes names of databases and users to the terminal where a connection was lost; we say that.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Cursor: TypeAlias = psycopg.Cursor[tuple[Any, ...]]

_MOST_WAITING: Final = 1_000
"""How many statements wait at most."""
CONNECTING: Final[dict[str, str]] = {
    "connect_timeout": "10",
    "client_encoding": "utf8",
    "application_name": "reviewdeck",
    # Without these a cut network keeps a program waiting for a quarter of an hour.
    "keepalives": "1",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""What libpq is told of every connection: nothing that a pooler between would refuse."""


class Statement(NamedTuple):
    """Text and values as psycopg takes them."""

    text: str
    values: dict[str, Any] | None = None


@dataclass(slots=True)
class QueuedStatement:
    """A statement, and its answer once it has one."""

    statement: Statement
    answer: Cursor | None = None


def connect(address: PostgresAddress) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection on which each statement stands by itself unless BEGIN was said.

    Raises LedgerUnavailable, NotPermitted.
    """
    parameters: dict[str, Any] = CONNECTING | address.parameters
    try:
        connection = psycopg.connect(
            "",
            autocommit=True,
            # A prepared statement belongs to a connection, which a pooler changes between two
            # transactions. Its plan would be made for no values in particular, besides.
            prepare_threshold=None,
            **parameters,
        )
    except psycopg.Error as error:
        raise unreachable(error, address.label, address.password) from None
    register(connection.adapters)
    return connection


class Line:
    """A connection that serves one transaction at a time."""

    def __init__(self, opened: Callable[[], psycopg.Connection[tuple[Any, ...]]]) -> None:
        self._opened = opened
        self.connection = opened()
        self._waiting: list[QueuedStatement] = []
        self._beginning = 0
        self._is_answer_due = False
        self._is_fresh = True
        self.trips = 0
        """How often it waited for the server."""

    @property
    def is_usable(self) -> bool:
        """Whether another transaction may use it."""
        return not self.connection.closed and not self._waiting

    def begin(self, *statements: Statement) -> None:
        """Begins a transaction, with the first statement that needs an answer."""
        self._is_fresh = True
        self._waiting = [QueuedStatement(statement) for statement in statements]
        self._beginning = len(statements)

    def tell(self, statement: Statement) -> QueuedStatement:
        """Has a statement executed no later than the next one that is asked."""
        queued = QueuedStatement(statement)
        self._waiting.append(queued)
        if len(self._waiting) > _MOST_WAITING:
            self._send()
        return queued

    def answer_to(self, queued: QueuedStatement) -> Cursor:
        """The answer to a statement, which is sent now at the latest."""
        if queued.answer is None:
            self._send()
        if queued.answer is None:
            raise psycopg.InterfaceError("the transaction of this statement has ended")
        return queued.answer

    def ask(self, statement: Statement) -> Cursor:
        """Executes a statement, and what waits before it; its answer."""
        return self.answer_to(self.tell(statement))

    def commit(self) -> None:
        """Ends a transaction, and waits until it is stored."""
        if not self._is_fresh or len(self._waiting) > self._beginning:
            self._is_fresh = False  # What may be stored is never told twice.
            self.tell(Statement("COMMIT"))
            self._send()
        self._waiting = []

    def leave(self) -> None:
        """Ends a transaction that changed nothing: whether that succeeds is nobody's concern."""
        if not self._is_fresh:
            self.connection.pgconn.send_query(b"COMMIT")
            self.connection.pgconn.flush()
            self._is_answer_due = True
        self._waiting = []

    def break_off(self) -> None:
        """Takes a transaction back."""
        self._waiting = []
        pgconn = self.connection.pgconn
        with suppress(psycopg.Error):
            if self.connection.closed or pgconn.transaction_status == TransactionStatus.IDLE:
                return
            if pgconn.transaction_status != TransactionStatus.ACTIVE:
                self.trips += 1
                self.connection.execute("ROLLBACK")
                return
        self.close()  # it is in the middle of something, or did not even say that it took it back

    def hang_up(self) -> None:
        """Ends the connection under whoever waits for an answer, from any thread."""
        with (
            suppress(OSError, psycopg.Error),
            socket.socket(fileno=os.dup(self.connection.pgconn.socket)) as line,
        ):
            line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._waiting = []
        with suppress(psycopg.Error):
            self.connection.close()

    def _send(self) -> None:
        queued, self._waiting = self._waiting, []
        if not queued:
            return
        try:
            self._execute(queued)
        except psycopg.OperationalError:
            # A server that was restarted, or a pooler, has closed what was kept: nothing of this
            # transaction reached it.
            if not (self._is_fresh and self.connection.closed):
                raise
            self.connection = self._opened()
            self._execute(queued)
        self._is_fresh = False

    def _execute(self, queued: Sequence[QueuedStatement]) -> None:
        self._hear()
        self.trips += 1
        connection = self.connection
        if len(queued) == 1:
            queued[0].answer = connection.execute(*queued[0].statement, binary=True)
            return
        with connection.pipeline():
            for each in queued:
                each.answer = connection.execute(*each.statement, binary=True)

    def _hear(self) -> None:
        """Takes the answer of what nobody waited for."""
        if not self._is_answer_due:
            return
        self._is_answer_due = False
        connection = self.connection
        results = connection.wait(generators.fetch_many(connection.pgconn))
        if any(result.status == ExecStatus.FATAL_ERROR for result in results):
            connection.close()
            raise psycopg.OperationalError("the connection was lost")
