"""The gate put into Claude Code's settings: what that changes, worked out before anything is.

One record keeps the settings as they were, one file gets entries. The record comes first and goes
last: killed in between, the same command finishes, and taking out gives every byte back.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput, HomeReadOnly
from reviewdeck.homes.claude.governed import RECORD
from reviewdeck.homes.claude.hook import calls, spool, verdicts
from reviewdeck.homes.claude.hook.roots import OURS
from reviewdeck.homes.claude.hook.stage import PENDING
from reviewdeck.homes.claude.settings import (
    FILE,
    FOLDER,
    GovernedRoot,
    entries,
    our_arguments,
    parsed,
    roots_named,
    with_gate,
    without_gate,
)
from reviewdeck.homes.file_changes import FileChange, HomePlan
from reviewdeck.homes.files import FileRead, directory_beneath, explain, open_directory, read_place
from reviewdeck.homes.syscalls import Kernel, NameIn

FOLDERS: Final = (OURS, OURS.partition("/")[0])
"""Ours, the deepest first."""
NOTES: Final = (spool.LOCK, calls.KNOWN, verdicts.TOLD, spool.IGNORED)
"""What the gate writes for itself: none of it is evidence."""
_PRIVATE: Final = 0o600


@dataclass(frozen=True, slots=True)
class GateRecord:
    """What an installation found and left."""

    before: str | None
    """`settings.json` as it was; None for none."""
    after: str
    """SHA-256 of what it became."""
    roots: tuple[GovernedRoot, ...] = ()
    """The folders that the gate was put before."""


@dataclass(frozen=True, slots=True)
class InstalledGate:
    """What is in Claude Code's folder at this moment."""

    config: Path
    file: FileRead
    text: str | None
    """Of `settings.json`; None without one."""
    stored: bytes | None
    record: GateRecord | None

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the settings say. Raises BadInput."""
        return parsed(self.text)

    @property
    def roots(self) -> tuple[GovernedRoot, ...]:
        """The folders that the gate stands before. Raises BadInput."""
        return roots_named(our_arguments(self.settings))


def installed_in(config: Path) -> InstalledGate:
    """Looks at Claude Code's folder. Raises BadInput for a file that cannot be one."""
    with open_directory(config) as top:
        file = read_place(NameIn(top, FILE))
        stored = _read(config, top, RECORD)
    if file.problem is not None:
        raise _unusable(config / FILE, file.problem)
    try:
        text = None if file.data is None else file.data.decode("utf-8")
    except UnicodeDecodeError:
        raise _unusable(config / FILE, "is not UTF-8") from None
    return InstalledGate(config, file, text, stored, _record(stored))


def plan_install(found: InstalledGate, roots: Sequence[GovernedRoot]) -> HomePlan:
    """What putting the gate before these folders changes. Raises BadInput, HomeReadOnly."""
    _check_writable(found)
    before = _base(found)
    after = with_gate(_current(found), entries(sys.executable, FOLDER, roots)).encode()
    record = GateRecord(before, _sum(after), tuple(roots))
    return _plan(
        found.config,
        [
            FileChange(RECORD, found.stored, _record_bytes(record), _PRIVATE),
            FileChange(FILE, found.file.data, after, found.file.mode or _PRIVATE),
        ],
    )


def plan_uninstall(found: InstalledGate) -> tuple[HomePlan, ...]:
    """What taking the gate out changes: the entries, and then what it wrote for itself.

    Raises BadInput, HomeReadOnly.
    """
    _check_writable(found)
    base = _base(found)
    after = None if base is None else base.encode()
    entries_gone = FileChange(FILE, found.file.data, after, found.file.mode or _PRIVATE)
    noted = found.record.roots if found.record else ()
    others = {root.path.resolve() for root in (*found.roots, *noted)} - {found.config.resolve()}
    record_gone = FileChange(RECORD, found.stored, None, _PRIVATE)
    plans = [
        _plan(found.config, [entries_gone]),
        *(_plan(root, _notes(root), FOLDERS) for root in sorted(others) if root.is_dir()),
        _plan(found.config, [record_gone, *_notes(found.config)], FOLDERS),
    ]
    return tuple(plan for plan in plans if plan.changes)


def _plan(home: Path, changes: Sequence[FileChange], folders: tuple[str, ...] = ()) -> HomePlan:
    return HomePlan(home, tuple(one for one in changes if one.before != one.after), folders)


def _notes(root: Path) -> list[FileChange]:
    with open_directory(root) as top:
        kept = {path: _read(root, top, path) for path in NOTES}
    if any((root / path).is_dir() for path in (PENDING, calls.CALLS)):
        del kept[spool.IGNORED]  # What waits there still is to stay out of a repository.
    return [FileChange(path, data, None, _PRIVATE) for path, data in kept.items()]


def _current(found: InstalledGate) -> str | None:
    """The settings with our entries where they are, and without them as they were."""
    return found.text if found.roots else _base(found)


def _base(found: InstalledGate) -> str | None:
    """`settings.json` as it would be without us: its old bytes where nobody changed it since."""
    record = found.record
    if found.text is None:
        return None
    if record is not None and _sum(found.text.encode()) == record.after:
        return record.before
    text = without_gate(found.text, record.before if record else None)
    is_made = record is not None and record.before is None and not parsed(text)
    return None if is_made else text


def _check_writable(found: InstalledGate) -> None:
    is_closed = found.file.mode is not None and not found.file.mode & 0o200
    if is_closed or not os.access(found.config, os.W_OK | os.X_OK):
        raise HomeReadOnly(f"{found.config / FILE if is_closed else found.config} is read-only.")


def _unusable(path: Path, problem: str) -> BadInput:
    return BadInput(f"{path} {problem}.", hint="Nothing was changed.")


def _read(root: Path, top: int, path: str) -> bytes | None:
    *parts, name = path.split("/")
    try:
        with directory_beneath(Kernel(), top, tuple(parts)) as directory:
            found = read_place(NameIn(directory, name))
    except FileNotFoundError:
        return None
    except OSError as error:
        found = FileRead(problem=explain(error))
    if found.problem is not None:
        raise _unusable(root / path, found.problem)
    return found.data


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _record_bytes(record: GateRecord) -> bytes:
    settings = {"before": record.before, "after": record.after}
    said = {"v": 1, "settings": settings, "roots": [root.argument for root in record.roots]}
    return (json.dumps(said, ensure_ascii=False, indent=2) + "\n").encode()


def _record(data: bytes | None) -> GateRecord | None:
    """The record, as far as it is one: the agent can write this file."""
    try:
        raw = json.loads(data or b"{}")
        before, after = raw["settings"]["before"], raw["settings"]["after"]
        roots = roots_named(raw.get("roots", ()))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    is_one = isinstance(before, str | None) and isinstance(after, str) and raw.get("v") == 1
    return GateRecord(before, after, roots) if is_one else None
