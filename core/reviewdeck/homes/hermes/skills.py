"""Where Hermes keeps skills, and where its curator puts those that nobody used."""

from __future__ import annotations

import os
from pathlib import Path

SKILLS = "skills"
"""The local root, relative to the home."""

ARCHIVE = f"{SKILLS}/.archive"
"""Where the curator moves skills that nobody used; a second of a name gets the time behind it."""


def archives_of(home: Path, skill: str) -> tuple[str, ...]:
    """The directories below the archive that hold a skill of this name. Never raises."""
    try:
        if (home / ARCHIVE).is_symlink():
            return ()
        with os.scandir(home / ARCHIVE) as entries:
            names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return tuple(f"{ARCHIVE}/{name}" for name in names if _is_archive_of(name, skill))


def _is_archive_of(name: str, skill: str) -> bool:
    stem, sign, moment = name.rpartition("-")
    return name == skill or (stem == skill and bool(sign) and moment.isdecimal())
