"""Traits of later versions of Hermes, detected by files, never by a version number.

A home does not record which version works in it, and several may.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from reviewdeck.homes.hermes.session_database import DATABASE, is_there, read_sessions
from reviewdeck.homes.sqlite_reads import DatabaseUnreadable, stamp

LOCKS = "skills/.locks"
"""The folder with one lock file for each skill that a later version ever changed."""
CURATOR_LEDGER = "skills/.curator_ledger.jsonl"
"""The ledger with one line for each change of a skill, by any writer."""
BLOBS = ".curator_backups/blobs"
"""The texts that the ledger names by their hashes."""
NEWEST_OLD_SCHEMA = 22
"""The schema version of the session database of 0.19."""
NEWEST_KNOWN_SCHEMA = 31
"""The schema version of the session database of 0.22.2, the newest that was tried."""
ORG_MIRROR = "_org"
"""The folder, below the skills, of skills that an organisation shares."""


def is_later_home(home: Path) -> bool:
    """Whether a version after 0.19 has worked here, by any file that it leaves. Never raises.

    Settings do not count: an older version ignores those that it does not know.
    """
    return (
        has_skill_locks(home)
        or has_curator_ledger(home)
        or _is_plain(home / BLOBS, directory=True)
        or _is_plain(home / "skills" / ORG_MIRROR, directory=True)
        or _has_later_sessions(home)
    )


def session_schema(home: Path) -> int | None:
    """The schema version of the session database; None where none can be read. Never raises."""
    path = home / DATABASE
    try:
        return _schema(path, stamp(path)) if is_there(path) else None
    except DatabaseUnreadable:
        return None


def _has_later_sessions(home: Path) -> bool:
    schema = session_schema(home)
    return schema is not None and schema > NEWEST_OLD_SCHEMA


@lru_cache(maxsize=16)
def _schema(path: Path, _facts: str) -> int:
    """The schema version, cached for each state of the database; errors are not cached."""
    return read_sessions(path, lambda sessions: sessions.schema)


def has_skill_locks(home: Path) -> bool:
    """Whether Hermes takes a lock for each skill here."""
    return _is_plain(home / LOCKS, directory=True)


def has_curator_ledger(home: Path) -> bool:
    """Whether the curator keeps its ledger here."""
    return _is_plain(home / CURATOR_LEDGER, directory=False)


def skill_lock_name(skill: str) -> str:
    """The lock file of a skill, named by its directory, without the category."""
    return f"{hashlib.sha256(skill.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"


def _is_plain(path: Path, *, directory: bool) -> bool:
    try:
        if path.is_symlink():
            return False
        return path.is_dir() if directory else path.is_file()
    except OSError:
        return False
