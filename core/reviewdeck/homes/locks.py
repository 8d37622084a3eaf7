"""Advisory locks that other programs honour too, waited for fairly and not for ever."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from reviewdeck.errors import Busy
from reviewdeck.homes.steps import own
from reviewdeck.homes.syscalls import NameIn

_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class _Waiter(threading.Thread):
    """Waits in the kernel's own queue, where nobody is passed over; polling starves."""

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
        """Whether the lock was got. When not, the file is closed as soon as it would have been."""
        try:
            self._done.wait(seconds)
        except BaseException:
            self._give_up()
            raise
        with self._turn:
            if self._error is not None:
                os.close(self._file)
                raise self._error
            self._given_up = not self._done.is_set()
            return not self._given_up

    def _give_up(self) -> None:
        """Nobody waits for this lock any more: an interrupt must not leave it held."""
        with self._turn:
            self._given_up = True
            if self._done.is_set():
                os.close(self._file)


def _flock(file: int, deadline: float) -> bool:
    """Locks an open file, which is closed when that does not succeed."""
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
    """Opens a lock file, made for the owner of its directory when it is not there."""
    try:
        return os.open(place.name, _FLAGS, dir_fd=place.directory)
    except FileNotFoundError:
        pass
    try:
        file = os.open(place.name, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=place.directory)
    except FileExistsError:
        return os.open(place.name, _FLAGS, dir_fd=place.directory)
    facts = os.fstat(place.directory)
    own(file, (facts.st_uid, facts.st_gid))
    return file


def _is_named(file: int, place: NameIn) -> bool:
    """Whether the file that was locked is still the one that others would lock."""
    try:
        named = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(file), named)


def acquire(place: NameIn, deadline: float) -> int | None:
    """The open file that holds the lock; closing it lets go. None when the time was up."""
    while True:
        file = _open(place)
        if not _flock(file, deadline):
            return None
        if _is_named(file, place):
            return file
        os.close(file)


@contextmanager
def held(places: Sequence[tuple[str, NameIn]], wait: float) -> Iterator[None]:
    """Holds these locks, each given with a name for people, taken in this order.

    Raises Busy when they are not all got within the time; OSError when one cannot be opened.
    """
    deadline = time.monotonic() + wait
    with ExitStack() as stack:
        for name, place in places:
            file = acquire(place, deadline)
            if file is None:
                raise Busy(f"{name} was held by another program for {wait:g} seconds.")
            stack.callback(os.close, file)
        yield
