"""What each thread has open in a database: its transaction of `together`, its view of `at_once`."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Generic, TypeVar

from reviewdeck.ledger.database import HomeOf

T = TypeVar("T")


class ThreadTransactions(ABC, Generic[T]):
    """The part of a `Database` that is the same wherever transactions of this type come from."""

    def __init__(self) -> None:
        self._local = threading.local()

    @abstractmethod
    def reading(self) -> AbstractContextManager[T]:
        """One consistent view: what this thread has open, else a new one."""

    @abstractmethod
    def writing(self, *homes: str | HomeOf) -> AbstractContextManager[T]:
        """One transaction: what this thread has open, else a new one."""

    @contextmanager
    def at_once(self) -> Iterator[None]:
        if self._current() or self._view():
            yield
            return
        with self.reading() as tx:
            self._local.view = tx
            try:
                yield
            finally:
                self._local.view = None

    @contextmanager
    def together(self, *homes: str) -> Iterator[Callable[[], None]]:
        if self._current() is not None:
            with self.writing(*homes):
                pass  # It holds these homes too.
            yield lambda: None
            return
        with ExitStack() as opened:
            self._local.transaction = opened.enter_context(self.writing(*homes))

            def end() -> None:
                self._local.transaction = None
                opened.close()

            try:
                yield end
            finally:
                self._local.transaction = None

    def _current(self) -> T | None:
        current: T | None = getattr(self._local, "transaction", None)
        return current

    def _view(self) -> T | None:
        view: T | None = getattr(self._local, "view", None)
        return view
