"""A storage that may fail, with one in this process that replaces it meanwhile.

Also: the storage that an address names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import Final, TypeAlias, TypeVar

from reviewdeck.errors import BadInput, StorageUnavailable
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.storage import META, Cells, Changes, Storage, StoredCell, T, Work

RETRY: Final = 1.0
"""Seconds between two attempts to reach a storage that failed."""
MOST_BEHIND: Final = 10_000
"""Queued steps of one scope; beyond that the whole scope is sent."""

Step: TypeAlias = Callable[[Storage], None]
R = TypeVar("R")


class Fallback:
    """The configured storage while it answers, else this process's own memory.

    Everything is mirrored, so that a failure loses nothing. Steps made during a failure are
    repeated in order when the storage is back; they are idempotent. A storage that comes back empty
    is filled from the mirror.
    """

    def __init__(
        self,
        connect: Callable[[], Storage],
        tick: Callable[[], float],
        *,
        mirror: InProcess | None = None,
    ) -> None:
        """`tick` is a clock that only runs forward, in seconds."""
        self._connect = connect
        self._tick = tick
        self._mirror = InProcess() if mirror is None else mirror
        self._lock = RLock()
        self._primary: Storage | None = None
        self._failed_at: float | None = None
        self._open: set[str] = set()
        self._behind: dict[str, list[Step]] = {}
        self.problem = ""
        """Why the configured storage is not used; empty if it is."""
        with self._lock:
            self._ensure_connected()

    @property
    def name(self) -> str:
        """The storage that is in use now."""
        with self._lock:
            return (self._ensure_connected() or self._mirror).name

    @property
    def is_using_fallback(self) -> bool:
        with self._lock:
            return self._ensure_connected() is None

    def get(self, scope: str, key: str) -> StoredCell | None:
        return self._read(lambda storage: storage.get(scope, key))

    def cells(self, scope: str) -> Cells:
        return self._read(lambda storage: storage.cells(scope))

    def put(self, scope: str, key: str, cell: StoredCell) -> None:
        def step(storage: Storage) -> None:
            storage.put(scope, key, cell)

        with self._lock:
            if not self._run(step):
                self._queue(scope, step)
            self._mirror.put(scope, key, cell)

    def change(self, scope: str, work: Work[T]) -> T:
        """Reads all cells and writes what becomes of them, as one step."""
        with self._lock:
            results: list[tuple[Cells, T]] = []

            def watched(cells: Cells) -> tuple[Changes, T]:
                changes, answer = work(cells)
                results.append((changes.applied(cells), answer))
                return changes, answer

            if self._run(lambda storage: storage.change(scope, watched)):
                after, answer = results[-1]
                self._mirror.replace(scope, after)
                return answer
            self._queue(scope, lambda storage: storage.change(scope, lambda c: (work(c)[0], None)))
            return self._mirror.change(scope, work)

    def attach(self, scope: str) -> None:
        """Somebody works with this scope; what is there is mirrored."""
        with self._lock:
            self._mirror.attach(scope)
            self._open.add(scope)
            mirrored: list[Cells] = []

            def step(storage: Storage) -> None:
                storage.attach(scope)
                mirrored.append(storage.cells(scope))

            if self._run(step):
                self._mirror.replace(scope, mirrored[0])

    def detach(self, scope: str) -> None:
        with self._lock:
            self._open.discard(scope)
            self._mirror.detach(scope)
            self._run(lambda storage: storage.detach(scope))

    def check(self) -> None:
        """Asks the configured storage; there is always one that answers."""
        self._run(lambda storage: storage.check())

    def close(self) -> None:
        """Lets go of both. What could not be handed over is lost with this process."""
        with self._lock:
            self._ensure_connected(at_once=True)
            if self._primary is not None:
                self._close(self._primary)
                self._primary = None
                self._failed_at = float("inf")

    def _read(self, ask: Callable[[Storage], R]) -> R:
        with self._lock:
            answers: list[R] = []
            if self._run(lambda storage: answers.append(ask(storage))):
                return answers[0]
            return ask(self._mirror)

    def _run(self, step: Callable[[Storage], object]) -> bool:
        """Does a step on the configured storage; False when that does not answer."""
        primary = self._ensure_connected()
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

    def _ensure_connected(self, *, at_once: bool = False) -> Storage | None:
        """The configured storage; tried again from time to time when it failed."""
        if self._primary is not None:
            return self._primary
        failed = self._failed_at
        if failed is not None and not at_once and self._tick() - failed < RETRY:
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
                primary.change(scope, _fill(mirrored))
            if self._behind.pop(scope, None):
                self._mirror.detach(scope)

    def _queue(self, scope: str, step: Step) -> None:
        """Keeps a step to be done again, and the scope in the mirror until then."""
        if scope not in self._behind:
            self._mirror.attach(scope)
        steps = self._behind.setdefault(scope, [])
        if len(steps) >= MOST_BEHIND:
            steps[:] = [lambda storage: storage.change(scope, _fill(self._mirror.cells(scope)))]
            return
        steps.append(step)


def _fill(cells: Mapping[str, StoredCell]) -> Work[None]:
    return lambda present: (
        Changes(dict(cells), [key for key in present if key not in cells]),
        None,
    )


IN_PROCESS: Final = "memory:"
SERVERS: Final = ("redis://", "rediss://", "unix://", "valkey://", "valkeys://")


def create(
    address: str, *, now: Callable[[], datetime], tick: Callable[[], float]
) -> InProcess | Fallback:
    """The storage of an address, with this process' memory in its place while it fails.

    `memory:` for this process alone, `redis://HOST:PORT/DB` (also `rediss://`, `unix://PATH`,
    `valkey://`), or the path of an SQLite file. `tick` is a clock that only runs forward, in
    seconds. Raises BadInput for another address; a server that does not answer is no error.
    """
    if address == IN_PROCESS:
        return InProcess()
    if address.startswith(SERVERS):
        return Fallback(lambda: _server(address), tick)
    path = address.removeprefix("sqlite:///") if address.startswith("sqlite:///") else address
    if not path or "://" in path:
        raise BadInput(
            f"This is no address of a working memory: {address!r}.",
            hint="Use memory:, a path of an SQLite file, or redis://HOST:PORT/DB.",
        )
    file = Path(os.path.expanduser(path))  # noqa: PTH111 - a `~name` of nobody stays a name
    return Fallback(lambda: _file(file, now), tick)


def _server(address: str) -> Storage:
    from reviewdeck.working.redis import Redis

    for scheme, redis_scheme in (("valkey://", "redis://"), ("valkeys://", "rediss://")):
        if address.startswith(scheme):
            address = redis_scheme + address.removeprefix(scheme)
    return Redis(address)


def _file(path: Path, now: Callable[[], datetime]) -> Storage:
    from reviewdeck.working.sqlite import Sqlite

    return Sqlite(path, now)
