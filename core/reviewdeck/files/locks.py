"""Advisory locks that other programs honour too, taken in turn and with a timeout."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from reviewdeck.errors import Busy
from reviewdeck.files.steps import set_owner
from reviewdeck.files.syscalls import NameIn

_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class _Waiter(threading.Thread):
    """Waits in the kernel's own queue, which is fair; a poller may starve."""

    def __init__(self, file: int) -> None:
        super().__init__(name="reviewdeck-lock", daemon=True)
        self._file = file
        self._turn = threading.Lock()
        self._done = threading.Event()
        self._given_up = False
        self._error: OSError | None = None

    def run(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:
            self._error = error
        with self._turn:
            if self._given_up:
                os.close(self._file)
            self._done.set()

    def wait(self, seconds: float) -> bool:
        """Whether the lock was acquired in time. If not, the file is closed once it is."""
        try:
            self._done.wait(seconds)
        except BaseException:
            # An interrupt must not leave the lock held.
            with self._turn:
                self._given_up = True
                if self._done.is_set():
                    os.close(self._file)
            raise
        with self._turn:
            if self._error is not None:
                os.close(self._file)
                raise self._error
            self._given_up = not self._done.is_set()
            return not self._given_up


def _flock(file: int, deadline: float) -> bool:
    """Locks an open file; closes it when that does not succeed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiter = _Waiter(file)
        waiter.start()
        return waiter.wait(max(0.0, deadline - time.monotonic()))
    except OSError:
        os.close(file)
        raise
    return True


def _open(place: NameIn) -> int:
    """Opens a lock file; a new one belongs to the owner of its directory."""
    try:
        return os.open(place.name, _FLAGS, dir_fd=place.directory)
    except FileNotFoundError:
        pass
    try:
        file = os.open(place.name, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=place.directory)
    except FileExistsError:
        return os.open(place.name, _FLAGS, dir_fd=place.directory)
    status = os.fstat(place.directory)
    set_owner(file, (status.st_uid, status.st_gid))
    return file


def _is_current(file: int, place: NameIn) -> bool:
    """Whether the locked file is still the one under this name, which others would lock."""
    try:
        current = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(file), current)


def acquire(place: NameIn, deadline: float) -> int | None:
    """The open file that holds the lock; closing it releases. None after the deadline."""
    while True:
        file = _open(place)
        if not _flock(file, deadline):
            return None
        if _is_current(file, place):
            return file
        os.close(file)


@contextmanager
def hold_locks(places: Sequence[tuple[str, NameIn]], wait: float) -> Iterator[None]:
    """Holds these locks, each with its name for messages, acquired in this order.

    `wait` is in seconds. Raises Busy when time runs out, OSError when a lock file cannot be opened.
    """
    deadline = time.monotonic() + wait
    with ExitStack() as stack:
        for name, place in places:
            file = acquire(place, deadline)
            if file is None:
                raise Busy(f"{name} was held by another program for {wait:g} seconds.")
            stack.callback(os.close, file)
        yield


def lock_directory(name: str, directory: int) -> None:
    """Locks an open directory until it is closed: two would write under one temporary name.

    Raises Busy.
    """
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        message = f"{name} is being changed by another reviewdeck."
        raise Busy(message, hint="Run the same command again.") from None
    except OSError:
        return  # A network file system may have no locks for directories.
