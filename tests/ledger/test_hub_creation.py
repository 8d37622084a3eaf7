"""Making a hub, and telling what it is: once, whole, and in a schema of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, TypeAlias

import psycopg
import pytest
from tests.postgres import Server

from reviewdeck.errors import (
    BadInput,
    LedgerDamaged,
    LedgerTooNew,
    LedgerUnavailable,
    ReviewdeckError,
)
from reviewdeck.ledger.postgres.creation import create, creation_script, rule_statements
from reviewdeck.ledger.postgres.schema import Fit, fit_of
from reviewdeck.ledger.versions import HEAD, KNOWN

Connection: TypeAlias = psycopg.Connection[Any]
LATER = "9999"


@pytest.fixture
def connection(postgres_server: Server) -> Iterator[Connection]:
    """A connection to a database of its own with nothing in it."""
    with (
        postgres_server.database() as name,
        closing(postgres_server.connect(name)) as opened,
    ):
        yield opened


def shape(connection: Connection) -> list[Any]:
    """What there is in the schema: its tables, functions, triggers, policies and grants."""
    return connection.execute(
        """SELECT relname::text, relacl::text FROM pg_class
            WHERE relnamespace = 'reviewdeck'::regnamespace
        UNION ALL SELECT pg_get_functiondef(oid), proacl::text FROM pg_proc
            WHERE pronamespace = 'reviewdeck'::regnamespace
        UNION ALL SELECT pg_get_triggerdef(oid), tgenabled::text FROM pg_trigger
            WHERE NOT tgisinternal
        UNION ALL SELECT policyname || tablename || cmd, coalesce(qual, '') FROM pg_policies
        ORDER BY 1"""
    ).fetchall()


def test_a_hub_is_made_once(connection: Connection) -> None:
    create(connection, "here")
    assert fit_of(connection, "here") is Fit.WRITES
    before = shape(connection)
    with pytest.raises(LedgerUnavailable, match="already"):
        create(connection, "here")
    assert shape(connection) == before


def test_what_follows_from_the_tables_is_made_again_as_it_was(connection: Connection) -> None:
    create(connection, "here")
    before = shape(connection)
    with connection.transaction():
        for statement in rule_statements():
            connection.execute(statement)
    assert shape(connection) == before


def test_the_script_makes_the_same(connection: Connection, postgres_server: Server) -> None:
    create(connection, "here")
    with postgres_server.database() as name:
        done = postgres_server.run(
            "psql",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            postgres_server.url(name),
            given=creation_script(),
        )
        assert (done.returncode, done.stderr) == (0, "")
        with closing(postgres_server.connect(name)) as other:
            assert shape(other) == shape(connection)


def test_where_it_cannot_be_made_whole_there_is_nothing(connection: Connection) -> None:
    connection.execute(
        "CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS"
        " $$ BEGIN IF tg_tag = 'CREATE POLICY' THEN RAISE 'full'; END IF; END $$"
    )
    connection.execute("CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION refuse()")
    with pytest.raises(psycopg.Error):
        create(connection, "here")
    connection.execute("DROP EVENT TRIGGER refuse")
    with pytest.raises(LedgerUnavailable, match="no ledger"):
        fit_of(connection, "here")
    create(connection, "here")


def test_the_schema_of_another_program_is_left_alone(connection: Connection) -> None:
    connection.execute("CREATE SCHEMA reviewdeck")
    connection.execute("CREATE TABLE reviewdeck.theirs (x int)")
    for call in (create, fit_of):
        with pytest.raises(LedgerDamaged, match="another program"):
            call(connection, "here")
    assert [name for name, _ in shape(connection)] == ["theirs"]


@pytest.mark.parametrize(
    ("version", "min_reader", "min_writer", "outcome"),
    [
        (KNOWN[-2], KNOWN[-2], KNOWN[-2], LedgerUnavailable),
        (HEAD, HEAD, HEAD, Fit.WRITES),
        (LATER, HEAD, HEAD, Fit.WRITES),
        (LATER, HEAD, LATER, Fit.READS),
        (LATER, LATER, LATER, LedgerTooNew),
    ],
)
def test_a_hub_of_another_version_is_used_as_far_as_it_says(
    connection: Connection, version: str, min_reader: str, min_writer: str, outcome: Any
) -> None:
    create(connection, "here")
    connection.execute("UPDATE reviewdeck.alembic_version SET version_num = %s", (version,))
    connection.execute(
        "UPDATE reviewdeck.skew SET min_reader = %s, min_writer = %s", (min_reader, min_writer)
    )
    if isinstance(outcome, Fit):
        assert fit_of(connection, "here") is outcome
        return
    with pytest.raises(ReviewdeckError) as refused:
        fit_of(connection, "here")
    assert type(refused.value) is outcome


@pytest.mark.parametrize("name", ["", "Reviewdeck", "a-b", 'x"; DROP', "x" * 41, "1x"])
def test_a_schemas_name_is_plain(name: str) -> None:
    with pytest.raises(BadInput):
        creation_script(name)
