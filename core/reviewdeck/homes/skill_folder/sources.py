"""Where skills came from, as the locks of their installers say: to be shown, never to be trusted.

The skills CLI and ClawHub keep such locks. Their sums have no modes and no links in them, so that
they cannot stand for an approval.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import read_document
from reviewdeck.homes.syscalls import Kernel

_LOCKS: Final = ("skills-lock.json", ".skill-lock.json", ".clawhub/lock.json")
_LARGEST: Final = 1 << 20
_LONGEST: Final = 200


def sources_of(root: Path) -> Mapping[str, str]:
    """What the installers' locks in a folder, or in the two above it, say of a skill, by name."""
    found: dict[str, str] = {}
    for folder in (root, *root.parents[:2]):
        for lock in _LOCKS:
            for name, source in _entries(folder, lock):
                found.setdefault(name, source)
    return found


def _entries(folder: Path, lock: str) -> Iterator[tuple[str, str]]:
    try:
        found = read_document(folder, lock, follow=False, kernel=Kernel(), limit=_LARGEST)
        skills = json.loads(found.data or b"{}")["skills"]
        pairs = [(name, said) for name, said in skills.items() if isinstance(said, dict)]
    except (ReviewdeckError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return  # Whatever it is, it says nothing that could be shown.
    for name, said in pairs:
        yield name, f"{_source(said)} ({lock})"[:_LONGEST]


def _source(said: Mapping[str, Any]) -> str:
    source = next((said[key] for key in ("source", "sourceUrl", "url") if said.get(key)), "ClawHub")
    version = said.get("version")
    return f"{source}@{version}" if isinstance(version, str) else str(source)
