"""A cheap hint of whether files have changed: a hash of their times, sizes, inodes and modes.

Among the times is the ctime, which no program can set: a text whose mtime was put back, by a copy,
a restore or `touch`, is another one still.

Loads nothing of the engine: a status line needs no more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def stamp_files(root: Path, paths: Iterable[str], *facts: str) -> str:
    """A stamp that changes when one of these paths, or a fact, may have. Never raises."""
    lines = "\n".join([*facts, *(f"{path}\0{_signature(root / path)}" for path in paths)])
    return hashlib.sha256(lines.encode("utf-8", "backslashreplace")).hexdigest()[:24]


def _signature(path: Path) -> str:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        return type(error).__name__
    times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
    return f"{times} {status.st_size} {status.st_ino} {status.st_mode & 0o111:o}"
