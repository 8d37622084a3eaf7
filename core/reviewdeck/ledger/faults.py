"""SQLite's errors as the engine's. The one place of that mapping."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reviewdeck.errors import (
    Busy,
    LedgerDamaged,
    LedgerReadOnly,
    LedgerUnavailable,
    ReviewdeckError,
)

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_CONSTRAINT,
}
_UNWRITTEN = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
}
_SHARED_MEMORY = 32 * 1024
"""The bytes that SQLite writes beside a ledger before it reads."""
_WORDS = {
    sqlite3.SQLITE_NOTADB: "is not a reviewdeck ledger",
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full",
    sqlite3.SQLITE_READONLY: "cannot be written: it is read-only",
    sqlite3.SQLITE_PERM: "cannot be opened: access is denied",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error",
}


def fault_of(error: BaseException, where: str) -> ReviewdeckError:
    """The engine's error for one of SQLite's."""
    # Extended codes carry the primary code in their low byte.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY:
        return Busy(f"The ledger {where} is in use by another program.")
    # Reading writes too: the shared-memory file of the write-ahead log.
    if code in _UNWRITTEN and (why := why_unwritten(Path(where))) is not None:
        return why
    if code == sqlite3.SQLITE_IOERR and _has_lost_its_log(where):
        return LedgerUnavailable(
            f"The ledger {where} cannot be used: somebody removed its write-ahead log {where}-wal"
            " while a program has it open.",
            hint="End that program, and do not kill it: as it closes the ledger, it puts there"
            " what the log held.",
        )
    path = Path(where)
    if path.exists() and not path.is_file():
        return LedgerUnavailable(
            f"The ledger {where} is not a file.", hint="Name a file with --ledger."
        )
    if code == sqlite3.SQLITE_CANTOPEN and path.exists() and not os.access(path, os.R_OK):
        code = sqlite3.SQLITE_PERM
    words = _WORDS.get(code, f"does not hold together: {error}")
    kind = LedgerDamaged if code in _DAMAGED else LedgerUnavailable
    return kind(f"The ledger {where} {words}.")


def why_unwritten(path: Path) -> LedgerReadOnly | None:
    """Why nothing can be written beside a ledger, as the system itself says when asked to."""
    folder = path.absolute().parent
    if not path.is_file() or not os.access(path, os.R_OK):
        return None
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(bytes(_SHARED_MEMORY))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return LedgerReadOnly(
                f"The ledger {path} cannot be written: the disk is full.",
                hint=f"Free space on the disk of {folder}, or name another ledger with --ledger.",
            )
        return LedgerReadOnly(
            f"The ledger {path} cannot be written: its directory cannot be written.",
            hint=f"Make {folder} writable, or name another ledger with --ledger.",
        )
    if not os.access(path, os.W_OK):
        return LedgerReadOnly(
            f"The ledger {path} cannot be written: it is read-only.",
            hint="Run as the user who owns it, or name another ledger with --ledger.",
        )
    return None


def _has_lost_its_log(where: str) -> bool:
    """Whether the shared-memory file exists and the write-ahead log does not.

    SQLite creates an empty log when it looks for what the shared memory refers to.
    """
    log = Path(f"{where}-wal")
    return Path(f"{where}-shm").exists() and not (log.exists() and log.stat().st_size)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turns errors of the sqlite3 module into the engine's."""
    try:
        yield
    except sqlite3.Error as error:
        raise fault_of(error, where) from error
    except UnicodeDecodeError as error:
        # Broken pages decode to invalid text, also within SQLite's own messages.
        raise LedgerDamaged(f"The ledger {where} is damaged.") from error


@contextmanager
def decoding(where: str) -> Iterator[None]:
    """Reports stored values that make no sense as damage."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise LedgerDamaged(f"{where} cannot be read back from the ledger: {error!r}") from error
