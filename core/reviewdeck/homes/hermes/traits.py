"""Traits of later versions of Hermes, told by what is on the disk, never by a version number.

A home does not say which version works in it, and several may.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from reviewdeck.homes.hermes.session_database import (
    DATABASE,
    SessionsUnreadable,
    is_there,
    look,
    stamp,
)

LOCKS = "skills/.locks"
"""Holds one lock file for each skill that a later version ever changed."""


CURATOR_LEDGER = "skills/.curator_ledger.jsonl"
"""One line for each change of a skill, whoever made it."""


BLOBS = ".curator_backups/blobs"
"""The texts that such a ledger names by their sums."""


NEWEST_OLD_SCHEMA = 22
"""The version of the session database that 0.19 keeps."""


ORG_MIRROR = "_org"
"""Below the skills: those that an organisation shares."""


def is_later_home(home: Path) -> bool:
    """Whether a later version than 0.19 has worked here, by any mark that it leaves. Never raises.

    Settings are no marks: an older version passes over those that it does not know.
    """
    return (
        has_skill_locks(home)
        or has_curator_ledger(home)
        or _is(home / BLOBS, directory=True)
        or _is(home / "skills" / ORG_MIRROR, directory=True)
        or _has_later_sessions(home / DATABASE)
    )


def _has_later_sessions(path: Path) -> bool:
    """Whether the session database has what later versions add."""
    try:
        return is_there(path) and _schema(path, stamp(path)) > NEWEST_OLD_SCHEMA
    except SessionsUnreadable:
        return False


@lru_cache(maxsize=16)
def _schema(path: Path, _facts: str) -> int:
    """Read once for each state of the database; what could not be read is tried again."""
    return look(path, lambda sessions: sessions.schema)


def has_skill_locks(home: Path) -> bool:
    """Whether somebody takes a lock for each skill here."""
    return _is(home / LOCKS, directory=True)


def has_curator_ledger(home: Path) -> bool:
    """Whether somebody keeps a ledger of changes of skills here."""
    return _is(home / CURATOR_LEDGER, directory=False)


def skill_lock_name(skill: str) -> str:
    """The lock file of a skill: by its directory's name, whatever its category."""
    return f"{hashlib.sha256(skill.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"


def _is(path: Path, *, directory: bool) -> bool:
    try:
        if path.is_symlink():
            return False
        return path.is_dir() if directory else path.is_file()
    except OSError:
        return False
