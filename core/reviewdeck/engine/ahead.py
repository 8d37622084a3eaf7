"""Values that are asked for before it is known which of them are needed, to save journeys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MOST_AHEAD: Final = 50
"""So many are worth a journey that is saved, whether they are needed or not."""


class Ahead(Generic[T]):
    """What a ledger has by id. It is read once it is taken, or before, as a foreseen question."""

    def __init__(self, read: Callable[[Sequence[str]], Mapping[str, T]]) -> None:
        self._read = read
        self._found: dict[str, T | None] = {}

    def expect(self, ids: Sequence[str]) -> None:
        """Reads those of these that were not read yet."""
        if missing := [id for id in ids if id not in self._found]:
            found = self._read(missing)
            self._found |= {id: found.get(id) for id in missing}

    def know(self, found: Mapping[str, T]) -> None:
        """Takes what was read otherwise."""
        self._found |= found

    def see(self, ids: Sequence[str]) -> dict[str, T]:
        """Those of these that there are, in this order. What is read for it is not kept here."""
        missing = [id for id in ids if id not in self._found]
        found = {**self._found, **(self._read(missing) if missing else {})}
        return {id: one for id in ids if (one := found.get(id)) is not None}

    def take(self, ids: Sequence[str]) -> dict[str, T]:
        """Those of these that there are, in this order. They are kept here no longer."""
        self.expect(ids)
        taken = [(id, self._found.pop(id)) for id in ids]
        return {id: one for id, one in taken if one is not None}
