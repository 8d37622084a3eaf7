"""The folders that the gate of Claude Code covers: the default homes.

Loads nothing of the engine.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

RECORD: Final = ".reviewdeck/claude/install.json"
"""The record of an installation, in Claude Code's own folder."""
_LARGEST: Final = 4 * 1024 * 1024


def default_config(env: Mapping[str, str], user_home: Path) -> Path:
    """Claude Code's own folder in this environment."""
    override = env.get("CLAUDE_CONFIG_DIR", "").strip()
    return Path(override).expanduser() if override else user_home / ".claude"


def claude_json(env: Mapping[str, str], user_home: Path) -> Path:
    """The file in which Claude Code keeps what a person allowed for each repository."""
    override = env.get("CLAUDE_CONFIG_DIR", "").strip()
    return (Path(override).expanduser() if override else user_home) / ".claude.json"


def governed_homes(env: Mapping[str, str], user_home: Path) -> tuple[Path, ...]:
    """The existing folders that the gate covers; none without a gate."""
    record = default_config(env, user_home) / RECORD
    try:
        status = record.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return ()
        roots = json.loads(record.read_bytes())["roots"]
        paths = (Path(root.partition(":")[2]) for root in roots)
        return tuple(path.resolve() for path in paths if path.is_absolute() and path.is_dir())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()
