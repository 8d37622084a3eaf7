"""Databases on a real PostgreSQL, for the contract: one stands for each folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import postgres


def postgres_url(folder: Path) -> str:
    """The URL of the ledger that stands for a file in this folder; made with the first call."""
    return postgres.server().url(_database_of(folder))


def _database_of(folder: Path) -> str:
    if folder not in _databases:
        _databases[folder] = postgres.server().create("ledger", _make)
    return _databases[folder]


_databases: dict[Path, str] = {}


def drop_databases() -> None:
    """Drops what a test made."""
    while _databases:
        postgres.server().drop(_databases.popitem()[1])


def _make(url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    from reviewdeck.ledger.postgres.creation import create

    with psycopg.connect(url, autocommit=True) as connection:
        create(connection, "the template")
