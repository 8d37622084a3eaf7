"""Whether decisions are signed at an account, for commands that only read. Loads no keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.model.decisions import OPERATORS

if TYPE_CHECKING:
    from reviewdeck.ledger.ledger import Ledger

RING: Final = "operators.jsonl"
"""File name of the list of operators, in their directory."""


def has_list(directory: Path) -> bool:
    """Whether there is a list of operators. One that cannot be reached is not absent."""
    try:
        (directory / RING).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def has_keys(directory: Path, ledger: Ledger) -> bool:
    """Whether there are keys, or were: a missing list is not the same as no list."""
    if has_list(directory):
        return True
    return ledger.pinned(OPERATORS) is not None or ledger.is_signed()
