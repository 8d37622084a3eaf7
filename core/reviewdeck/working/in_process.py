"""Working memory in this process alone: bounded, and gone with it."""

from __future__ import annotations

from collections import Counter, OrderedDict
from threading import RLock
from typing import Final

from reviewdeck.working.storage import Cells, StoredCell, T, Work

MOST_SCOPES: Final = 1_000
"""Scopes that are kept when nobody has them open."""


class InProcess:
    """A dictionary of scopes; beyond the limit the least recently used goes first.

    A scope that somebody has open, or that is held because it was not synchronised yet, stays.
    """

    name = "in process"
    is_using_fallback = False

    def __init__(self, most: int = MOST_SCOPES) -> None:
        self._most = most
        self._lock = RLock()
        self._open: Counter[str] = Counter()
        self._kept: dict[str, dict[str, StoredCell]] = {}
        """Those that must stay. The others are in `_idle`, in order of their last use."""
        self._idle: OrderedDict[str, dict[str, StoredCell]] = OrderedDict()

    def get(self, scope: str, key: str) -> StoredCell | None:
        """One cell, or None."""
        with self._lock:
            return self._found(scope).get(key)

    def cells(self, scope: str) -> Cells:
        """All cells of a scope."""
        with self._lock:
            return dict(self._found(scope))

    def put(self, scope: str, key: str, cell: StoredCell) -> None:
        """Stores one cell."""
        with self._lock:
            self._made(scope)[key] = cell

    def change(self, scope: str, work: Work[T]) -> T:
        """Reads all cells and writes what becomes of them, as one step among all threads."""
        with self._lock:
            changes, answer = work(dict(self._found(scope)))
            cells = self._made(scope)
            for key in changes.drop:
                cells.pop(key, None)
            cells.update(changes.put)
            return answer

    def replace(self, scope: str, cells: Cells) -> None:
        """Makes these the cells of a scope."""
        with self._lock:
            made = self._made(scope)
            made.clear()
            made.update(cells)

    def attach(self, scope: str) -> None:
        """Somebody works with this scope: it is not dropped until they detach."""
        with self._lock:
            self._open[scope] += 1
            if scope not in self._kept:
                self._kept[scope] = self._idle.pop(scope, {})

    def detach(self, scope: str) -> None:
        """The counterpart of `attach`."""
        with self._lock:
            self._open[scope] -= 1
            if self._open[scope] <= 0:
                del self._open[scope]
                self._idle[scope] = self._kept.pop(scope, {})
                self._shrink()

    def check(self) -> None:
        """It can always be used."""

    def close(self) -> None:
        """Nothing to let go of."""

    def __len__(self) -> int:
        """How many scopes are kept."""
        return len(self._kept) + len(self._idle)

    def _found(self, scope: str) -> dict[str, StoredCell]:
        if scope in self._kept:
            return self._kept[scope]
        if scope in self._idle:
            self._idle.move_to_end(scope)
            return self._idle[scope]
        return {}

    def _made(self, scope: str) -> dict[str, StoredCell]:
        if scope not in self._kept and scope not in self._idle:
            self._idle[scope] = {}
            self._shrink()
        return self._found(scope)

    def _shrink(self) -> None:
        """The scope in use always has room: it is the last of the idle ones."""
        while len(self._idle) > max(1, self._most - len(self._kept)):
            self._idle.popitem(last=False)
