"""The ledger that later versions keep of changes of skills, kept up by us where there is one.

Hermes can take any line of it back, so a change that is missing in it, or one that did not happen,
would lead it astray: a line tells what a write left on the disk, and its texts are stored under
their hashes before it is there. It is a record and not a gate: nothing that goes wrong here keeps
a change from being made.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.files import Found, directory_beneath, opened, read_place
from reviewdeck.homes.folder import ensure
from reviewdeck.homes.hermes.config import Config, config_of
from reviewdeck.homes.hermes.reading import read_quietly
from reviewdeck.homes.hermes.skill_paths import ARCHIVE, skill_directories
from reviewdeck.homes.hermes.traces import LOCKS, has_curator_ledger
from reviewdeck.homes.locks import held
from reviewdeck.homes.steps import Steps, owner_of
from reviewdeck.homes.syscalls import Place, exists
from reviewdeck.model.documents import revision_of
from reviewdeck.model.plans import Change

NAME = ".curator_ledger.jsonl"
LOCK = "ledger.lock"
TEMP = ".reviewdeck-ledger.tmp"
BLOBS = (".curator_backups", "blobs")

LOW_WATER = 0.8
"""A ledger that is too long is cut to this part of its limit, as Hermes does."""

READ_LIMIT = 64 * 1024 * 1024
"""A longer ledger is not read: nothing is cut from it and nothing appended."""

_LOOKED_AT = 100
"""Lines from the end of the ledger that are looked at for what Hermes calls the home."""

WAIT = 2.0
"""Seconds: nobody should have to wait for a record that is not a gate."""

Row: TypeAlias = dict[str, Any]


class CuratorLedger:
    """One home's ledger. Every method is harmless where the home has none."""

    def __init__(self, root: Path, steps: Steps) -> None:
        self._root = root
        self._steps = steps

    def note(self, changes: Sequence[Change], now: datetime) -> None:
        """Appends a line for each skill that these changes, which are on the disk, have changed.

        A line that stands there already is not repeated: writing twice is one change.
        """
        with suppress(OSError, ReviewdeckError, ValueError):
            config = self._config()
            skills = skill_directories(self._root, [change.path for change in changes])
            if config is None or not skills:
                return
            self._store([change.before for change in changes])
            self._store([change.after for change in changes])
            self._append(changes, now, config.ledger_limit)

    def _config(self) -> Config | None:
        """The home's settings; None when it keeps no ledger."""
        if not has_curator_ledger(self._root):
            return None
        kernel = self._steps.kernel
        config = config_of(read_quietly(self._root, "config.yaml", kernel=kernel))
        return config if config.ledger else None

    def _store(self, contents: Sequence[bytes | None]) -> None:
        with opened(self._root) as home:
            ensure(self._steps, home, BLOBS)
            with directory_beneath(self._steps.kernel, home, BLOBS) as blobs:
                for data in contents:
                    if data is not None:
                        self._store_one(blobs, data)

    def _store_one(self, blobs: int, data: bytes) -> None:
        place = Place(blobs, revision_of(data))
        # The name is always the same, so that a repeat clears away what a kill left here.
        temp = Place(blobs, f".tmp-reviewdeck-{place.name}")
        if exists(temp):
            self._steps.remove(temp)
        if exists(place):
            return
        self._steps.write_file(temp, data, 0o600, owner_of(blobs, Found()))
        with suppress(FileExistsError):
            self._steps.rename_new(temp, place)
        self._steps.remove(temp)

    def _append(self, changes: Sequence[Change], now: datetime, limit: int) -> None:
        with self._locked() as skills:
            place = Place(skills, NAME)
            found = read_place(place, READ_LIMIT)
            if found.data is None:
                return
            lines = _lines(found.data)
            rows = rows_of(self._root, changes, now, as_named(self._root, lines))
            new = [_line(row) for row in rows if not _is_noted(row, lines)]
            kept = cut([*lines, *new], limit)
            if len(kept) < len(lines) + len(new):
                self._rewrite(place, found, kept)
            elif new:
                _append(place, b"" if found.data.endswith(b"\n") or not lines else b"\n", new)

    def _rewrite(self, place: Place, found: Found, lines: Sequence[bytes]) -> None:
        temp = Place(place.directory, TEMP)
        self._steps.remove(temp)
        data = b"".join(line + b"\n" for line in lines)
        owner = owner_of(place.directory, found)
        self._steps.write_file(temp, data, found.mode or 0o600, owner)
        self._steps.replace(temp, place)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Holds the skills folder open, under the ledger's own lock."""
        kernel, parts = self._steps.kernel, tuple(LOCKS.split("/"))
        with opened(self._root) as home:
            ensure(self._steps, home, parts)
            with (
                directory_beneath(kernel, home, parts) as locks,
                directory_beneath(kernel, home, parts[:1]) as skills,
                held([("the curator's ledger", Place(locks, LOCK))], WAIT),
            ):
                yield skills


def as_named(root: Path, lines: Sequence[bytes]) -> Path:
    """The home as Hermes itself calls it here: it takes nothing back at another path.

    It does not resolve links, and a home is often reached through one.
    """
    for line in reversed(lines[-_LOOKED_AT:]):
        for path in _paths(line):
            named, found, _ = path.partition("/skills/")
            if found and os.path.realpath(named) == str(root):
                return Path(named)
    return root


def _paths(line: bytes) -> list[str]:
    try:
        row = json.loads(line)
        files = [*row["before"], *row["after"]]
        return [file["path"] for file in files if isinstance(file["path"], str)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def rows_of(root: Path, changes: Sequence[Change], now: datetime, named: Path) -> list[Row]:
    """One row for each skill that these changes are about; `named` is the home in their paths."""
    by_path = {change.path: change for change in changes if change.before != change.after}
    archived = any(path.startswith(ARCHIVE) for path in by_path)
    return [
        _row(named, directory, [by_path[path] for path in paths], now, archived=archived)
        for directory, paths in skill_directories(root, by_path).items()
    ]


def _row(
    root: Path, directory: str, changes: Sequence[Change], now: datetime, *, archived: bool
) -> Row:
    action = _action(directory, changes)
    evidence: Row = {"archived": archived} if action == "delete" else {}
    if len(changes) == 1 and action != "delete":
        evidence["file_path"] = changes[0].path.removeprefix(f"{directory}/")
    return {
        "id": secrets.token_hex(6),
        "ts": now.astimezone(UTC).isoformat(),
        "actor": "user",
        "action": action,
        "skill": directory.rpartition("/")[2],
        "evidence": evidence | {"via": "reviewdeck"},
        "before": [_file(root, one.path, one.before) for one in changes if one.before is not None],
        "after": [_file(root, one.path, one.after) for one in changes if one.after is not None],
    }


def _action(directory: str, changes: Sequence[Change]) -> str:
    """What Hermes would have called it."""
    main = next((change for change in changes if change.path == f"{directory}/SKILL.md"), None)
    if main is not None and main.before is None:
        return "create"
    if main is not None:
        return "delete" if main.after is None else "patch"
    return "remove_file" if all(change.after is None for change in changes) else "write_file"


def _file(root: Path, path: str, data: bytes) -> dict[str, str]:
    return {"path": str(root / path), "sha256": revision_of(data)}


def _append(place: Place, lead: bytes, lines: Sequence[bytes]) -> None:
    """As Hermes does it: one that takes no lock appends to this same file."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(place.name, flags, dir_fd=place.directory)
    try:
        os.write(file, lead + b"".join(line + b"\n" for line in lines))
        os.fsync(file)
    finally:
        os.close(file)


def _line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode("utf-8")


def _lines(data: bytes) -> list[bytes]:
    """Only LF ends a line here: texts may hold whatever else counts as a line break."""
    return [line for line in data.split(b"\n") if line]


def _is_noted(row: Row, lines: Sequence[bytes]) -> bool:
    """Whether the last line about this skill tells the same change."""
    name = json.dumps(row["skill"], ensure_ascii=False).encode("utf-8")
    for line in reversed(lines):
        if name not in line:
            continue
        try:
            last = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(last, dict) and last.get("skill") == row["skill"]:
            return all(last.get(side) == row[side] for side in ("before", "after"))
    return False


def cut(lines: Sequence[bytes], limit: int) -> Sequence[bytes]:
    """The lines, without the oldest when they are too long; the newest always stays."""
    if limit <= 0 or sum(len(line) + 1 for line in lines) <= limit:
        return lines
    room, kept = int(limit * LOW_WATER), 0
    size = 0
    for line in reversed(lines):
        size += len(line) + 1
        if kept and size > room:
            break
        kept += 1
    return lines[len(lines) - kept :]
