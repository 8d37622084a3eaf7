"""Pruning stored texts that nothing can need any more: in SQLite's file, and in a hub.

Of its own file it has all to itself meanwhile, and gives the space back. A hub is used meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

from reviewdeck.errors import Busy, LedgerDamaged, LedgerUnavailable
from reviewdeck.ledger.cells import micros_of
from reviewdeck.ledger.connecting import connect
from reviewdeck.ledger.database import Transaction
from reviewdeck.ledger.faults import translated
from reviewdeck.ledger.needed import (
    EVIDENCE,
    Pruned,
    floors_of,
    forget_bases,
    forget_evidence,
    forget_writes,
    note_pruned,
    old_turns,
    remove_bytes,
    remove_turns,
    spare_of,
)
from reviewdeck.ledger.opening import is_current
from reviewdeck.ledger.place import is_postgres, path_of
from reviewdeck.ledger.shared import extra
from reviewdeck.ledger.sqlite import SqliteTransaction, prepared, transaction
from reviewdeck.ports import Clock


def prune(url: str, *, keep: timedelta, now: Clock) -> Pruned:
    """Prunes what is older than this and not needed: of a file in one transaction.

    Raises LedgerUnavailable, LedgerDamaged, Busy, and NotPermitted for a hub's host or operator.
    """
    if is_postgres(url):
        with extra():
            from reviewdeck.ledger.postgres.retention import prune_hub
        return prune_hub(url, keep=keep, now=now)
    path = path_of(url)
    if not is_current(path):
        raise LedgerUnavailable(
            f"The ledger {path} is not there, or of an earlier version.",
            hint="Any command that writes, such as `reviewdeck auto`, brings it up to date.",
        )
    with alone(path) as tx:
        pruned = _prune(tx, micros_of(now() - keep), micros_of(now() - min(keep, EVIDENCE)))
        for table in ("batch_write", "rescued", "blob"):
            if tx.rows(f"PRAGMA foreign_key_check({table})"):
                raise LedgerDamaged("Something that is still referred to would be let go of.")
        note_pruned(tx, pruned, keep, now)
    if pruned.texts:
        shrink(path)
    return pruned


def _prune(tx: Transaction, cutoff: int, evidence: int) -> Pruned:
    floors = floors_of(tx, cutoff)
    for home, floor in floors.items():
        forget_bases(tx, home, floor)
        forget_evidence(tx, home, evidence)
        forget_writes(tx, home, floor)
    texts = remove_bytes(tx, spare_of(tx, floors).shas)
    return texts + remove_turns(tx, old_turns(tx, floors, cutoff).sessions)


@contextmanager
def alone(path: Path) -> Iterator[SqliteTransaction]:
    """One transaction that holds the write lock from its start."""
    with translated(str(path)), closing(prepared(connect(path, "mode=rw"))) as connection:
        # Each text would be searched in tables without an index on it: checked once, at the end.
        connection.execute("PRAGMA foreign_keys = OFF")
        with transaction(connection, "BEGIN IMMEDIATE"):
            yield SqliteTransaction(connection)


def shrink(path: Path) -> bool:
    """Gives free space back to the disk, unless another program uses the ledger."""
    try:
        with (
            translated(str(path)),
            closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection,
        ):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except Busy:
        return False
    return True
