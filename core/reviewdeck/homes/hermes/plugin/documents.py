"""The documents that a call is about, as they are before it: whole, or by their hash."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

TEXT = 96 * 1024
"""Bytes of a document that are noted as a text; of a longer one, the hash is."""
READ = 2 * 1024 * 1024
"""Bytes of a document that are read at all."""
ALL_TEXTS = 128 * 1024
"""Bytes of all texts together."""
FOLDERS = 5_000
"""Folders in which a skill is looked for."""

_MEMORIES = {"memory": "memories/MEMORY.md", "user": "memories/USER.md"}


def documents_before(home: Path, tool: str, args: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Each document by path: its SHA-256, and its text where it is one and not too long."""
    left = ALL_TEXTS
    found: dict[str, dict[str, Any]] = {}
    for path in dict.fromkeys(_paths(home, tool, args)):
        try:
            data = _read(home / path)
        except OSError:
            continue
        known: dict[str, Any] = {"sha256": "absent"}
        if data is not None:
            known = {"sha256": hashlib.sha256(data).hexdigest()}
            if len(data) <= min(TEXT, left) and (text := _decoded(data)) is not None:
                left -= len(data)
                known["text"] = text
        found[path] = known
    return found


def skills_named(args: Mapping[str, Any]) -> set[str]:
    """The skills that a call of skill_manage is about."""
    return {name for operation in _operations(args) if (name := _word(operation, "name"))}


def _operations(args: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = args.get("operations")
    if not isinstance(given, list) or not given:
        return [args]
    named = _word(args, "name")
    return [{"name": named, **one} for one in given if isinstance(one, dict)]


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
    """Where a skill of this name is, as Hermes finds it: the first folder called so."""
    for folder, below, files in islice(os.walk(home / "skills"), FOLDERS):
        below[:] = sorted(one for one in below if not one.startswith("."))
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

    Nothing here waits: a pipe, a device and a link are not read.
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


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
