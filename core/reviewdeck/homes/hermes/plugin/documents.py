"""The documents that a tool call is about, as they are before it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

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
            data = _read(home / path)
        except OSError:
            continue
        document: dict[str, Any] = {"sha256": "absent"}
        if data is not None:
            document = {"sha256": hashlib.sha256(data).hexdigest()}
            if len(data) <= min(TEXT, remaining) and (text := _decode(data)) is not None:
                remaining -= len(data)
                document["text"] = text
        documents[path] = document
    return documents


def skill_names(args: Mapping[str, Any]) -> set[str]:
    """The skills that a call of skill_manage names."""
    return {name for operation in _operations(args) if (name := _word(operation, "name"))}


def _operations(args: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    operations = args.get("operations")
    if not isinstance(operations, list) or not operations:
        return [args]
    name = _word(args, "name")
    return [{"name": name, **operation} for operation in operations if isinstance(operation, dict)]


def _paths(home: Path, tool: str, args: Mapping[str, Any]) -> Iterator[str]:
    if tool == "memory":
        if path := _MEMORIES.get(_word(args, "target") or "memory"):
            yield path
        return
    for operation in _operations(args):
        name = _word(operation, "name")
        if not _is_plain(name):
            continue
        file = _word(operation, "file_path") or "SKILL.md"
        if (folder := _folder_of(home, name)) is None:
            category = _word(operation, "category").strip()
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


def _word(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _is_plain(part: str) -> bool:
    return bool(part) and part not in (".", "..") and "/" not in part and "\0" not in part


def _read(path: Path) -> bytes | None:
    """The bytes of a regular file; None where there is none. Raises OSError for anything else.

    Never blocks: a pipe, a device and a link are not read.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("not a regular file")
        data = opened.read(READ + 1)
    if len(data) > READ:
        raise OSError("too large")
    return data


def _decode(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
