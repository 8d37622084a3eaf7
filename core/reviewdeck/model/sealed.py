"""An operator's signature under one decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OPERATORS: Final = "operators"
"""What a ledger knows the list of operators by."""
LEDGER: Final = "ledger"
"""By what its own counters are told from those of others."""
PINNED: Final = "pinned-"
"""Stands before one of these in the name of the line of the log that tells of it."""
BEGINNINGS: Final = frozenset({"operators", "operators-anew", f"{PINNED}{OPERATORS}"})
"""Lines of the log that say that decisions are signed from there on."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A signature, and what it covers that stands nowhere else."""

    key: str
    """The public key, in hex."""
    counter: int
    """One more than that of the seal before it in the same ledger, whoever signed it."""
    policy: str
    """SHA-256 of the policy that held, or `built-in`."""
    log_sequence: int
    """The last line of the log when it was signed; 0 for an empty log."""
    log_sha: str
    signature: str = ""
    """Ed25519, in hex."""
