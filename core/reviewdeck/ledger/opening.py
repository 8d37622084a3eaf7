"""Opening a ledger: making it, checking it, and bringing it up to date after a backup."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from reviewdeck.errors import Busy, LedgerDamaged, LedgerReadOnly, LedgerUnavailable
from reviewdeck.ledger.connecting import connect, connect_to_read, is_at_rest
from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.faults import translated
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.place import PART, create_file, is_lost, is_postgres, make_directory, path_of
from reviewdeck.ledger.schema import is_wal, version_of
from reviewdeck.ledger.sqlite import SqliteDatabase
from reviewdeck.ledger.versions import APPLICATION_ID, HEAD
from reviewdeck.model.ledger import Opener
from reviewdeck.ports import Clock

_SCHEMA: Final = Path(__file__).with_name("schema.sql")
_PATIENCE = 30.0
_POLL = 0.02


def open_ledger(
    url: str, *, now: Clock, for_looking: bool = False, opener: Opener = NOBODY
) -> Ledger:
    """The ledger at this URL: made when missing, brought up to date when old.

    One on a server is used as it is: whoever runs it makes it and brings it up to date.

    `for_looking` opens it on a full or read-only disk too, if its one file is all of it.

    Raises LedgerUnavailable, LedgerTooNew, LedgerDamaged, Busy, BadInput.
    """
    if is_postgres(url):
        from reviewdeck.ledger.shared import open_shared

        return open_shared(url, now=now, opener=opener)
    path = path_of(url)
    make_directory(path)
    if is_lost(path):
        how = "empty" if path.exists() else "gone"
        raise LedgerDamaged(f"The ledger {path} is {how}, and a backup beside it is not.")
    try:
        if not is_current(path):
            with _alone(path):
                _bring_up_to_date(path, now)
    except LedgerReadOnly:
        if not (for_looking and _is_readable(path)):
            raise
        return Ledger(SqliteDatabase(path, now, is_immutable=True), opener)
    return Ledger(SqliteDatabase(path, now), opener)


def is_current(path: Path) -> bool:
    """Whether the ledger can be used as it is. A cheap check."""
    if not path.exists():
        return False
    with translated(str(path)), closing(_connect(path)) as connection:
        return version_of(connection, str(path)) == HEAD and is_wal(connection)


def _is_readable(path: Path) -> bool:
    if not is_at_rest(path):
        return False
    with translated(str(path)), closing(connect_to_read(path)) as connection:
        return version_of(connection, str(path)) == HEAD


def make_backup(url: str, now: Clock) -> Path:
    """A copy of the ledger at this URL, beside it."""
    return back_up(path_of(url), HEAD, now)


def back_up(path: Path, version: str, now: Clock) -> Path:
    """A copy of the ledger next to it, consistent even beside a writer.

    It has another name until it is whole: what a full disk or a kill leaves is no backup.
    """
    stamp = now().strftime("%Y%m%dT%H%M%S%fZ")
    copy = path.with_name(f"{path.name}.backup-{version}-{stamp}")
    part = copy.with_name(f"{copy.name}{PART}")
    if copy.exists() or not create_file(part):
        raise LedgerUnavailable(f"There is a file in the place of the backup {copy} already.")
    try:
        with (
            translated(str(copy)),
            closing(_connect(path)) as source,
            closing(sqlite3.connect(part)) as target,
        ):
            source.backup(target)
            # One file, without a log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
        part.rename(copy)
    finally:
        part.unlink(missing_ok=True)
    return copy


def _bring_up_to_date(path: Path, now: Clock) -> None:
    create_file(path)
    where = str(path)
    with translated(where), closing(_connect(path)) as connection:
        version = version_of(connection, where)
        if not is_wal(connection):
            connection.execute("PRAGMA journal_mode = WAL")
        if version == HEAD:
            return  # another process was faster
        if version is not None:
            back_up(path, version, now)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if version is None:
            connection.executescript(_SCHEMA.read_text("utf-8"))
            return
    # SQLModel and Alembic take a third of a second each to load: only to upgrade a ledger.
    from reviewdeck.ledger.upgrade import upgrade

    upgrade(path)


def _connect(path: Path) -> sqlite3.Connection:
    # Not created here: a file that is made by accident would not be private.
    return connect(path, "mode=rw")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Holds a lock on the ledger's directory, so that only one process makes or changes it."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _PATIENCE
        while not _locked(folder):
            if time.monotonic() > deadline:
                raise Busy(f"Another program is setting up the ledger {path}.")
            time.sleep(_POLL)
        yield
    finally:
        os.close(folder)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
