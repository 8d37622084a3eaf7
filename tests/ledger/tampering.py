"""What whoever owns the database can do to it, past the ledger: in a file and on a server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from reviewdeck.ledger.place import is_postgres, path_of

REFUSALS = (sqlite3.IntegrityError, psycopg.Error)
"""What a guard of the database raises."""


@contextmanager
def connected(url: str) -> Iterator[Any]:
    """A connection of the owner, which commits each statement. The guards hold."""
    if is_postgres(url):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET search_path = reviewdeck")
            yield connection
    else:
        with closing(sqlite3.connect(path_of(url), isolation_level=None)) as connection:
            yield connection


@contextmanager
def unguarded(url: str) -> Iterator[Any]:
    """The same, and no guard of the log holds."""
    with connected(url) as connection:
        if is_postgres(url):
            connection.execute("SET session_replication_role = replica")
        else:
            for trigger in ("event_no_update", "event_no_delete", "event_in_order"):
                connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        yield connection


def tamper(url: str, *statements: str) -> None:
    """Executes what no program of ours would."""
    with unguarded(url) as connection:
        for statement in statements:
            connection.execute(statement)
