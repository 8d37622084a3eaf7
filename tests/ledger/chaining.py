"""What whoever can write a ledger's file can do to its log."""

from __future__ import annotations

import hashlib
import json
import sqlite3

NAMES = ("sequence", "at", "name", "home", "subject", "actor", "detail")


def chain_anew(database: sqlite3.Connection, *chains: str) -> None:
    """Every sum of these chains is right again, or of all of them."""
    found = chains or [chain for (chain,) in database.execute("SELECT DISTINCT chain FROM event")]
    for chain in found:
        previous = ""
        for position, *row in database.execute(
            f"SELECT position, {', '.join(NAMES)} FROM event WHERE chain = ? ORDER BY sequence",  # noqa: S608 - our own names
            (chain,),
        ).fetchall():
            said = dict(zip(NAMES, row, strict=True)) | {"previous": previous}
            said |= {"actor": json.loads(said["actor"]), "detail": json.loads(said["detail"])}
            canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
            sha = hashlib.sha256((previous + canonical).encode()).hexdigest()
            database.execute(
                "UPDATE event SET previous = ?, sha = ? WHERE position = ?",
                (previous, sha, position),
            )
            previous = sha
