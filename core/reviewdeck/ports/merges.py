"""The state of merges that an operator has not finished."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The saved state of one unfinished merge."""

    digest: str
    """The digest of the merge's three texts."""
    value: Mapping[str, Any]
    """The state as it was given: plain values for JSON."""


class UnfinishedMerges(Protocol):
    """Saves one state for each proposal. It decides nothing: losing it costs work.

    Each call is whole or not at all, also when the process is killed in it.
    """

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Saves a proposal's state, replacing an earlier one.

        Raises StorageUnavailable.
        """

    def load(self, proposal: str) -> Unfinished | None:
        """The saved state; None for none, and for one that cannot be read."""

    def forget(self, proposal: str) -> None:
        """Drops the saved state, if any. Raises StorageUnavailable."""
