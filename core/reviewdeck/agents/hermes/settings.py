"""The plugin's settings: `.reviewdeck/plugin.json`, written by `reviewdeck hermes install`.

They name the program to start, the spool for recorded turns, and the address that may receive a
review's key. So the file is used only if nobody but its owner may write it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import kit

FILE = ".reviewdeck/plugin.json"
LIMIT = 64 * 1024


class Unusable(Exception):
    """The settings cannot be used; the message gives the reason for a person."""


def read(home: Path) -> dict[str, Any]:
    """All settings. Raises Unusable."""
    try:
        data, status = kit.read_with_status(home / FILE, LIMIT)
        content = json.loads(data)
    except (OSError, ValueError, RecursionError):
        raise Unusable("reviewdeck is not installed here: `reviewdeck hermes install`.") from None
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise Unusable(f"{FILE} is not a file that only you may write.")
    if not isinstance(content, dict) or content.get("v") != 1:
        raise Unusable(f"{FILE} is of another version.")
    return content


def setting(home: Path, name: str) -> Any:
    """One setting; None where it is missing or the file is unusable."""
    try:
        return read(home).get(name)
    except Unusable:
        return None


def command(home: Path) -> list[str]:
    """The command that starts reviewdeck. Raises Unusable."""
    words = read(home).get("command")
    if not isinstance(words, list) or not words or not all(map(_is_word, words)):
        raise Unusable(f"{FILE} names no command.")
    if not os.path.isabs(words[0]):  # noqa: PTH117 - a word of a command
        raise Unusable(f"{FILE} names no absolute path.")
    return words


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value
