"""The documents that a tool call is about, as they are before it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from . import kit
from .kit import text_at

TEXT = 96 * 1024
"""The most bytes of a document whose text is noted; of a longer one only the hash is."""
READ = 2 * 1024 * 1024
"""The most bytes of a document that is read."""
ALL_TEXTS = 128 * 1024
"""The most bytes of all texts together."""
FOLDERS = 5_000
"""The most folders that are searched for a skill."""

_MEMORIES = {"memory": "memories/MEMORY.md", "user": "memories/USER.md"}


def documents_before(home: Path, tool: str, args: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Each document by path: its SHA-256, and its text if it is UTF-8 and short enough."""
    remaining = ALL_TEXTS
    documents: dict[str, dict[str, Any]] = {}
    for path in dict.fromkeys(_paths(home, tool, args)):
        try:
            data = kit.read_file(home / path, READ)
        except OSError:
            continue
        document: dict[str, Any] = {"sha256": "absent"}
        if data is not None:
            document = {"sha256": kit.digest(data)}
            if len(data) <= min(TEXT, remaining) and (text := _decode(data)) is not None:
                remaining -= len(data)
                document["text"] = text
        documents[path] = document
    return documents


def skill_names(args: Mapping[str, Any]) -> set[str]:
    """The skills that a call of skill_manage names."""
    return {name for operation in _operations(args) if (name := text_at(operation, "name"))}


def _operations(args: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    operations = args.get("operations")
    if not isinstance(operations, list) or not operations:
        return [args]
    name = text_at(args, "name")
    return [{"name": name, **operation} for operation in operations if isinstance(operation, dict)]


def _paths(home: Path, tool: str, args: Mapping[str, Any]) -> Iterator[str]:
    if tool == "memory":
        if path := _MEMORIES.get(text_at(args, "target") or "memory"):
            yield path
        return
    for operation in _operations(args):
        name = text_at(operation, "name")
        if not _is_plain(name):
            continue
        file = text_at(operation, "file_path") or "SKILL.md"
        if (folder := _folder_of(home, name)) is None:
            category = text_at(operation, "category").strip()
            folder = f"skills/{category}/{name}" if _is_plain(category) else f"skills/{name}"
        if all(map(_is_plain, file.split("/"))):
            yield f"{folder}/{file}"


def _folder_of(home: Path, name: str) -> str | None:
    """The folder of a skill, found as Hermes does: the first folder of this name."""
    for folder, folders, files in islice(os.walk(home / "skills"), FOLDERS):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if "SKILL.md" in files and os.path.basename(folder) == name:  # noqa: PTH119 - os.walk's
            return Path(folder).relative_to(home).as_posix()
    return None


def _is_plain(part: str) -> bool:
    return bool(part) and part not in (".", "..") and "/" not in part and "\0" not in part


def _decode(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
