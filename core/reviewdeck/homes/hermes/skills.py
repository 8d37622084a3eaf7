"""Hermes' folder of skills, and the archive to which its curator moves unused ones."""

from __future__ import annotations

import os
from pathlib import Path

SKILLS = "skills"
"""The local root, relative to the home."""

ARCHIVE = f"{SKILLS}/.archive"
"""The curator's archive of unused skills; a second skill of a name gets a time as suffix."""


def archives_of(home: Path, skill: str) -> tuple[str, ...]:
    """The archived directories of a skill of this name. Never raises."""
    try:
        if (home / ARCHIVE).is_symlink():
            return ()
        with os.scandir(home / ARCHIVE) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return tuple(f"{ARCHIVE}/{name}" for name in names if _is_archive_of(name, skill))


def _is_archive_of(name: str, skill: str) -> bool:
    stem, sign, moment = name.rpartition("-")
    return name == skill or (stem == skill and bool(sign) and moment.isdecimal())
