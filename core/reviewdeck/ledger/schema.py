"""Which version an existing ledger has."""

from __future__ import annotations

import sqlite3

from reviewdeck.errors import LedgerDamaged, LedgerTooNew, LedgerUnavailable
from reviewdeck.ledger.versions import KNOWN


def version_of(connection: sqlite3.Connection, where: str) -> str | None:
    """The version of a ledger; None for a database with nothing in it.

    Raises LedgerTooNew for a later version than this program knows, LedgerUnavailable for one that
    it cannot bring up to date any more, and LedgerDamaged for a database that is something else.
    """
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not names:
        return None
    if "alembic_version" not in names:
        raise LedgerDamaged(
            f"{where} is a database of another program.", hint="Name another file with --ledger."
        )
    versions = [version for (version,) in connection.execute("SELECT * FROM alembic_version")]
    if len(versions) != 1:
        raise LedgerDamaged(f"The ledger {where} does not say which version it has.")
    if versions[0] < KNOWN[0]:
        raise LedgerUnavailable(
            f"The ledger {where} is from before the first release: its schema is {versions[0]},"
            f" this program reads {KNOWN[0]} and later."
        )
    if versions[0] not in KNOWN:
        raise LedgerTooNew(
            f"A later version of reviewdeck wrote the ledger {where}: its schema is"
            f" {versions[0]}, this program knows {KNOWN[-1]}."
        )
    return str(versions[0])


def is_wal(connection: sqlite3.Connection) -> bool:
    """Whether readers and a writer can work side by side."""
    return bool(connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal")
