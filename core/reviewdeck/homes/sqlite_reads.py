"""An agent's database, read only: nothing is written, no row and no file beside it.

While there is a writer (a write-ahead log lies beside the database), its shared files are used and
the writer is not blocked. Without one, SQLite would create such files, so the database is opened as
immutable and the file's state is compared afterwards.
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

_TRIES: Final = 4
_LOCK_WAIT: Final = 0.25
"""Seconds to wait for a lock: Hermes itself gives up a write after two."""
_STEPS: Final = 50_000_000
"""The most steps of SQLite's virtual machine that one read may take."""
_A_CALLBACK: Final = 100_000

T = TypeVar("T")


class DatabaseUnreadable(ValueError):
    """The database exists and cannot be read. The caller decides what that means."""

    def __init__(self, message: str, *, is_passing: bool = False) -> None:
        super().__init__(message)
        self.sentence = message
        self.is_passing = is_passing
        """Whether a retry may succeed soon."""


class _Changed(Exception):
    """The database changed while it was read as immutable."""


def stamp(path: Path) -> str:
    """A stamp that changes when the database may have changed. Never raises."""
    return "|".join(_facts(path.with_name(path.name + end)) for end in ("", "-wal"))


def read_database(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """The result of `work` on one consistent state of the database. Raises DatabaseUnreadable.

    Other errors of `work` propagate.
    """
    for _ in range(_TRIES):
        try:
            return _read_once(path, work)
        except _Changed:
            continue
        except sqlite3.Error as error:
            busy = "lock" in str(error) or "busy" in str(error)
            raise DatabaseUnreadable(f"{path} cannot be read: {error}.", is_passing=busy) from error
    raise DatabaseUnreadable(f"{path} changes faster than it can be read.", is_passing=True)


def _read_once(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    before = stamp(path)
    live = _is_live(path)
    uri = f"{path.absolute().as_uri()}?mode=ro{'' if live else '&immutable=1'}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_LOCK_WAIT, isolation_level=None)
        ) as connection:
            _harden(connection)
            connection.execute("BEGIN")
            result = work(connection)
    except (sqlite3.Error, DatabaseUnreadable):
        if not live and stamp(path) != before:
            raise _Changed from None
        raise
    if not live and stamp(path) != before:
        raise _Changed
    return result


def _is_live(path: Path) -> bool:
    """Whether a writer may be active. Raises DatabaseUnreadable when it is not a database."""
    try:
        status = path.lstat()
        with_log = _size(path.with_name(f"{path.name}-wal"))
        if not stat.S_ISREG(status.st_mode):
            raise DatabaseUnreadable(f"{path} cannot be read: it is not a plain file.")
        with path.open("rb") as file:
            head = file.read(20)
    except OSError as error:
        raise DatabaseUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    if not head.startswith(b"SQLite format 3\0") or len(head) < 20:
        raise DatabaseUnreadable(f"{path} cannot be read: it is not a database.")
    if head[18] != 2:
        return True  # Without a write-ahead log, locks tell of a writer and no file is created.
    if with_log and not path.with_name(f"{path.name}-shm").exists():
        raise DatabaseUnreadable(
            f"{path} cannot be read: its write-ahead log is not checkpointed yet."
        )
    return with_log is not None and path.with_name(f"{path.name}-shm").exists()


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return None


def _facts(path: Path) -> str:
    try:
        status = path.lstat()
    except OSError as error:
        return type(error).__name__
    times = f"{status.st_mtime_ns}:{status.st_ctime_ns}"
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{times}"


def _harden(connection: sqlite3.Connection) -> None:
    """Restricts what a hostile database could do: write, run its own functions, run long."""
    remaining = _STEPS // _A_CALLBACK

    def count() -> int:
        nonlocal remaining
        remaining -= 1
        return remaining < 0

    connection.set_progress_handler(count, _A_CALLBACK)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
