"""What whoever can write a ledger's file can do to its log."""

from __future__ import annotations

import hashlib
import json
from typing import Any

NAMES = ("sequence", "at", "name", "home", "subject", "actor", "detail")


def chain_anew(database: Any, *chains: str) -> None:
    """Every sum of these chains is right again, or of all of them."""
    found = chains or [chain for (chain,) in database.execute("SELECT DISTINCT chain FROM event")]
    for chain in found:  # of homes whose names are plain
        previous = ""
        for position, *row in database.execute(
            f"SELECT position, {', '.join(NAMES)} FROM event"  # noqa: S608 - our own names
            f" WHERE chain = '{chain}' ORDER BY sequence"
        ).fetchall():
            said = dict(zip(NAMES, row, strict=True)) | {"previous": previous}
            said |= {"actor": json.loads(said["actor"]), "detail": json.loads(said["detail"])}
            canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
            sha = hashlib.sha256((previous + canonical).encode()).hexdigest()
            database.execute(
                f"UPDATE event SET previous = '{previous}', sha = '{sha}'"  # noqa: S608 - the same
                f" WHERE position = {position}"
            )
            previous = sha
