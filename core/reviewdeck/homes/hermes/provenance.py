"""The `reviewdeck` key of a record: what its author was looking at, and where it came from.

Everything in it is a help and none of it is needed, so what is wrong is left out and named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reviewdeck.homes.hermes.skills import SKILL_FILE, SKILLS
from reviewdeck.model import (
    ABSENT,
    Base,
    BaseSource,
    Edit,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Restore,
    Revision,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    revision_of,
)

KEY = "reviewdeck"

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("session", "turn", "tool_call", "model")


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the key said, as far as it could be used."""

    bases: Mapping[str, Base] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """session, turn, tool_call, model: those that were given."""
    ignored: tuple[str, ...] = ()
    """Names of what was left out."""


def read_provenance(value: object, edits: tuple[Edit, ...]) -> Provenance:
    """Reads the key's value for a proposal of these edits. Never raises."""
    if not isinstance(value, dict) or value.get("v") != 1 or value["v"] is True:
        return Provenance(ignored=(KEY,))
    texts = {key: value[key] for key in _TEXTS if isinstance(value.get(key), str)}
    given = value.get("bases", {})
    bases = _bases(given, edits) if isinstance(given, dict) else {}
    ignored = {key for key in value if key not in texts and key not in {"v", "bases"}}
    if not isinstance(given, dict) or len(bases) != len(given):
        ignored.add("bases")
    return Provenance(bases, texts, tuple(f"{KEY}.{key}" for key in sorted(ignored)))


def _bases(given: Mapping[str, Any], edits: tuple[Edit, ...]) -> dict[str, Base]:
    found: dict[str, Base] = {}
    for path, value in given.items():
        if (base := _base(value)) is not None and any(may_touch(edit, path) for edit in edits):
            found[path] = base
    return found


def _base(value: object) -> Base | None:
    """One base; None when it is not one or its text is not what its hash says."""
    if not isinstance(value, dict) or not isinstance(sha := value.get("sha256"), str):
        return None
    text = value.get("text")
    if text is None:
        if sha == ABSENT:
            return Base(ABSENT, None, BaseSource.GIVEN)
        if _SHA256.fullmatch(sha):
            return Base(Revision(sha), None, BaseSource.GIVEN, has_text=False)
    elif isinstance(text, str) and revision_of(data := text.encode()) == sha:
        return Base(Revision(sha), data, BaseSource.GIVEN)
    return None


def may_touch(edit: Edit, path: str) -> bool:
    """Whether this edit could change the document at this path, wherever its skill lives."""
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryRemove() | Restore():
            return path == edit.document
        case SkillCreate() | SkillEdit():
            return _is_file_of(path, edit.name, SKILL_FILE)
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            return _is_file_of(path, edit.name, edit.file)
        case SkillDelete():
            return _is_file_of(path, edit.name, None)


def _is_file_of(path: str, skill: str, file: str | None) -> bool:
    """Whether a path is a skill's file below the local root; None for any of its files."""
    parts = path.split("/")
    if parts[0] != SKILLS or skill not in parts[1:-1] or not {"", ".", ".."}.isdisjoint(parts):
        return False
    return file is None or path.endswith(f"/{skill}/{file}")
