"""What the log keeps of rows that decisions rest on: a sum of each, as it came in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from reviewdeck.ledger.cells import dump

TAKEN_IN = "taken-in"
"""The line of proposals that came in, with the sum of each."""

REMEMBERED = "remembered"
"""The line of texts that must not come back unseen, by their sums."""

FORGOTTEN = "forgotten"
"""The line of those of them that may."""

SUMMED = (
    "id", "home", "source", "source_id", "kind", "action", "target", "origin", "payload_sha",
    "summary",
)  # fmt: skip
"""The columns that never change again. The body's texts of bases may be let go of."""


def sum_of(row: Mapping[str, Any]) -> str:
    """The sum of one proposal, from its values as they were before they became cells."""
    body = dict(row["body"])
    bases = {
        path: {name: value for name, value in base.items() if name != "has_text"}
        for path, base in body["bases"].items()
    }
    said = [row[name] for name in SUMMED], body | {"bases": bases}
    return hashlib.sha256(dump(said).encode()).hexdigest()[:32]


def sum_of_text(text: str, where: str) -> str:
    """The sum of a text that is remembered, and of where it was."""
    return hashlib.sha256(dump([text, where]).encode()).hexdigest()
