"""What was set up for this home: `.reviewdeck/plugin.json`, written by `reviewdeck hermes install`.

It says whom this plugin starts, where recorded turns go, and where a review's key may go. So it is
read only where its owner alone could have written it.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

LIMIT = 64 * 1024


def read(home: Path) -> dict[str, Any]:
    """What the file says; nothing where there is none, or none that can be trusted."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(home / ".reviewdeck" / "plugin.json", flags), "rb") as file:
            known = os.fstat(file.fileno())
            is_ours = stat.S_ISREG(known.st_mode) and known.st_uid == os.geteuid()
            if not is_ours or known.st_mode & 0o022:
                return {}
            said = json.loads(file.read(LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) and said.get("v") == 1 else {}


def command(home: Path) -> list[str]:
    """The program to start, with its first words; nothing where none was set up."""
    found = read(home).get("command")
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return []
    return found if found and Path(found[0]).is_absolute() else []
