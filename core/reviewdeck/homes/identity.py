"""The identity of a home, read from its directory without writing to it.

Until our first write, device and inode identify a home; from then on a mark in our own folder,
which survives `mv`. Loads nothing of the engine.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from reviewdeck.agents.hermes.kit import read_file

MARK = ".reviewdeck/identity"
_MARK = re.compile(r"[0-9a-f]{32}")


def read_identity(home: Path) -> tuple[str, str] | None:
    """Device and inode, and the mark, of the directory at this path; None when there is none."""
    try:
        status = home.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISDIR(status.st_mode):
        return None
    return f"{status.st_dev}-{status.st_ino}", _mark_of(home)


def _mark_of(home: Path) -> str:
    try:
        mark = (read_file(home / MARK, 64) or b"").decode("ascii", "replace").strip()
    except OSError:
        return ""
    return mark if _MARK.fullmatch(mark) else ""
