"""Working memory in this process alone: bounded, and lost when the process ends."""

from __future__ import annotations

from collections import Counter, OrderedDict
from threading import RLock
from typing import Final

from reviewdeck.working.storage import Cells, StoredCell, T, Work

MOST_SCOPES: Final = 1_000
"""Scopes that are kept without being attached."""


class InProcess:
    """A dictionary of scopes; beyond the limit the least recently used is dropped.

    A scope that is attached is not dropped.
    """

    name = "in process"
    is_using_fallback = False

    def __init__(self, most: int = MOST_SCOPES) -> None:
        self._most = most
        self._lock = RLock()
        self._open: Counter[str] = Counter()
        self._attached: dict[str, dict[str, StoredCell]] = {}
        """Attached scopes. The others are in `_idle`, in order of their last use."""
        self._idle: OrderedDict[str, dict[str, StoredCell]] = OrderedDict()

    def get(self, scope: str, key: str) -> StoredCell | None:
        with self._lock:
            return self._touch(scope).get(key)

    def cells(self, scope: str) -> Cells:
        with self._lock:
            return dict(self._touch(scope))

    def put(self, scope: str, key: str, cell: StoredCell) -> None:
        with self._lock:
            self._ensure(scope)[key] = cell

    def change(self, scope: str, work: Work[T]) -> T:
        with self._lock:
            changes, answer = work(dict(self._touch(scope)))
            cells = self._ensure(scope)
            for key in changes.drop:
                cells.pop(key, None)
            cells.update(changes.put)
            return answer

    def replace(self, scope: str, cells: Cells) -> None:
        """Replaces all cells of a scope."""
        with self._lock:
            stored = self._ensure(scope)
            stored.clear()
            stored.update(cells)

    def attach(self, scope: str) -> None:
        with self._lock:
            self._open[scope] += 1
            if scope not in self._attached:
                self._attached[scope] = self._idle.pop(scope, {})

    def detach(self, scope: str) -> None:
        with self._lock:
            self._open[scope] -= 1
            if self._open[scope] <= 0:
                del self._open[scope]
                self._idle[scope] = self._attached.pop(scope, {})
                self._shrink()

    def check(self) -> None:
        """Does nothing: it can always be used."""

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def __len__(self) -> int:
        """The number of scopes."""
        return len(self._attached) + len(self._idle)

    def _touch(self, scope: str) -> dict[str, StoredCell]:
        if scope in self._attached:
            return self._attached[scope]
        if scope in self._idle:
            self._idle.move_to_end(scope)
            return self._idle[scope]
        return {}

    def _ensure(self, scope: str) -> dict[str, StoredCell]:
        if scope not in self._attached and scope not in self._idle:
            self._idle[scope] = {}
            self._shrink()
        return self._touch(scope)

    def _shrink(self) -> None:
        """Drops idle scopes beyond the limit, but never the one in use, which is the last."""
        while len(self._idle) > max(1, self._most - len(self._attached)):
            self._idle.popitem(last=False)
