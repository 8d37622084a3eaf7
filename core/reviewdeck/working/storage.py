"""The port: where the cells of scopes are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from reviewdeck.working.cells import Cell, Cells, Changes

T = TypeVar("T")

Work: TypeAlias = Callable[[Cells], tuple[Changes, T]]
"""From the cells as they are to what becomes of them, and an answer.

It may be called again when another writer was faster, so it must do nothing else.
"""


class Storage(Protocol):
    """Where cells are kept, by scope and key. Every method raises StorageUnavailable.

    A storage does not look at when a cell ends: that is its caller's clock. It may drop scopes that
    nobody has open and that were not written to for long.
    """

    @property
    def name(self) -> str:
        """What it is, for a person: `in process`, `sqlite`, `redis`."""
        ...

    @property
    def is_using_fallback(self) -> bool:
        """Whether another storage was asked for and does not answer."""
        ...

    def get(self, scope: str, key: str) -> Cell | None:
        """One cell, or None."""
        ...

    def cells(self, scope: str) -> Cells:
        """All cells of a scope."""
        ...

    def put(self, scope: str, key: str, cell: Cell) -> None:
        """Stores one cell."""
        ...

    def change(self, scope: str, work: Work[T]) -> T:
        """Reads all cells and writes what becomes of them, as one step among all writers."""
        ...

    def attach(self, scope: str) -> None:
        """Somebody works with this scope: it is not dropped until they detach."""
        ...

    def detach(self, scope: str) -> None:
        """The counterpart of `attach`."""
        ...

    def check(self) -> None:
        """Whether it can be used at all."""
        ...

    def close(self) -> None:
        """Lets go of files and connections. May be called twice."""
        ...
