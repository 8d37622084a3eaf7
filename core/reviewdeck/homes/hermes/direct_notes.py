"""Who wrote a change past the gates, by the notes of Hermes' plugin: `.reviewdeck/direct/`.

`docs/hermes.md` has their format. A note counts for what it says of revisions alone: where one
leads from what was known to what was found, or several of one session do, that session wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import OURS, directory_beneath, names_in, opened, read_place
from reviewdeck.homes.hermes.payloads import Malformed, load_object
from reviewdeck.homes.hermes.sidecar import is_of_owner_alone
from reviewdeck.homes.syscalls import Kernel, NameIn
from reviewdeck.model import DirectChange

FOLDER: Final = (OURS, "direct")
LIMIT: Final = 128 * 1024
MOST: Final = 1_000
"""Notes that are read: the latest."""
_NAME: Final = re.compile(r"\d{14}-[0-9a-f]{8}\.json")


@dataclass(frozen=True, slots=True)
class DirectNote:
    """One call of a tool, and what the files that it named were before and after it."""

    session: str
    call: str
    ended: datetime
    documents: Mapping[str, tuple[str, str]]
    """By path, the revisions before and after."""


def stamp(home: Path) -> str:
    """A cheap hint that changes when a note comes."""
    try:
        return str(home.joinpath(*FOLDER).lstat().st_mtime_ns)
    except OSError:
        return ""


def writing_note(
    home: Path, changes: Sequence[DirectChange], *, kernel: Kernel
) -> DirectNote | None:
    """The last call of the one session that wrote all of these; None where no notes say so."""
    notes = list(_notes(home, kernel)) if changes else []
    found = [_last_of(change, notes) for change in changes]
    last = max((note for note in found if note), key=lambda note: note.ended, default=None)
    is_one = last is not None and all(note and note.session == last.session for note in found)
    return last if is_one else None


def _last_of(change: DirectChange, notes: Sequence[DirectNote]) -> DirectNote | None:
    """The call that came to this revision, if its session alone leads to it; newest first."""
    last: DirectNote | None = None
    wanted = str(change.after)
    for note in notes:
        before, after = note.documents.get(change.path, ("", ""))
        if after != wanted or before == after or (last and note.session != last.session):
            continue
        last = last or note
        if before == change.before:
            return last
        wanted = before
    return None


def _notes(home: Path, kernel: Kernel) -> Iterator[DirectNote]:
    """The notes of a home, newest first; nothing of what cannot be read or is somebody else's."""
    try:
        with opened(home) as top, directory_beneath(kernel, top, FOLDER) as directory:
            names = sorted(filter(_NAME.fullmatch, names_in(directory)), reverse=True)
            for name in names[:MOST]:
                found = read_place(NameIn(directory, name), LIMIT)
                if found.data is not None and is_of_owner_alone(found):
                    try:
                        note = _note(load_object(found.data))
                    except (Malformed, OverflowError, OSError, ValueError):
                        continue
                    if note is not None:
                        yield note
    except (OSError, ReviewdeckError):
        return


def _note(raw: Mapping[str, Any]) -> DirectNote | None:
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
    return DirectNote(session, call if isinstance(call, str) else "", moment, documents)
