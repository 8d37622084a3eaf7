"""The ledger's database as a schema of PostgreSQL: each writer is alone with the homes it names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Final

import psycopg
from psycopg import errors

from reviewdeck.errors import LedgerUnavailable, ReviewdeckError
from reviewdeck.ledger import connecting
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.database import NONE, HomeOf, Row, Values
from reviewdeck.ledger.postgres.dialect import cells, in_one, in_postgres
from reviewdeck.ledger.postgres.faults import translated
from reviewdeck.ledger.postgres.line import Line, QueuedStatement, Statement, connect
from reviewdeck.ledger.postgres.news import News
from reviewdeck.ledger.postgres.schema import SCHEMA, VERSIONS, Fit, fit, fit_of
from reviewdeck.ledger.postgres_url import PostgresAddress
from reviewdeck.ledger.threads import ThreadTransactions
from reviewdeck.model.ledger import LedgerMember
from reviewdeck.ports import Clock, Head

_STATEMENT_SECONDS: Final = 60
_IDLE_SECONDS: Final = 300
"""How long a transaction may ask nothing: then its program is taken for gone, and its locks go."""
_STREAMED: Final = 2_000
"""The rows that are fetched at once."""
_MOST_IDLE: Final = 4
"""The connections that are kept for the next transaction."""
_MOST_KEPT: Final = 1_000
"""The answers that a view keeps: one that is read page by page need not fit into memory."""
_VIEW: Final = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
# Whoever waited for a home's lock has to see what the one before it stored.
_WRITE: Final = Statement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
_ROW_FOR_EACH: Final = "INSERT INTO home (id) {homes} ORDER BY 1 ON CONFLICT DO NOTHING"
_LOCKED: Final = "SELECT id FROM home WHERE id IN ({homes}) ORDER BY id FOR UPDATE"
_NAMED: Final = "SELECT unnest(%(names)s::text[])"
_OF_ROWS: Final = "SELECT DISTINCT home FROM {table} WHERE id = ANY(%(ids)s)"
_VERSIONS: Final = Statement(VERSIONS.format(schema=SCHEMA))
_MEMBER: Final = Statement(f"SELECT {SCHEMA}.member_name(), {SCHEMA}.member_kind()")
_REQUIRED: Final = f"""
    SELECT 1 / (count(*) = cardinality(%(homes)s::text[]))::integer FROM {SCHEMA}.event
    WHERE chain = ANY(%(homes)s) AND sequence = ANY(%(numbers)s) AND sha = ANY(%(sums)s)
"""  # noqa: S608 - constant
"""Fails (`faults`) where a line is missing: nobody waits for its answer, and nothing follows it. A
line is known by its sum."""
_OWN_HOMES: Final = f"SELECT unnest({SCHEMA}.member_homes())"
_cursors = count(1)


def _settings() -> Statement:
    """For one transaction: the next one on this connection may be another program's."""
    settings = {
        "search_path": f"{SCHEMA}, pg_temp",
        "lock_timeout": round(connecting.BUSY_SECONDS * 1000),
        "statement_timeout": _STATEMENT_SECONDS * 1000,
        "idle_in_transaction_session_timeout": _IDLE_SECONDS * 1000,
    }
    local = ", ".join(f"set_config('{name}', '{value}', TRUE)" for name, value in settings.items())
    return Statement(f"SELECT {local}")


class _Unanswered(Exception):
    """A question that was foreseen needs an answer that is not there yet."""


class PostgresTransaction:
    """Satisfies `Transaction` over one connection."""

    has_lateral = True
    is_far = True

    def __init__(self, line: Line) -> None:
        self.ends: dict[str, Callable[[], Head]] = {}
        self._line = line
        self._held: set[str] = set()
        self._foreseen: dict[object, QueuedStatement] = {}
        """By statement and values, what was asked for questions. An answer is kept no longer than
        it holds: until the transaction ends, changes something, or gets another lock.
        """
        self._questions: list[Callable[[], object]] = []
        """Those that need an answer to go on."""
        self._is_foreseeing = False
        self.is_view = False
        """Whether it is of one moment and changes nothing: then hardly a question comes twice."""

    def hold(self, *homes: str | HomeOf) -> None:
        for of in homes:
            if isinstance(of, HomeOf):
                self._forget()
                rows = _OF_ROWS.format(table=of.table)
                self._lock(rows, {"ids": cells({"ids": of.ids})["ids"]})
        names = {home for home in homes if isinstance(home, str)} - self._held
        if names:
            self._forget()
        self._held |= names
        # The ledger's own chain comes last, whatever its name would be sorted as.
        for some in (names - {""}, names & {""}):
            if some:
                self._lock(_NAMED, cells({"names": some}))

    def foresee(self, questions: Iterable[Callable[[], object]]) -> None:
        if not self._is_foreseeing:
            self._questions += questions
            self._go_on()

    def rows(self, sql: str, values: Values = NONE) -> Sequence[Row]:
        return self._answer_to(self._tell(_statement(sql, values)))

    def stream(self, sql: str, values: Values = NONE) -> Iterator[Row]:
        if self._is_foreseeing:
            raise _Unanswered
        name = f"rows_{next(_cursors)}"
        text, bound = _statement(sql, values)
        self._line.tell(Statement(f"DECLARE {name} NO SCROLL CURSOR FOR {text}", bound))
        more = Statement(f"FETCH FORWARD {_STREAMED} FROM {name}")
        while rows := self._line.ask(more).fetchall():
            yield from rows
            if len(rows) < _STREAMED:
                break
        self._line.tell(Statement(f"CLOSE {name}"))  # What is open keeps its table as it is.

    def run(self, sql: str, values: Values = NONE) -> int:
        self._forget()
        return self._line.ask(_statement(sql, values)).rowcount

    def put(self, sql: str, values: Values = NONE) -> None:
        self._forget()
        self._line.tell(_statement(sql, values))

    def later(self, sql: str, values: Values = NONE) -> Callable[[], Sequence[Row]]:
        told = self._tell(_statement(sql, values))
        return lambda: self._answer_to(told)

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        self._forget()
        listed = list(rows)
        at_once = in_one(sql, listed)
        if at_once is None:
            text = in_postgres(sql)
            at_once = [(text, cells(row)) for row in listed]
        for text, row in at_once:
            self._line.tell(Statement(text, row))

    def _tell(self, statement: Statement) -> QueuedStatement:
        if not statement.text.lstrip().startswith(("SELECT", "WITH")):
            self._forget()  # It changes something, and says what.
        elif self.is_view or self._foreseen or self._questions or self._is_foreseeing:
            question = _question(statement)
            if question not in self._foreseen:
                is_foreseen = self._questions or self._is_foreseeing
                if self.is_view and not is_foreseen and len(self._foreseen) >= _MOST_KEPT:
                    self._foreseen.clear()
                self._foreseen[question] = self._line.tell(statement)
            return self._foreseen[question]
        return self._line.tell(statement)

    def _answer_to(self, told: QueuedStatement) -> Sequence[Row]:
        if told.answer is None:
            if self._is_foreseeing:
                raise _Unanswered
            self._go_on()
        cursor = self._line.answer_to(told)
        if cursor.rownumber:
            cursor.scroll(0, mode="absolute")  # It was asked before.
        return cursor.fetchall()

    def _go_on(self) -> None:
        """Has each question ask what it can with the answers of now."""
        asked, self._questions, self._is_foreseeing = self._questions, [], True
        try:
            for ask in asked:
                try:
                    ask()
                except _Unanswered:
                    self._questions.append(ask)
                except ReviewdeckError:
                    pass  # Whoever really asks is told.
        finally:
            self._is_foreseeing = False

    def _forget(self) -> None:
        if self._is_foreseeing:
            raise AssertionError("a question changes nothing")
        self._foreseen.clear()
        self._questions.clear()

    def _lock(self, homes: str, values: dict[str, Any]) -> None:
        self._line.tell(Statement(_ROW_FOR_EACH.format(homes=homes), values))
        self._line.tell(Statement(_LOCKED.format(homes=homes), values))


def _question(statement: Statement) -> object:
    values = statement.values or {}
    return statement.text, tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in values.items()
    )


def _statement(sql: str, values: Values) -> Statement:
    return Statement(in_postgres(sql), cells(values))


class PostgresDatabase(ThreadTransactions[PostgresTransaction]):
    """Satisfies `Database`. Connections are kept, and each serves one transaction at a time."""

    def __init__(self, address: PostgresAddress, now: Clock, *, is_read_only: bool = False) -> None:
        super().__init__()
        self.address = address
        self._now = now
        self._is_read_only = is_read_only
        self._beginning: Sequence[Statement] = [_settings()]
        """What every transaction begins with."""
        self._required: Mapping[str, Head] | None = None
        """The lines of logs that have to be there, by home; None where nobody asked for any."""
        self._idle: list[Line] = []
        self._in_use: set[Line] = set()
        self._closed = threading.Event()
        self._news = News(address, self._closed)
        self._member: LedgerMember | None = None
        """Known from `check` on."""

    @property
    def now(self) -> Clock:
        return self._now

    @contextmanager
    def reading(self) -> Iterator[PostgresTransaction]:
        with translated(self.address.label):
            if (current := self._current() or self._view()) is not None:
                yield current
                return
            with self._line() as line:
                line.begin(_VIEW, *self._beginning)
                yield PostgresTransaction(line)
                line.leave()

    @contextmanager
    def writing(self, *homes: str | HomeOf) -> Iterator[PostgresTransaction]:
        if self._is_read_only:
            raise LedgerUnavailable(f"The ledger {self.address.label} was opened to be read.")
        with translated(self.address.label):
            if (current := self._current()) is not None:
                current.hold(*homes)
                yield current
                return
            with self._line() as line:
                line.begin(_WRITE, *self._beginning)
                tx = PostgresTransaction(line)
                tx.hold(*homes)
                yield tx
                line.commit()
                if self._required is not None and tx.ends:
                    ends = {home: end() for home, end in tx.ends.items()}
                    there = {home: end for home, end in ends.items() if end[0]}
                    self.require({**self._required, **there})

    @contextmanager
    def at_once(self) -> Iterator[None]:
        with super().at_once():
            if (view := self._view()) is not None:
                view.is_view = True
            yield

    def foresee(self, questions: Iterable[Callable[[], object]]) -> None:
        if (tx := self._current() or self._view()) is not None:
            tx.foresee(questions)

    def check(self) -> LedgerMember | None:
        """The member that a role stands for; None where it stands for none.

        Raises LedgerUnavailable, LedgerTooNew or LedgerDamaged where the ledger cannot be used.
        """
        label = self.address.label
        with translated(label), self._line() as line:
            found = line.tell(_VERSIONS)
            try:
                about = line.ask(_MEMBER)
            except (errors.UndefinedTable, errors.InvalidSchemaName, errors.UndefinedFunction):
                fit_of(line.connection, label)  # Says what is there instead.
                raise
            row = line.answer_to(found).fetchone()
            can = (
                fit_of(line.connection, label)
                if row is None
                else fit(row[0], row[1], row[2], label)
            )
            self._is_read_only |= can is Fit.READS
            name, kind = about.fetchone() or (None, None)
            if name is not None:
                self._member = LedgerMember(str(name), is_operator=kind == "operator")
            return self._member

    def require(self, lines: Mapping[str, Head]) -> None:
        self._required = lines
        numbers, sums = ([head[at] for head in lines.values()] for at in (0, 1))
        required = cells({"homes": list(lines), "numbers": numbers, "sums": sums})
        self._beginning = [_settings(), *([Statement(_REQUIRED, required)] if lines else ())]

    def homes_read(self) -> frozenset[str] | None:
        if self._member is None or self._member.is_operator:
            return None
        with self.reading() as tx:
            return frozenset(unshield(home) for (home,) in tx.rows(_OWN_HOMES))

    def wait_for_news(self, seconds: float, homes: Collection[str] | None = None) -> bool:
        return self._news.wait(seconds, homes)

    def break_off(self) -> None:
        self._closed.set()
        for line in tuple(self._in_use):
            line.hang_up()

    def close(self) -> None:
        """Closes all connections; one that is in use, when it is given back."""
        self._closed.set()
        self._news.close()
        self._close_idle()

    def _close_idle(self) -> None:
        with suppress(IndexError):  # Another thread may give one back, or close it, meanwhile.
            while True:
                self._idle.pop().close()

    @contextmanager
    def _line(self) -> Iterator[Line]:
        try:
            line = self._idle.pop()
        except IndexError:
            line = Line(self._open)
        self._in_use.add(line)
        try:
            if self._closed.is_set():
                line.hang_up()
            yield line
        except BaseException:
            line.break_off()
            raise
        finally:
            self._in_use.discard(line)
            if line.is_usable and len(self._idle) < _MOST_IDLE:
                self._idle.append(line)
            else:
                line.close()
            if self._closed.is_set():
                self._close_idle()

    def _open(self) -> psycopg.Connection[tuple[Any, ...]]:
        if self._closed.is_set():
            raise LedgerUnavailable(f"The ledger {self.address.label} is closed here.")
        return connect(self.address)
