"""Since when the plugin notes the calls of a home, by its files. Light: homes import it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.reads import OURS
from reviewdeck.homes.hermes.config import CONFIG

FOLDER: Final = "plugins/reviewdeck"
RECORD: Final = f"{OURS}/install.json"
TERMINAL: Final = "terminal.py"
"""The part of the plugin that is in every version that notes the calls of all tools that write."""


def modified_at(file: Path) -> float:
    """When a file was written last, in seconds since 1970; infinity without it."""
    try:
        return file.lstat().st_mtime
    except OSError:
        return math.inf


def calls_noted_since(home: Path) -> float:
    """Since when the plugin is there and enabled; infinity where it is not."""
    from reviewdeck.homes.hermes.config_edits import is_enabled  # it loads the parser of YAML

    try:
        text = (home / CONFIG).read_text("utf-8")
        is_loaded = is_enabled(text)
    except (OSError, ValueError, ReviewdeckError):
        return math.inf
    return modified_at(home / FOLDER / TERMINAL) if is_loaded else math.inf
