"""A storage that may fail, with one in this process that takes its place meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Final, TypeAlias, TypeVar

from reviewdeck.errors import StorageUnavailable
from reviewdeck.working.cells import Cell, Cells, Changes
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.keys import META
from reviewdeck.working.storage import Storage, T, Work

RETRY: Final = 1.0
"""Seconds between two tries to reach a storage that failed."""
MOST_BEHIND: Final = 10_000
"""Steps of one scope that are kept to be done again; beyond, the whole scope is sent."""

Step: TypeAlias = Callable[[Storage], None]
R = TypeVar("R")


class Fallback:
    """What was configured while it answers, else this process' own memory.

    Everything that passes is mirrored, so that a failure takes nothing away. What is done during a
    failure is done again, in order, when the storage is back; steps are such that a second time
    changes nothing. A storage that comes back empty is filled from the mirror.
    """

    def __init__(
        self,
        connect: Callable[[], Storage],
        tick: Callable[[], float],
        *,
        mirror: InProcess | None = None,
        retry: float = RETRY,
    ) -> None:
        """`tick` is a clock that only runs forward, in seconds."""
        self._connect = connect
        self._tick = tick
        self._retry = retry
        self._mirror = InProcess() if mirror is None else mirror
        self._lock = RLock()
        self._primary: Storage | None = None
        self._failed_at: float | None = None
        self._open: set[str] = set()
        self._behind: dict[str, list[Step]] = {}
        self.problem = ""
        """Why the configured storage is not used, in words for a person."""
        with self._lock:
            self._reach()

    @property
    def name(self) -> str:
        """The storage that is in use now."""
        with self._lock:
            return (self._reach() or self._mirror).name

    @property
    def is_using_fallback(self) -> bool:
        """Whether the configured storage does not answer."""
        with self._lock:
            return self._reach() is None

    def get(self, scope: str, key: str) -> Cell | None:
        """One cell, or None."""
        return self._read(lambda storage: storage.get(scope, key))

    def cells(self, scope: str) -> Cells:
        """All cells of a scope."""
        return self._read(lambda storage: storage.cells(scope))

    def put(self, scope: str, key: str, cell: Cell) -> None:
        """Stores one cell."""

        def step(storage: Storage) -> None:
            storage.put(scope, key, cell)

        with self._lock:
            if not self._done(step):
                self._remember(scope, step)
            self._mirror.put(scope, key, cell)

    def change(self, scope: str, work: Work[T]) -> T:
        """Reads all cells and writes what becomes of them, as one step."""
        with self._lock:
            seen: list[tuple[Cells, T]] = []

            def watched(cells: Cells) -> tuple[Changes, T]:
                changes, answer = work(cells)
                seen.append((changes.applied(cells), answer))
                return changes, answer

            if self._done(lambda storage: storage.change(scope, watched)):
                after, answer = seen[-1]
                self._mirror.replace(scope, after)
                return answer
            self._remember(scope, lambda storage: storage.change(scope, lambda c: _only(work(c))))
            return self._mirror.change(scope, work)

    def attach(self, scope: str) -> None:
        """Somebody works with this scope; what is there is mirrored."""
        with self._lock:
            self._mirror.attach(scope)
            self._open.add(scope)
            found: list[Cells] = []

            def step(storage: Storage) -> None:
                storage.attach(scope)
                found.append(storage.cells(scope))

            if self._done(step):
                self._mirror.replace(scope, found[0])

    def detach(self, scope: str) -> None:
        """The counterpart of `attach`."""
        with self._lock:
            self._open.discard(scope)
            self._mirror.detach(scope)
            self._done(lambda storage: storage.detach(scope))

    def check(self) -> None:
        """Asks the configured storage; there is always one that answers."""
        self._done(lambda storage: storage.check())

    def close(self) -> None:
        """Lets go of both. What could not be handed over is lost with this process."""
        with self._lock:
            self._reach(at_once=True)
            if self._primary is not None:
                self._close(self._primary)
                self._primary = None
                self._failed_at = float("inf")

    def _read(self, ask: Callable[[Storage], R]) -> R:
        with self._lock:
            answers: list[R] = []
            if self._done(lambda storage: answers.append(ask(storage))):
                return answers[0]
            return ask(self._mirror)

    def _done(self, step: Callable[[Storage], object]) -> bool:
        """Does a step on the configured storage; False when that does not answer."""
        primary = self._reach()
        if primary is None:
            return False
        try:
            step(primary)
        except StorageUnavailable as error:
            self._fail(error)
            return False
        return True

    def _fail(self, error: StorageUnavailable) -> None:
        if self._primary is not None:
            self._close(self._primary)
        self._primary = None
        self._failed_at = self._tick()
        self.problem = error.message

    def _close(self, storage: Storage) -> None:
        try:
            storage.close()
        except StorageUnavailable as error:
            self.problem = error.message

    def _reach(self, *, at_once: bool = False) -> Storage | None:
        """The configured storage; tried again from time to time when it failed."""
        if self._primary is not None:
            return self._primary
        failed = self._failed_at
        if failed is not None and not at_once and self._tick() - failed < self._retry:
            return None
        try:
            self._primary = self._connect()
            self._catch_up(self._primary)
        except StorageUnavailable as error:
            self._fail(error)
        else:
            self.problem = ""
        return self._primary

    def _catch_up(self, primary: Storage) -> None:
        """Hands over what was done meanwhile, scope by scope; a failure leaves the rest."""
        for scope in sorted(self._open | self._behind.keys()):
            primary.attach(scope)
            if META in primary.cells(scope):
                for step in self._behind.get(scope, ()):
                    step(primary)
            elif mirrored := self._mirror.cells(scope):
                primary.change(scope, _filled(mirrored))
            if self._behind.pop(scope, None):
                self._mirror.detach(scope)

    def _remember(self, scope: str, step: Step) -> None:
        """Keeps a step to be done again, and the scope in the mirror until then."""
        if scope not in self._behind:
            self._mirror.attach(scope)
        steps = self._behind.setdefault(scope, [])
        if len(steps) >= MOST_BEHIND:
            steps[:] = [lambda storage: storage.change(scope, _filled(self._mirror.cells(scope)))]
            return
        steps.append(step)


def _only(done: tuple[Changes, object]) -> tuple[Changes, None]:
    return done[0], None


def _filled(cells: Mapping[str, Cell]) -> Work[None]:
    return lambda found: (Changes(dict(cells), [key for key in found if key not in cells]), None)
