"""Copies that a provider's sync leaves beside a document when two machines changed it.

The agent reads the document and not the copy: what the other machine wrote is easily lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_COPIES: Final = re.compile(
    r"(?P<stem>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}-\w+"  # Syncthing
    r"| \([^()]*(?:conflicted copy|in Konflikt stehende Kopie|copie en conflit)[^()]*\)"  # Dropbox
    r"|[ _]\(?conflicted copy[^()]*\)?"  # Nextcloud, ownCloud
    r"|_conflict-\d{8}-\d{6}"  # ownCloud, earlier
    r"|-[A-Z][A-Z0-9-]{2,}(?:-\d+)?"  # OneDrive: the name of the other computer
    r"| \d+"  # iCloud
    r")(?P<ending>\.md)"
)


def sync_copies(root: Path, documents: Iterable[str]) -> Iterator[str]:
    """The copies beside these documents, relative to the home. Never raises."""
    names = set(documents)
    for folder in sorted({name.rpartition("/")[0] for name in names}):
        try:
            entries = sorted(entry.name for entry in (root / folder).iterdir())
        except OSError:
            continue
        for entry in entries:
            match = _COPIES.fullmatch(entry)
            prefix = f"{folder}/" if folder else ""
            if match and f"{prefix}{match['stem']}{match['ending']}" in names:
                yield f"{prefix}{entry}"
