"""Integrity of the ledger: a check that reads everything and changes nothing.

Pages and references are SQLite's own; the rest is the same in any database.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger.blobs import Delta
from reviewdeck.ledger.cells import load, unshield
from reviewdeck.ledger.connecting import connect_to_read
from reviewdeck.ledger.database import Transaction
from reviewdeck.ledger.faults import translated
from reviewdeck.ledger.place import path_of
from reviewdeck.ledger.row_sums import find_uncovered
from reviewdeck.ledger.schema import version_of
from reviewdeck.ledger.sqlite import SqliteTransaction

_COUNTED = "SELECT home, state, count(*) FROM proposal GROUP BY home, state"


def find_damage(url: str) -> tuple[str, ...]:
    """The problems found, one sentence each; empty when all is well.

    Raises LedgerUnavailable when there is no ledger or it cannot be read, LedgerTooNew, and
    LedgerDamaged when it is too broken to be checked.
    """
    path = path_of(url)
    if not path.exists():
        raise LedgerUnavailable(f"There is no ledger at {path}.")
    with translated(str(path)), closing(connect_to_read(path)) as connection:
        connection.execute("BEGIN")
        if version_of(connection, str(path)) is None:
            return ()
        return (
            *_broken_pages(connection),
            *_dangling_references(connection),
            *find_inconsistencies(SqliteTransaction(connection)),
        )


def find_inconsistencies(tx: Transaction) -> Iterator[str]:
    """The rows that contradict each other, their checksums or the log."""
    yield from _wrong_counters(tx)
    yield from _changed_bytes(tx)
    yield from find_uncovered(tx)


def _broken_pages(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute("PRAGMA integrity_check(20)"):
        if line != "ok":
            yield f"SQLite finds: {line}"


def _dangling_references(connection: sqlite3.Connection) -> Iterator[str]:
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"Row {row} of {table} refers to something in {parent} that is not there."


def _wrong_counters(tx: Transaction) -> Iterator[str]:
    counters = tx.stream("SELECT home, state, amount FROM counter WHERE amount <> 0")
    counted = {(home, state): amount for home, state, amount in tx.stream(_COUNTED)}
    stored = {(home, state): amount for home, state, amount in counters}
    for home, state in sorted(counted.keys() | stored.keys()):
        right, counter = counted.get((home, state), 0), stored.get((home, state), 0)
        if right != counter:
            yield f"{unshield(home)} has {right} in state {state}; the counter says {counter}."


def _purged_sums(tx: Transaction) -> dict[str, str]:
    """The checksums of purged texts, as the log states them."""
    sums: dict[str, str] = {}
    query = "SELECT detail FROM event WHERE name = 'purge' ORDER BY position"
    for (detail,) in tx.stream(query):
        with suppress(AttributeError, TypeError, ValueError):
            sums.update(load(detail).get("texts") or {})
    return sums


def _changed_bytes(tx: Transaction) -> Iterator[str]:
    purged = _purged_sums(tx)
    bases: dict[str, bytes] = {}
    for sha, data, base, head, tail in tx.stream(
        "SELECT sha, data, base, head, tail FROM blob ORDER BY base"
    ):
        try:
            if base is not None:
                bases = {base: bases[base] if base in bases else _content(tx, base)}
                data = Delta(head, data, tail).on(bases[base])
            is_whole = hashlib.sha256(data).hexdigest() in (sha, purged.get(sha))
        except TypeError:  # a cell of another type than was stored: SQLite keeps what it is given
            is_whole = False
        if not is_whole:
            yield f"The bytes that are kept as {str(sha)[:12]} are not those that were stored."


def _content(tx: Transaction, sha: str) -> bytes:
    """The bytes under a SHA-256, with differences resolved; empty for none."""
    rows = tx.rows("SELECT data, base, head, tail FROM blob WHERE sha = :sha", {"sha": sha})
    if not rows:
        return b""
    data, base, head, tail = rows[0]
    content: bytes = data if base is None else Delta(head, data, tail).on(_content(tx, base))
    return content
