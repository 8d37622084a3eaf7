"""How long a storage takes: the last samples of each operation, never more than a ring of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from reviewdeck.working.cells import Cell, Cells
from reviewdeck.working.storage import Storage, T, Work

SAMPLES: Final = 10_000
"""How many samples of one operation are kept."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One operation, in seconds."""

    count: int
    """How often it was done since the start."""
    median: float
    p99: float
    longest: float
    """All three of the last samples."""


class Metered:
    """A storage that remembers how long its answers took."""

    def __init__(self, storage: Storage, tick: Callable[[], float]) -> None:
        self._storage = storage
        self._tick = tick
        self._rings: dict[str, deque[float]] = {}
        self._counts: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The storage in use."""
        return self._storage.name

    @property
    def is_using_fallback(self) -> bool:
        """Whether the configured storage does not answer."""
        return self._storage.is_using_fallback

    def timings(self) -> dict[str, Timing]:
        """Each operation that was done at least once."""
        return {name: _timing(list(ring), self._counts[name]) for name, ring in self._rings.items()}

    def get(self, scope: str, key: str) -> Cell | None:
        """One cell, or None."""
        with self._timed("get"):
            return self._storage.get(scope, key)

    def cells(self, scope: str) -> Cells:
        """All cells of a scope."""
        with self._timed("cells"):
            return self._storage.cells(scope)

    def put(self, scope: str, key: str, cell: Cell) -> None:
        """Stores one cell."""
        with self._timed("put"):
            self._storage.put(scope, key, cell)

    def change(self, scope: str, work: Work[T]) -> T:
        """Reads all cells and writes what becomes of them, as one step."""
        with self._timed("change"):
            return self._storage.change(scope, work)

    def attach(self, scope: str) -> None:
        """Somebody works with this scope."""
        self._storage.attach(scope)

    def detach(self, scope: str) -> None:
        """The counterpart of `attach`."""
        self._storage.detach(scope)

    def check(self) -> None:
        """Raises StorageUnavailable when it does not answer."""
        with self._timed("check"):
            self._storage.check()

    def close(self) -> None:
        """Lets go of the storage."""
        self._storage.close()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = self._tick()
        try:
            yield
        finally:
            ring = self._rings.setdefault(name, deque(maxlen=SAMPLES))
            ring.append(self._tick() - started)
            self._counts[name] = self._counts.get(name, 0) + 1


def _timing(samples: list[float], count: int) -> Timing:
    ordered = sorted(samples)
    last = len(ordered) - 1
    return Timing(count, ordered[last // 2], ordered[round(last * 0.99)], ordered[-1])
