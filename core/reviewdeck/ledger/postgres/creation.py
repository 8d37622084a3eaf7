"""Making a hub: the tables, rules and rights of a ledger as a schema of a PostgreSQL database.

Tables are those of `ledger.tables`, for that dialect. What follows from them (triggers, policies,
grants) is made anew after every migration, so a migration says only what becomes of tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import psycopg
from sqlalchemy import ClauseElement
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from reviewdeck.errors import BadInput, LedgerUnavailable
from reviewdeck.ledger.creation import tidy
from reviewdeck.ledger.postgres.guards import guards
from reviewdeck.ledger.postgres.rights import rights
from reviewdeck.ledger.postgres.schema import SCHEMA, exists, fit_of
from reviewdeck.ledger.tables import METADATA
from reviewdeck.ledger.versions import HEAD, MIN_READER, MIN_WRITER

FLOOR: Final = 15
"""The earliest version of the server."""
LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('reviewdeck schema ' || %s, 0))"
"""Held while a schema is made or changed. It ends with the transaction, also behind a pooler."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_REFERRING: Final = (
    ("blob", "base"), ("batch_write", "before"), ("batch_write", "after"), ("rescued", "sha"),
)  # fmt: skip
"""Columns that name bytes: for each that go, the server searches these. A file's own are not."""
_GROUP: Final = """
    DO $$ BEGIN
        CREATE ROLE {group} NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;
    END $$
"""


def create(connection: psycopg.Connection[Any], where: str, schema: str = SCHEMA) -> None:
    """Makes a ledger in one transaction, in a schema of its own.

    Raises LedgerUnavailable where there is one already, LedgerTooNew where it is a later one, and
    LedgerDamaged where the schema is of another program.
    """
    statements = tuple(creation_statements(schema))
    with connection.transaction():
        connection.execute(LOCK, (schema,))
        if exists(connection, schema):
            fit_of(connection, where, schema)  # Says what else it may be.
            raise LedgerUnavailable(
                f"There is a ledger in {where} already.", hint="Use it with --ledger."
            )
        _refuse_unfit(connection, where)
        for statement in statements:
            connection.execute(statement)


def _refuse_unfit(connection: psycopg.Connection[Any], where: str) -> None:
    info = connection.info
    encoding = info.parameter_status("server_encoding")
    if info.server_version < FLOOR * 10_000:
        raise LedgerUnavailable(
            f"The server of {where} is PostgreSQL {info.server_version // 10_000}.",
            hint=f"A ledger needs PostgreSQL {FLOOR} or later.",
        )
    if encoding != "UTF8":
        raise LedgerUnavailable(
            f"The database {where} keeps texts as {encoding}.",
            hint="CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0 makes a fit one.",
        )


def creation_statements(schema: str = SCHEMA) -> Iterator[str]:
    """The SQL that makes the current schema in a database without it, statement by statement.

    It is for one transaction. Raises BadInput for a name that is none.
    """
    if _NAME.fullmatch(schema) is None:
        raise BadInput(
            f"{schema!r} cannot be the name of a ledger's schema.",
            hint="Use lower-case letters, digits and underscores, a letter first.",
        )
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's own
    elements: list[ClauseElement] = [
        *map(CreateTable, METADATA.sorted_tables),
        *(
            CreateIndex(index)
            for table in METADATA.sorted_tables
            for index in sorted(table.indexes, key=lambda index: str(index.name))
        ),
    ]
    yield f"CREATE SCHEMA {schema}"
    yield f"SET LOCAL search_path = {schema}"
    yield from (tidy(str(element.compile(dialect=dialect))) for element in elements)
    yield (
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
        " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    yield f"INSERT INTO alembic_version (version_num) VALUES ('{HEAD}')"  # noqa: S608 - constant
    yield "CREATE TABLE skew (min_reader TEXT NOT NULL, min_writer TEXT NOT NULL)"
    yield f"INSERT INTO skew (min_reader, min_writer) VALUES ('{MIN_READER}', '{MIN_WRITER}')"  # noqa: S608 - constants
    yield from rule_statements(schema)


def rule_statements(schema: str = SCHEMA) -> Iterator[str]:
    """The SQL that makes what follows from the tables, again where it is there."""
    yield "SET LOCAL client_min_messages = warning"  # of what is not there to be replaced
    for group in (f"{schema}_host", f"{schema}_operator"):
        yield tidy(_GROUP.format(group=group))
    for table, column in _REFERRING:
        index = f'CREATE INDEX IF NOT EXISTS {table}_{column} ON {schema}.{table} ("{column}")'
        yield f'{index} WHERE "{column}" IS NOT NULL'
    for statement in (*guards(), *rights()):
        yield re.sub("@(?=[._'])", schema, tidy(statement)).replace("SCHEMA @", f"SCHEMA {schema}")


def creation_script(schema: str = SCHEMA) -> str:
    """The same as one script, for `psql`."""
    return "".join(f"{line};\n" for line in ("BEGIN", *creation_statements(schema), "COMMIT"))
