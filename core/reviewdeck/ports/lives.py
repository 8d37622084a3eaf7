"""What the ledger knows of all proposals at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from reviewdeck.model.decisions import Life


class Lives(Protocol):
    """What became of every proposal."""

    def lives(self, homes: Sequence[str]) -> Iterator[Life]:
        """Every proposal of these homes, oldest first; undoings and unreadable records left out."""
        ...
