"""Who wrote a change past the gates, by the notes of Hermes' plugin: `.reviewdeck/direct/`.

`docs/hermes.md` has their format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import (
    OURS,
    directory_beneath,
    is_private,
    names_in,
    open_directory,
    read_place,
)
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.homes.syscalls import Kernel, NameIn
from reviewdeck.origin.writers import NotedCall

FOLDER: Final = (OURS, "direct")
LIMIT: Final = 128 * 1024
MOST: Final = 1_000
"""Notes that are read: the latest."""
_NAME: Final = re.compile(r"\d{14}-[0-9a-f]{8}\.json")


def stamp(home: Path) -> str:
    """A cheap hint that changes when a note comes."""
    try:
        return str(home.joinpath(*FOLDER).lstat().st_mtime_ns)
    except OSError:
        return ""


def direct_notes(home: Path, *, kernel: Kernel) -> Iterator[NotedCall]:
    """The notes of a home, newest first; nothing of what cannot be read or is somebody else's."""
    try:
        with open_directory(home) as top, directory_beneath(kernel, top, FOLDER) as directory:
            names = sorted(filter(_NAME.fullmatch, names_in(directory)), reverse=True)
            for name in names[:MOST]:
                found = read_place(NameIn(directory, name), LIMIT)
                if found.data is not None and is_private(found):
                    try:
                        note = _note(load_object(found.data))
                    except (Malformed, OverflowError, OSError, ValueError):
                        continue
                    if note is not None:
                        yield note
    except (OSError, ReviewdeckError):
        return


def _note(raw: Mapping[str, Any]) -> NotedCall | None:
    session, call, ended, named = (
        raw.get(key) for key in ("session", "call", "ended", "documents")
    )
    if raw.get("v") != 1 or not isinstance(session, str) or not session:
        return None
    if not isinstance(ended, float) or not isinstance(named, dict):
        return None
    documents = {
        path: (before, after)
        for path, one in named.items()
        if isinstance(one, dict)
        and isinstance(before := one.get("before"), str)
        and isinstance(after := one.get("after"), str)
    }
    moment = datetime.fromtimestamp(ended, UTC)
    return NotedCall(session, call if isinstance(call, str) else "", moment, documents)
