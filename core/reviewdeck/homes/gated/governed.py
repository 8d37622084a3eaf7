"""The folders that the gates of agents with hooks cover: the default homes.

Loads nothing of the engine.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from reviewdeck.text.json import load_json

_OWN: Final = {
    "claude": ("CLAUDE_CONFIG_DIR", "", ".claude"),
    "qwen": ("QWEN_HOME", "", ".qwen"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini", ".gemini"),
}
"""The variable that names a folder, where the agent's own is in that, and its usual name."""
_LARGEST: Final = 4 * 1024 * 1024


def record_of(agent: str) -> str:
    """The record of an installation, in the agent's own folder."""
    return f".reviewdeck/{agent}/install.json"


def default_config(env: Mapping[str, str], user_home: Path, agent: str) -> Path:
    """The agent's own folder in this environment."""
    variable, inner, usual = _OWN[agent]
    override = env.get(variable, "").strip()
    return Path(override).expanduser() / inner if override else user_home / usual


def governed_homes(env: Mapping[str, str], user_home: Path) -> tuple[Path, ...]:
    """The existing folders that the gates cover; none without a gate."""
    found = (folders_in(default_config(env, user_home, agent) / record_of(agent)) for agent in _OWN)
    return tuple(dict.fromkeys(path for paths in found for path in paths))


def folders_in(record: Path) -> tuple[Path, ...]:
    """The existing folders that a record of an installation names. Never raises."""
    try:
        status = record.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return ()
        roots = load_json(record.read_bytes())["roots"]
        paths = (Path(root.partition(":")[2]) for root in roots)
        return tuple(path.resolve() for path in paths if path.is_absolute() and path.is_dir())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()
