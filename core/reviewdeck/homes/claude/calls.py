"""The hook's notes of tool calls that bypassed the gate: `.reviewdeck/claude/calls/`.

Each file has one tool call, with the revisions of the documents before and after it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.reads import (
    OURS,
    FileRead,
    directory_beneath,
    is_private,
    open_directory,
    read_place,
)
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.claude.transcripts import parse_time
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.origin.writers import NotedCall

FOLDER: Final = (OURS, "claude", "calls")
FORMAT: Final = "reviewdeck.claude.call/1"
LIMIT: Final = 256 * 1024
MOST: Final = 1_000
"""The most calls that are read, latest first."""


def stamp(root: Path) -> str:
    """A stamp that changes when a call is noted."""
    try:
        return str(root.joinpath(*FOLDER).lstat().st_mtime_ns)
    except OSError:
        return ""


def noted_calls(root: Path, *, kernel: Kernel) -> Iterator[NotedCall]:
    """The calls of a home, newest first, without unreadable ones and those of other users."""
    calls: list[NotedCall] = []
    try:
        with open_directory(root) as top, directory_beneath(kernel, top, FOLDER) as directory:
            for name in _latest(directory):
                file = read_place(NameIn(directory, name), LIMIT)
                call = _call(name.removesuffix(".json"), file)
                if call is not None:
                    calls.append(call)
    except (OSError, ReviewdeckError):
        pass
    yield from sorted(calls, key=lambda call: call.ended, reverse=True)


def _latest(directory: int) -> list[str]:
    with os.scandir(directory) as entries:
        dated = sorted(
            (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
            for entry in entries
            if entry.name.endswith(".json")
        )
    return [name for _, name in dated[-MOST:]]


def _call(id: str, file: FileRead) -> NotedCall | None:
    if file.data is None or not is_private(file):
        return None
    try:
        raw = load_object(file.data)
    except Malformed:
        return None
    session, ended = raw.get("session"), parse_time(raw.get("ended"))
    if raw.get("format") != FORMAT or not isinstance(session, str) or ended is None:
        return None
    is_alone = raw.get("background") is False
    return NotedCall(session, id, ended, dict(_documents(raw)), is_alone=is_alone)


def _documents(raw: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    changes = raw.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            document, before, after = (change.get(key) for key in ("document", "before", "after"))
            if all(isinstance(value, str) for value in (document, before, after)):
                yield str(document), (str(before), str(after))
