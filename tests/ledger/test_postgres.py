"""Every statement of the ledger is one that PostgreSQL prepares too, on the same tables."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import ClauseElement
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable
from tests.ledger.samples import HOME, START, clock, id_of, proposal
from tests.ledger.statements import CALLS, NO_STATEMENT, WITHIN
from tests.postgres import Server

from reviewdeck.ledger import sqlite
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.tables import METADATA
from reviewdeck.model import Began, Lineage, Transcript, TurnBatch
from reviewdeck.model.ledger import bounded_key

DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's own
VALUE = re.compile(r"(\bIN )?(?<![:\w]):(\w+)")
OF_ONE_ALONE = re.compile(
    r"json_|instr\(|GLOB|PRAGMA|INSERT OR|UPDATE OR|\bIS :|LIMIT -|rowid|\?", re.I
)
CLOCK = (
    "CREATE FUNCTION clock_micros() RETURNS bigint LANGUAGE sql VOLATILE"
    " AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$"
)
"""The database's own time, which each adapter has."""


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Every statement that a ledger runs, once."""
    ran: dict[str, None] = {}
    in_sqlite = sqlite.in_sqlite

    def noted(sql: str) -> str:
        ran[" ".join(sql.split())] = None
        return in_sqlite(sql)

    path = tmp_path_factory.mktemp("ledger") / "ledger.db"
    with pytest.MonkeyPatch.context() as patch, open_ledger(str(path), now=clock) as ledger:
        patch.setattr(sqlite, "in_sqlite", noted)
        for call in CALLS.values():
            call(ledger)
    return list(ran)


def test_every_method_of_a_ledger_is_called_here() -> None:
    methods = {name for name in dir(Ledger) if not name.startswith("_")}
    assert methods == CALLS.keys() | WITHIN | NO_STATEMENT


def test_a_statement_has_no_word_of_one_database_alone(statements: list[str]) -> None:
    assert len(statements) > 100
    assert [sql for sql in statements if OF_ONE_ALONE.search(sql)] == []


def complaints(connection: Any, lines: Iterable[str]) -> list[str]:
    """What the server says of these statements, one after the other, when one is wrong."""
    said = []
    for line in lines:
        try:
            connection.execute(line)
        except psycopg.Error as error:
            said.append(f"{error}: {line}")
    return said


@pytest.fixture
def connection(postgres_server: Server) -> Iterator[Any]:
    """A connection to an empty database."""
    with postgres_server.database() as name, postgres_server.connect(name) as opened:
        yield opened


def test_postgresql_prepares_every_statement_on_the_same_tables(
    connection: Any, statements: list[str]
) -> None:
    elements: list[ClauseElement] = [
        *map(CreateTable, METADATA.sorted_tables),
        *(CreateIndex(index) for table in METADATA.sorted_tables for index in table.indexes),
    ]
    made = [str(one.compile(dialect=DIALECT)) for one in elements]
    made.append(CLOCK)
    prepared = [f"PREPARE s{n} AS {in_postgres(sql)}" for n, sql in enumerate(statements)]
    assert complaints(connection, (*made, *prepared)) == []
    # It does complain of what it does not know.
    assert complaints(connection, ["PREPARE odd AS SELECT instr($1, 'x')"]) != []


def test_postgresql_compares_texts_byte_by_byte_as_sqlite_does() -> None:
    for table in METADATA.sorted_tables:
        made = str(CreateTable(table).compile(dialect=DIALECT)).splitlines()
        texts = [line.strip() for line in made if " TEXT" in line]
        assert [line for line in texts if 'COLLATE "C"' not in line] == []


def test_the_longest_ids_fit_into_postgresqls_indexes(connection: Any) -> None:
    """An agent chooses some of them. A row of an index there has at most 2,704 bytes."""
    long = secrets.token_hex(2_000)
    tables = [METADATA.tables[name] for name in ("observation", "transcript", "event")]
    elements: list[ClauseElement] = [
        *map(CreateTable, tables),
        *(CreateIndex(index) for table in tables for index in table.indexes),
    ]
    made = [str(one.compile(dialect=DIALECT)) for one in elements]
    key, path = bounded_key(long), long[:1_800]
    rows = [
        f"INSERT INTO observation (home, path, revision, at, cause, actor)"  # noqa: S608 - made here
        f" VALUES ('{key}', '{path}', '', 0, '', '')",
        "INSERT INTO event (chain, sequence, at, name, home, subject, actor, detail, previous, sha)"  # noqa: S608 - made here
        f" VALUES ('{key}', 1, 0, '', '{key}', '{long}', '', '', '{'0' * 64}', '')",
    ]
    assert complaints(connection, [*made, *rows]) == []
    assert complaints(connection, [rows[1].replace(key, long)]) != []


@pytest.mark.parametrize("text", ["", "session-1", "x" * 512])
def test_an_id_of_usual_length_stays_as_it_is(text: str) -> None:
    assert bounded_key(text) == text


def test_long_ids_stay_apart() -> None:
    first, second = bounded_key("x" * 5_000 + "1"), bounded_key("x" * 5_000 + "\udcff")
    assert first != second and max(len(first), len(second)) < 200


def test_what_has_a_long_id_is_found_by_it(tmp_path: Path) -> None:
    name = "s" * 3_000
    lineage = Lineage(name, None, Began.NEW)
    transcript = Transcript("t", lineage, START, START, 1, 1, HOME, "cli")
    with open_ledger(str(tmp_path / "ledger.db"), now=clock) as ledger:
        ledger.add([replace(proposal(1), source_id=name)], {})
        ledger.retain([TurnBatch(transcript, ())])
        assert ledger.resolve(name) == id_of(1)
        assert len(ledger.transcripts(name)) == 1


def in_postgres(sql: str) -> str:
    """A statement in PostgreSQL's dialect: numbered values, and a list as an array."""
    numbers: dict[str, int] = {}

    def value(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f"= ANY(${number})" if match[1] else f"${number}"

    return VALUE.sub(value, sql)
