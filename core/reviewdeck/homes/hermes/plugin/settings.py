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

NOTED = ".reviewdeck/plugin.json"
LIMIT = 64 * 1024


class Unusable(Exception):
    """What was set up cannot be used; the message says why, for a person."""


def read(home: Path) -> dict[str, Any]:
    """What the file says. Raises Unusable."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(home / NOTED, flags), "rb") as file:
            facts, data = os.fstat(file.fileno()), file.read(LIMIT)
        said = json.loads(data)
    except (OSError, ValueError, RecursionError):
        raise Unusable("reviewdeck is not installed here: `reviewdeck hermes install`.") from None
    is_ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid()
    if not is_ours or facts.st_mode & 0o022:
        raise Unusable(f"{NOTED} is not a file that only you may write.")
    if not isinstance(said, dict) or said.get("v") != 1:
        raise Unusable(f"{NOTED} is of another version.")
    return said


def setting(home: Path, name: str) -> Any:
    """One of its keys; None where it is not set up."""
    try:
        return read(home).get(name)
    except Unusable:
        return None


def command(home: Path) -> list[str]:
    """The command that starts reviewdeck. Raises Unusable."""
    words = read(home).get("command")
    if not isinstance(words, list) or not words or not all(map(_is_word, words)):
        raise Unusable(f"{NOTED} names no command.")
    if not os.path.isabs(words[0]):  # noqa: PTH117 - a word of a command
        raise Unusable(f"{NOTED} names no absolute path.")
    return words


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value
