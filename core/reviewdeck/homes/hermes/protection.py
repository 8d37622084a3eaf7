"""Hermes' own records of who may touch a skill: bundled, hub-installed, pinned, user-owned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from reviewdeck.homes.hermes.reading import read_quietly
from reviewdeck.homes.hermes.stamps import BUNDLED_MANIFEST, HUB_LOCK, USAGE
from reviewdeck.homes.hermes.traces import is_later_home
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.model import Document, Protection

BUILTIN_SKILLS = frozenset({"plan"})

ESSENTIAL_SKILLS = frozenset({"hermes-agent"})
"""The prompt of later versions refers to these: they never delete them."""


@dataclass(frozen=True, slots=True)
class ProtectionRecords:
    """What the home's records say, by skill name."""

    bundled: frozenset[str] = frozenset()
    hub: frozenset[str] = frozenset()
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    later: bool = False
    """Whether a later version than 0.19 works in this home: it keeps stricter rules."""

    def of(self, names: Iterable[str]) -> frozenset[Protection]:
        """The protections of one skill, which may go by its directory's name and by another.

        Hermes' tools use the directory's name and its curator the one in the front matter: what
        either of them protects is protected.
        """
        known = set(names)
        found = {Protection.BUNDLED} if known & self.bundled else set()
        if known & self.hub:
            found.add(Protection.HUB)
        if known & BUILTIN_SKILLS:
            found.add(Protection.BUILTIN)
        records = [self.usage[name] for name in known if name in self.usage]
        if any(record.get("pinned") is True for record in records):
            found.add(Protection.PINNED)
        if not all(_is_agents_own(record) for record in records) or (self.later and not records):
            found.add(Protection.USER_OWNED)
        if self.later and known & ESSENTIAL_SKILLS:
            found.add(Protection.ESSENTIAL)
        return frozenset(found)


def read_protections(home: Path, *, kernel: Kernel) -> ProtectionRecords:
    """Reads the three records; one that cannot be used protects nothing and leaves a note."""
    notes: list[str] = []
    usage = _object(read_quietly(home, USAGE, kernel=kernel), notes)
    lock = _object(read_quietly(home, HUB_LOCK, kernel=kernel), notes)
    return ProtectionRecords(
        _bundled(read_quietly(home, BUNDLED_MANIFEST, kernel=kernel), notes),
        _hub(home, lock.get("installed"), kernel),
        {name: record for name, record in usage.items() if isinstance(record, dict)},
        tuple(notes),
        is_later_home(home),
    )


def front_matter_name(text: str) -> str | None:
    """The name a SKILL.md gives itself, read as Hermes' bookkeeping reads it."""
    inside = False
    for line in text[:4000].split("\n"):
        stripped = line.strip()
        if stripped == "---":
            if inside:
                return None
            inside = True
        elif inside and stripped.startswith("name:"):
            name = stripped.removeprefix("name:").strip().strip("\"'")
            if name:
                return name
    return None


def _object(document: Document, notes: list[str]) -> dict[str, Any]:
    if not document.exists:
        return {}
    try:
        value = json.loads(document.text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    problem = document.problem or "is not a JSON object"
    notes.append(f"{document.path} {problem}: what it protects is not known.")
    return {}


def _bundled(document: Document, notes: list[str]) -> frozenset[str]:
    if document.problem is not None:
        notes.append(f"{document.path} {document.problem}: what it protects is not known.")
        return frozenset()
    # Version 1 has bare names, version 2 has `name:hash`.
    names = (line.split(":", 1)[0].strip() for line in document.text.splitlines())
    return frozenset(name for name in names if name)


def _hub(home: Path, installed: object, kernel: Kernel) -> frozenset[str]:
    if not isinstance(installed, dict):
        return frozenset()
    paths = [entry.get("install_path") for entry in installed.values() if isinstance(entry, dict)]
    given = {_installed_name(home, path, kernel) for path in paths if isinstance(path, str)}
    return frozenset(installed) | (given - {""})


def _installed_name(home: Path, install_path: str, kernel: Kernel) -> str:
    """What the skill at an install path calls itself; empty when there is none below the home."""
    skills = home / "skills"
    path = PurePosixPath(install_path)
    if path.is_absolute():
        if not path.is_relative_to(skills):
            return ""
        path = path.relative_to(skills)
    document = read_quietly(skills, str(path / "SKILL.md"), kernel=kernel)
    if document.data is None:
        return ""
    return front_matter_name(document.data.decode("utf-8", "replace")) or path.name


def _is_agents_own(record: Mapping[str, Any]) -> bool:
    return record.get("created_by") == "agent" or record.get("agent_created") is True
