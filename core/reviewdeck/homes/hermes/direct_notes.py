"""The notes of Hermes' plugin about writes that bypassed the gates: `.reviewdeck/direct/`.

`docs/hermes.md` has their format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.reads import (
    OURS,
    directory_beneath,
    is_private,
    names_in,
    open_directory,
    read_place,
)
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.origin.writers import NotedCall

FOLDER: Final = (OURS, "direct")
LIMIT: Final = 128 * 1024
MOST: Final = 1_000
"""The most notes that are read, latest first."""
_NAME: Final = re.compile(r"\d{14}-[0-9a-f]{8}\.json")


def stamp(home: Path) -> str:
    """A stamp that changes when a note is added."""
    try:
        return str(home.joinpath(*FOLDER).lstat().st_mtime_ns)
    except OSError:
        return ""


def direct_notes(home: Path, *, kernel: Kernel) -> Iterator[NotedCall]:
    """The notes of a home, newest first, without unreadable ones and those of other users."""
    try:
        with open_directory(home) as top, directory_beneath(kernel, top, FOLDER) as directory:
            names = sorted(filter(_NAME.fullmatch, names_in(directory)), reverse=True)
            for name in names[:MOST]:
                file = read_place(NameIn(directory, name), LIMIT)
                if file.data is not None and is_private(file):
                    try:
                        note = _note(load_object(file.data))
                    except (Malformed, OverflowError, OSError, ValueError):
                        continue
                    if note is not None:
                        yield note
    except (OSError, ReviewdeckError):
        return


def _note(raw: Mapping[str, Any]) -> NotedCall | None:
    session, call, ended, revisions = (
        raw.get(key) for key in ("session", "call", "ended", "documents")
    )
    if raw.get("v") != 1 or not isinstance(session, str) or not session:
        return None
    if not isinstance(ended, float) or not isinstance(revisions, dict):
        return None
    documents = {
        path: (before, after)
        for path, revision in revisions.items()
        if isinstance(revision, dict)
        and isinstance(before := revision.get("before"), str)
        and isinstance(after := revision.get("after"), str)
    }
    moment = datetime.fromtimestamp(ended, UTC)
    call = call if isinstance(call, str) else ""
    return NotedCall(session, call, moment, documents, raw.get("allowed") is True)
