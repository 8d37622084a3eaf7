"""Where an agent archived a skill: a directory that holds its documents as they were."""

from __future__ import annotations

import re
from typing import Final

from reviewdeck.model import ABSENT, Revision
from reviewdeck.ports import Home, Snapshot

SKILL_DOCUMENT: Final = re.compile(
    r"(skills/(?:.+/)?([^/]+))/(SKILL\.md|(?:references|templates|scripts|assets)/.+)"
)


def archive_of(home: Home, snapshot: Snapshot, path: str, before: Revision) -> str | None:
    """The directory to which a skill was moved, with this document as it was; None for none."""
    match = SKILL_DOCUMENT.fullmatch(path)
    if match is None or before == ABSENT or path.startswith("skills/.archive/"):
        return None
    for directory in home.archives(match[2]):
        if snapshot.document(f"{directory}/{match[3]}").revision == before:
            return directory
    return None
