"""The sources of skills by the locks of their installers: shown, but never trusted.

The skills CLI and ClawHub write such locks. Their hashes cover no modes and no links, so that they
cannot replace an approval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.reads import read_document
from reviewdeck.files.syscalls import Kernel
from reviewdeck.text.json import load_json

_LOCKS: Final = ("skills-lock.json", ".skill-lock.json", ".clawhub/lock.json")
_LARGEST: Final = 1 << 20
_LONGEST: Final = 200


def sources_of(root: Path) -> Mapping[str, str]:
    """The source of each skill, by the installers' locks in a folder or the two above it."""
    sources: dict[str, str] = {}
    for folder in (root, *root.parents[:2]):
        for lock in _LOCKS:
            for name, source in _entries(folder, lock):
                sources.setdefault(name, source)
    return sources


def _entries(folder: Path, lock: str) -> Iterator[tuple[str, str]]:
    try:
        document = read_document(folder, lock, follow=False, kernel=Kernel(), limit=_LARGEST)
        skills = load_json(document.data or b"{}")["skills"]
        pairs = [(name, entry) for name, entry in skills.items() if isinstance(entry, dict)]
    except (ReviewdeckError, ValueError, KeyError, TypeError, AttributeError):
        return  # A lock that cannot be parsed has nothing to show.
    for name, entry in pairs:
        yield name, f"{_source(entry)} ({lock})"[:_LONGEST]


def _source(entry: Mapping[str, Any]) -> str:
    source = next(
        (entry[key] for key in ("source", "sourceUrl", "url") if entry.get(key)), "ClawHub"
    )
    version = entry.get("version")
    return f"{source}@{version}" if isinstance(version, str) else str(source)
