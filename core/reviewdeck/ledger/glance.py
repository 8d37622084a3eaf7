"""Ids, operations and documents with a short description, for shell completion: SQLite's own.

Called at each key press, so it loads no model: `reader.py` is for everything else.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.ledger.place import path_of

_QUERIES: Final = {
    "ID": "SELECT id, state || ': ' || coalesce(nullif(gist, ''), summary) FROM proposal"
    " WHERE state IN ('ready', 'conflict', 'dead', 'refused', 'quarantined', 'deferred')"
    " ORDER BY position DESC LIMIT 200",
    "REJECTED": "SELECT id, coalesce(nullif(gist, ''), summary) FROM proposal"
    " WHERE state = 'rejected' ORDER BY position DESC LIMIT 200",
    "OPERATION": "SELECT id, strftime('%Y-%m-%d %H:%M', started_at / 1000000, 'unixepoch',"
    " 'localtime') || ' ' || group_concat(path, ', ') FROM operation"
    " JOIN operation_change ON operation = id WHERE undone_by IS NULL"
    " GROUP BY id ORDER BY sequence DESC LIMIT 200",
    "DOCUMENT": "SELECT DISTINCT path, '' FROM operation_change ORDER BY path LIMIT 200",
}


def glance(ledger: str, kind: str) -> list[tuple[str, str]]:
    """The names of a kind with descriptions; empty where the ledger cannot be read."""
    query = _QUERIES.get(kind)
    try:
        path = path_of(ledger)
    except ReviewdeckError:
        return []
    if query is None:
        return []
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=0.2)) as connection:
            return [(str(name), str(about)) for name, about in connection.execute(query)]
    except sqlite3.Error:
        return []
