"""Bringing a hub up to date while other programs use it: tables by the migrations, then the rules.

There is no copy of it to go back to but the one that whoever runs the server has made.
"""

from __future__ import annotations

from typing import Any, Final

import psycopg
from alembic import command
from alembic.util.exc import CommandError
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from reviewdeck.errors import Busy, LedgerUnavailable
from reviewdeck.ledger.postgres.creation import LOCK, rule_statements
from reviewdeck.ledger.postgres.schema import SCHEMA, fit_of, versions_of
from reviewdeck.ledger.upgrade import configuration
from reviewdeck.ledger.versions import FIRST_HUB, HEAD, KNOWN, MIN_READER, MIN_WRITER

_PATIENCE: Final = "10s"
"""How long it waits for the writers of now. Others wait behind it meanwhile."""


def upgrade(connection: psycopg.Connection[Any], where: str, schema: str = SCHEMA) -> str:
    """Brings an older hub up to date, in one transaction; gives the version that it had.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, and Busy where programs keep it in use.
    """
    version, _, _ = versions_of(connection, where, schema)
    if version not in KNOWN or version >= HEAD:
        fit_of(connection, where, schema)
        return version
    if version < FIRST_HUB:
        raise LedgerUnavailable(
            f"The ledger {where} is from before the first release of hubs: {version}.",
            hint="Make another one with `reviewdeck ledger create`.",
        )
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: connection,
        poolclass=StaticPool,
        # An error must not carry what an agent wrote to a terminal or a log.
        hide_parameters=True,
    )
    config = configuration()
    connection.autocommit = False
    try:
        with engine.begin() as opened:
            connection.execute(f"SET LOCAL lock_timeout = '{_PATIENCE}'")
            connection.execute(LOCK, (schema,))
            connection.execute(f"SET LOCAL search_path = {schema}")
            # Every writer begins with a row of it: who has begun ends, and nobody else begins.
            connection.execute("LOCK TABLE home IN ACCESS EXCLUSIVE MODE")
            if versions_of(connection, where, schema)[0] != version:
                return version  # another program was faster
            config.attributes["connection"] = opened
            command.upgrade(config, "head")
            for statement in rule_statements(schema):
                connection.execute(statement.encode())
            connection.execute(
                "UPDATE skew SET min_reader = %s, min_writer = %s", (MIN_READER, MIN_WRITER)
            )
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        raise _in_use(where) from error
    except DBAPIError as error:
        if isinstance(
            error.orig, psycopg.errors.LockNotAvailable | psycopg.errors.DeadlockDetected
        ):
            raise _in_use(where) from error
        raise (error.orig or error) from error
    except CommandError as error:
        raise LedgerUnavailable(
            f"The ledger {where} cannot be brought up to date: {error}", hint="It is as it was."
        ) from error
    return version


def _in_use(where: str) -> Busy:
    return Busy(
        f"Other programs kept the ledger {where} in use for {_PATIENCE}.",
        hint="Nothing was changed: try again, or stop what reads a lot, such as a report.",
    )
