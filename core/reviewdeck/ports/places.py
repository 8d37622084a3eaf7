"""Where the homes that a ledger knows were last seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Standing:
    """One directory as it is found, or as it was."""

    path: str
    """Resolved; empty for one whose place another one took."""
    number: str
    """Device and inode; empty where that was never noted."""
    mark: str = ""
    """Who our own folder in it says it is. A ledger knows it before it is written there."""


@dataclass(frozen=True, slots=True)
class KnownHome:
    """One home of a ledger, and where it stood when it was last opened."""

    id: str
    at: Standing


class Places(Protocol):
    """Where homes are. An id stays, wherever its home goes."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        ...

    def put_place(
        self,
        home: str,
        at: Standing,
        spare: str,
        event: str = "",
        detail: Mapping[str, object] = MappingProxyType({}),
    ) -> str:
        """Remembers where a home is; with an event, that is a line of the log too.

        Gives the home's mark: the one it has, or that it was to have, or the spare one.
        """
        ...
