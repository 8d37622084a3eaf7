"""Where merges wait that were begun and not finished."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What was kept of one merge."""

    digest: str
    """Of the three texts that it is about (`planning.merging.Sides.digest`)."""
    value: Mapping[str, Any]
    """As it was given: plain values for JSON."""


class UnfinishedMerges(Protocol):
    """Keeps one value for each proposal. Nothing in it decides anything: losing it costs work.

    Each call is whole or not at all, also when the process is killed in it.
    """

    def save(self, proposal: str, digest: str, value: Mapping[str, Any]) -> None:
        """Keeps a value in the place of what was kept for this proposal.

        Raises StorageUnavailable.
        """
        ...

    def load(self, proposal: str) -> Unfinished | None:
        """What was kept; None for nothing, and for what cannot be read any more."""
        ...

    def forget(self, proposal: str) -> None:
        """Drops what was kept, if anything was. Raises StorageUnavailable."""
        ...
