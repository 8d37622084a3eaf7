"""Whether decisions are signed at an account. Loads no keys: whoever only looks asks this."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.model.decisions import OPERATORS

if TYPE_CHECKING:
    from reviewdeck.ports import LedgerReader

RING: Final = "operators.jsonl"
"""The list of operators, in their directory."""


def tells_of_keys(directory: Path, ledger: LedgerReader) -> bool:
    """Whether there are keys, or were: a list that vanished is not the same as none."""
    there = (directory / RING).exists()
    return there or ledger.pinned(OPERATORS) is not None or ledger.is_signed()
