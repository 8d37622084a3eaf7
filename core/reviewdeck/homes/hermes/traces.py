"""What later versions of Hermes leave in a home, and so what they expect to find kept up.

A home does not say which version works in it, and several may. Each thing is told from what is on
the disk, never from a version number.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

LOCKS = "skills/.locks"
"""Holds one lock file for each skill that a later version ever changed."""

CURATOR_LEDGER = "skills/.curator_ledger.jsonl"
"""One line for each change of a skill, whoever made it."""

ORG_MIRROR = "_org"
"""Below the skills: those that an organisation shares."""


def is_later_home(home: Path) -> bool:
    """Whether a later version than 0.19 has changed skills here. Never raises."""
    return has_skill_locks(home) or has_curator_ledger(home)


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
