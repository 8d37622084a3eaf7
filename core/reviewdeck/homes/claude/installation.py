"""Plans the file changes that install the gate into Claude Code's settings, or remove it.

One record stores the original settings, and `settings.json` gets entries. The record is written
first and removed last: after a kill in between, the same command finishes, and removing the gate
restores every byte.
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

from reviewdeck.agents.claude import calls, spool, verdicts
from reviewdeck.agents.claude.roots import OURS
from reviewdeck.agents.claude.stage import PENDING
from reviewdeck.errors import BadInput, HomeReadOnly
from reviewdeck.files.reads import FileRead, directory_beneath, explain, open_directory, read_place
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.claude.governed import RECORD
from reviewdeck.homes.claude.layout import layout_of
from reviewdeck.homes.claude.settings import (
    FILE,
    FOLDER,
    GovernedRoot,
    add_gate,
    entries,
    our_arguments,
    parse_roots,
    parse_settings,
    remove_gate,
)
from reviewdeck.homes.file_changes import FileChange, HomePlan

FOLDERS: Final = (OURS, OURS.partition("/")[0])
"""Our folders, deepest first."""
_WITH_RECORDS: Final = (spool.IGNORED, *spool.MARKS.values())
"""Needed as long as records wait: Git ignores them, and the folder is known as Claude Code's."""
NOTES: Final = (spool.LOCK, calls.KNOWN, verdicts.TOLD, *_WITH_RECORDS)
"""The gate's own files; none of them is evidence."""
_PRIVATE: Final = 0o600


@dataclass(frozen=True, slots=True)
class GateRecord:
    """The settings before and after an installation."""

    before: str | None
    """The original `settings.json`; None without one."""
    after: str
    """SHA-256 of the installed `settings.json`."""
    roots: tuple[GovernedRoot, ...] = ()
    """The folders that the gate covers."""


@dataclass(frozen=True, slots=True)
class GateInstallation:
    """The current state of an installation in Claude Code's folder."""

    config: Path
    file: FileRead
    text: str | None
    """The text of `settings.json`; None without one."""
    stored: bytes | None
    record: GateRecord | None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The parsed settings. Raises BadInput."""
        return parse_settings(self.text)

    @property
    def roots(self) -> tuple[GovernedRoot, ...]:
        """The folders that the gate covers. Raises BadInput."""
        return parse_roots(our_arguments(self.settings))


def read_installation(config: Path) -> GateInstallation:
    """Reads the installation in Claude Code's folder. Raises BadInput for an unreadable file."""
    with open_directory(config) as top:
        file = read_place(NameIn(top, FILE))
        stored = _read(config, top, RECORD)
    if file.problem is not None:
        raise _unusable(config / FILE, file.problem)
    try:
        text = None if file.data is None else file.data.decode("utf-8")
    except UnicodeDecodeError:
        raise _unusable(config / FILE, "is not UTF-8") from None
    return GateInstallation(config, file, text, stored, _record(stored))


def plan_install(installed: GateInstallation, roots: Sequence[GovernedRoot]) -> HomePlan:
    """The plan that makes the gate cover these folders. Raises BadInput, HomeReadOnly."""
    _check_writable(installed)
    before = _base(installed)
    after = add_gate(_current(installed), entries(sys.executable, FOLDER, roots)).encode()
    record = GateRecord(before, _sum(after), tuple(roots))
    return _plan(
        installed.config,
        [
            FileChange(RECORD, installed.stored, _record_bytes(record), _PRIVATE),
            FileChange(FILE, installed.file.data, after, installed.file.mode or _PRIVATE),
        ],
    )


def plan_marks(roots: Sequence[GovernedRoot]) -> tuple[HomePlan, ...]:
    """The plans that mark the folders whose layout their own files do not tell.

    The gate marks a folder too, when it first writes there: one that does not exist yet can wait.
    """
    unmarked = [
        root for root in roots if root.path.is_dir() and layout_of(root.path) != root.layout
    ]
    return tuple(
        _plan(
            root.path,
            [
                FileChange(path, None, data, _PRIVATE)
                for path, data in ((spool.IGNORED, b"*\n"), (spool.MARKS[root.layout], b""))
                if not os.path.lexists(root.path / path)
            ],
        )
        for root in unmarked
    )


def plan_uninstall(installed: GateInstallation) -> tuple[HomePlan, ...]:
    """The plans that remove the gate: the entries first, then its own files.

    Raises BadInput, HomeReadOnly.
    """
    _check_writable(installed)
    base = _base(installed)
    after = None if base is None else base.encode()
    entries_gone = FileChange(FILE, installed.file.data, after, installed.file.mode or _PRIVATE)
    noted = installed.record.roots if installed.record else ()
    folders = {root.path.resolve() for root in (*installed.roots, *noted)} - {
        installed.config.resolve()
    }
    record_gone = FileChange(RECORD, installed.stored, None, _PRIVATE)
    plans = [
        _plan(installed.config, [entries_gone]),
        *(_plan(root, _notes(root), FOLDERS) for root in sorted(folders) if root.is_dir()),
        _plan(installed.config, [record_gone, *_notes(installed.config)], FOLDERS),
    ]
    return tuple(plan for plan in plans if plan.changes)


def _plan(home: Path, changes: Sequence[FileChange], folders: tuple[str, ...] = ()) -> HomePlan:
    return HomePlan(
        home, tuple(change for change in changes if change.before != change.after), folders
    )


def _notes(root: Path) -> list[FileChange]:
    with open_directory(root) as top:
        notes = {path: _read(root, top, path) for path in NOTES}
    if any((root / path).is_dir() for path in (PENDING, calls.CALLS)):
        for path in _WITH_RECORDS:
            del notes[path]
    return [FileChange(path, data, None, _PRIVATE) for path, data in notes.items()]


def _current(installed: GateInstallation) -> str | None:
    """The current settings; the original ones where our entries are missing."""
    return installed.text if installed.roots else _base(installed)


def _base(installed: GateInstallation) -> str | None:
    """`settings.json` without our entries: the original bytes if nobody changed it since."""
    record = installed.record
    if installed.text is None:
        return None
    if record is not None and _sum(installed.text.encode()) == record.after:
        return record.before
    text = remove_gate(installed.text, record.before if record else None)
    is_made = record is not None and record.before is None and not parse_settings(text)
    return None if is_made else text


def _check_writable(installed: GateInstallation) -> None:
    is_closed = installed.file.mode is not None and not installed.file.mode & 0o200
    if is_closed or not os.access(installed.config, os.W_OK | os.X_OK):
        raise HomeReadOnly(
            f"{installed.config / FILE if is_closed else installed.config} is read-only."
        )


def _unusable(path: Path, problem: str) -> BadInput:
    return BadInput(f"{path} {problem}.", hint="Nothing was changed.")


def _read(root: Path, top: int, path: str) -> bytes | None:
    *parts, name = path.split("/")
    try:
        with directory_beneath(Kernel(), top, tuple(parts)) as directory:
            file = read_place(NameIn(directory, name))
    except FileNotFoundError:
        return None
    except OSError as error:
        file = FileRead(problem=explain(error))
    if file.problem is not None:
        raise _unusable(root / path, file.problem)
    return file.data


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _record_bytes(record: GateRecord) -> bytes:
    settings = {"before": record.before, "after": record.after}
    content = {"v": 1, "settings": settings, "roots": [root.argument for root in record.roots]}
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def _record(data: bytes | None) -> GateRecord | None:
    """The record; None when it is malformed: the agent can write this file."""
    try:
        raw = json.loads(data or b"{}")
        before, after = raw["settings"]["before"], raw["settings"]["after"]
        roots = parse_roots(raw.get("roots", ()))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    is_one = isinstance(before, str | None) and isinstance(after, str) and raw.get("v") == 1
    return GateRecord(before, after, roots) if is_one else None
