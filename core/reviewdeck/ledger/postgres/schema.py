"""Which version a hub has, and what this program can do with it."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

import psycopg
from psycopg import errors

from reviewdeck.errors import LedgerDamaged, LedgerTooNew, LedgerUnavailable
from reviewdeck.ledger.versions import HEAD, KNOWN

SCHEMA: Final = "reviewdeck"
"""The schema of a hub."""

VERSIONS: Final = """
    SELECT version_num, min_reader, min_writer FROM {schema}.alembic_version, {schema}.skew
"""


class Fit(Enum):
    """What a program can do with a ledger of this version."""

    READS = "reads"
    WRITES = "writes"


def fit_of(connection: psycopg.Connection[Any], where: str, schema: str = SCHEMA) -> Fit:
    """What this program can do with the ledger in a database.

    Raises LedgerUnavailable where there is none or an earlier one, LedgerTooNew for a later one
    that this program cannot read, and LedgerDamaged where the schema is another program's.
    """
    return fit(*versions_of(connection, where, schema), where)


def fit(version: str, min_reader: str, min_writer: str, where: str) -> Fit:
    """What this program can do with a ledger of this version. Raises as `fit_of` does."""
    if version == HEAD:
        return Fit.WRITES
    if version in KNOWN:
        raise LedgerUnavailable(
            f"The ledger {where} is of an earlier version of reviewdeck: its schema is {version},"
            f" this program needs {HEAD}.",
            hint="`reviewdeck ledger upgrade` brings it up to date, while other programs use it.",
        )
    if min_reader > HEAD:
        raise LedgerTooNew(
            f"A later version of reviewdeck made the ledger {where}: its schema is {version}, this"
            f" program knows {HEAD}."
        )
    return Fit.WRITES if min_writer <= HEAD else Fit.READS


def versions_of(
    connection: psycopg.Connection[Any], where: str, schema: str = SCHEMA
) -> tuple[str, str, str]:
    """The version of a ledger, and those of the oldest programs that can read and write it.

    Raises LedgerUnavailable where there is none, LedgerDamaged for another program's schema.
    """
    try:
        with connection.transaction():
            rows = connection.execute(VERSIONS.format(schema=schema)).fetchall()
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        if not exists(connection, schema):
            raise LedgerUnavailable(
                f"There is no ledger in {where} yet.", hint="`reviewdeck ledger create` makes it."
            ) from None
        rows = []
    if len(rows) != 1:
        raise LedgerDamaged(
            f"The schema {schema} of {where} is of another program.",
            hint="Name another database with --ledger.",
        )
    version, min_reader, min_writer = rows[0]
    return version, min_reader, min_writer


def exists(connection: psycopg.Connection[Any], schema: str = SCHEMA) -> bool:
    """Whether there is a schema of this name, whoever made it."""
    row = connection.execute("SELECT to_regnamespace(%s) IS NOT NULL", (schema,)).fetchone()
    return bool(row and row[0])
