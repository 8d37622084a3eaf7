"""Hermes' own records about its skills, updated as Hermes does: usage file and curator's ledger.

The usage file is changed under its own lock, and unknown records and keys are preserved. An
unreadable one is left alone: nothing is done then, and nothing has to be undone. The caller stores
each record before and after the change first, so that a repeat after a crash compares and does not
count twice.

Later versions roll skills back by the curator's ledger: a missing line, or one for a change that
did not happen, would mislead Hermes. A line is written after its change, and the texts that it
names are stored under their hashes before. No failure here prevents a change.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, assert_never

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.folder import make_directories
from reviewdeck.files.locks import hold_locks
from reviewdeck.files.reads import (
    FileRead,
    directory_beneath,
    open_beneath,
    open_directory,
    read_place,
    read_quietly,
)
from reviewdeck.files.steps import Steps, owner_of
from reviewdeck.files.syscalls import NameIn, exists, make_durable
from reviewdeck.homes.hermes.config import Config, config_of
from reviewdeck.homes.hermes.layout import ARCHIVE, skill_directories
from reviewdeck.homes.hermes.traits import LOCKS, has_curator_ledger
from reviewdeck.model.documents import revision_of
from reviewdeck.model.plans import Change, Effect, EffectKind
from reviewdeck.text.json import json_object, load_json

SNAPSHOT = ".skills_prompt_snapshot.json"
USAGE = ".usage.json"
USAGE_LOCK = ".usage.json.lock"
USAGE_TEMP = ".reviewdeck-usage.tmp"

Record: TypeAlias = dict[str, Any]
"""One skill's usage as Hermes stores it; it may have unknown keys."""

Keep: TypeAlias = Callable[[tuple[Effect, ...]], None]
"""Stores the inverse of the bookkeeping, durably."""

COUNTERS = frozenset({"patch_count", "patch_generation", "use_count", "view_count"})
"""Fields that only grow: an undo subtracts what we added."""


def refresh_prompt(root: Path, steps: Steps) -> None:
    """Deletes Hermes' cached list of skills, so that its next prompt lists the current ones."""
    with open_directory(root) as home:
        place = NameIn(home, SNAPSHOT)
        if not read_place(place).absent:
            steps.remove(place)


def apply_effects(
    root: Path, steps: Steps, effects: Sequence[Effect], now: datetime, wait: float, keep: Keep
) -> tuple[Effect, ...]:
    """Applies the effects; returns the effects that undo them, in the order to apply them.

    `keep` stores the same before the file changes. Raises Busy when the usage file's lock is not
    free within `wait` seconds.
    """
    refresh_prompt(root, steps)
    if not effects:
        return ()
    with suppress(FileNotFoundError), _locked(root, steps, wait) as skills:
        return _rewrite(steps, skills, effects, now, keep)
    return ()


def repeat_effects(root: Path, steps: Steps, inverse: Sequence[Effect], wait: float) -> None:
    """Completes interrupted bookkeeping, given the `inverse` that was stored before it.

    Later changes by Hermes are preserved. Raises Busy.
    """
    refresh_prompt(root, steps)
    with suppress(FileNotFoundError), _locked(root, steps, wait) as skills:
        file = read_place(NameIn(skills, USAGE))
        records = parse_usage(file)
        if records is None:
            return
        was = dict(records)
        for effect in reversed(inverse):
            done = _reapply(records.get(effect.skill), effect)
            _set(records, effect.skill, done)
        if records != was:
            _write(steps, skills, file, records)


@contextmanager
def _locked(root: Path, steps: Steps, wait: float) -> Iterator[int]:
    """Holds the skills folder open, under the lock of the usage file."""
    with (
        open_beneath(root, ("skills",), steps.kernel) as skills,
        hold_locks([(f"skills/{USAGE}", NameIn(skills, USAGE_LOCK))], wait),
    ):
        yield skills


def _rewrite(
    steps: Steps, skills: int, effects: Sequence[Effect], now: datetime, keep: Keep
) -> tuple[Effect, ...]:
    file = read_place(NameIn(skills, USAGE))
    records = parse_usage(file)
    if records is None:
        return ()
    inverse: list[Effect] = []
    for effect in effects:
        old = records.get(effect.skill)
        new = apply_effect(old if isinstance(old, dict) else None, effect, now)
        if new == old:
            continue
        inverse.insert(0, Effect(EffectKind.RESTORE_RECORD, effect.skill, _dump(old), _dump(new)))
        _set(records, effect.skill, new)
    if inverse:
        keep(tuple(inverse))
        _write(steps, skills, file, records)
    return tuple(inverse)


def _set(records: Record, skill: str, record: Any) -> None:
    if record is None:
        records.pop(skill, None)
    else:
        records[skill] = record


def _dump(record: Any) -> str | None:
    if record is None:
        return None
    return json.dumps(record, sort_keys=True, ensure_ascii=False)


def _write(steps: Steps, skills: int, file: FileRead, records: Record) -> None:
    text = json.dumps(records, indent=2, sort_keys=True, ensure_ascii=False)
    mode = 0o600 if file.mode is None else file.mode
    steps.rewrite(NameIn(skills, USAGE), USAGE_TEMP, text.encode("utf-8"), mode, file)


def parse_usage(file: FileRead) -> Record | None:
    """All usage records; None when the file exists and cannot be parsed."""
    if file.absent:
        return {}
    if file.data is None:
        return None
    try:
        raw = load_json(file.data.decode("utf-8-sig"))
        json.dumps(raw, ensure_ascii=False).encode("utf-8")
    except ValueError:
        return None
    return raw if isinstance(raw, dict) else None


def apply_effect(old: Record | None, effect: Effect, now: datetime) -> Record | None:
    """A skill's record after an effect; None for no record."""
    moment = now.astimezone(UTC).isoformat()
    match effect.kind:
        case EffectKind.MARK_AGENT_CREATED:
            return _created(old, moment) | {"created_by": "agent"}
        case EffectKind.MARK_CREATED:
            return None if old is None else _created(old, moment)
        case EffectKind.COUNT_PATCH:
            record = _existing_or_new(old, moment)
            count = record.get("patch_count")
            before = count if isinstance(count, int) else 0
            generation = record.get("patch_generation")
            later = {"patch_generation": generation + 1} if isinstance(generation, int) else {}
            return record | {"patch_count": before + 1, "last_patched_at": moment} | later
        case EffectKind.MARK_ARCHIVED:
            return _existing_or_new(old, moment) | {"state": "archived", "archived_at": moment}
        case EffectKind.FORGET:
            return None
        case EffectKind.RESTORE_RECORD:
            return _restore(old, effect)
        case _:
            assert_never(effect.kind)


def _created(old: Record | None, moment: str) -> Record:
    """The record of a new skill: one that an archived skill of its name left is none of its own."""
    return _existing_or_new(None if old and old.get("state") == "archived" else old, moment)


def _existing_or_new(old: Record | None, moment: str) -> Record:
    if old is not None:
        return old
    return {
        "archived_at": None,
        "created_at": moment,
        "created_by": None,
        "last_patched_at": None,
        "last_used_at": None,
        "last_viewed_at": None,
        "patch_count": 0,
        "pinned": False,
        "state": "active",
        "use_count": 0,
        "view_count": 0,
    }


def _restore(live: Record | None, effect: Effect) -> Record | None:
    """The record as it was before our change, with Hermes' later changes."""
    was, ours = _parse_record(effect.record), _parse_record(effect.over)
    if was is None or ours is None or live is None or live == ours:
        return was
    restored = dict(live)
    for key in _changed_keys(was, ours):
        if key in COUNTERS and all(type(record.get(key)) is int for record in (was, ours, live)):
            restored[key] = max(0, live[key] - ours[key] + was[key])
        elif live.get(key) != ours[key]:
            continue
        elif key in was:
            restored[key] = was[key]
        else:
            restored.pop(key, None)
    return restored


def _reapply(live: Any, effect: Effect) -> Any:
    """The record with our change, which it may have already."""
    was, ours = _load(effect.record), _load(effect.over)
    if live == was:
        return ours
    if not (isinstance(live, dict) and isinstance(was, dict) and isinstance(ours, dict)):
        return live  # Our change is there, or another program has overwritten it.
    missing = {key: ours[key] for key in _changed_keys(was, ours) if live.get(key) == was.get(key)}
    return live | missing


def _changed_keys(was: Record, ours: Record) -> list[str]:
    return [key for key in ours if key not in was or ours[key] != was[key]]


def _parse_record(text: str | None) -> Record | None:
    raw = _load(text)
    return raw if isinstance(raw, dict) else None


def _load(text: str | None) -> Any:
    return None if text is None else load_json(text)


NAME = ".curator_ledger.jsonl"
LOCK = "ledger.lock"
LEDGER_TEMP = ".reviewdeck-ledger.tmp"
BLOBS = (".curator_backups", "blobs")

LOW_WATER = 0.8
"""A ledger above its limit is trimmed to this fraction of it, as Hermes does."""

READ_LIMIT = 64 * 1024 * 1024
"""Bytes. A larger ledger is neither read nor changed."""

_TAIL_LINES = 100
"""Lines at the end of the ledger that are searched for Hermes' path of the home."""

WAIT = 2.0
"""Seconds to wait for the ledger's lock: the ledger is informative and gates nothing."""

Row: TypeAlias = dict[str, Any]


class CuratorLedger:
    """The curator's ledger of one home. Does nothing where the home has none."""

    def __init__(self, root: Path, steps: Steps) -> None:
        self._root = root
        self._steps = steps

    def note(self, changes: Sequence[Change], now: datetime) -> None:
        """Appends a line for each skill that these changes, already on disk, have changed.

        A line that is there already is not repeated.
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
        with open_directory(self._root) as home:
            make_directories(self._steps, home, BLOBS)
            with directory_beneath(self._steps.kernel, home, BLOBS) as blobs:
                for data in contents:
                    if data is not None:
                        self._store_one(blobs, data)

    def _store_one(self, blobs: int, data: bytes) -> None:
        place = NameIn(blobs, revision_of(data))
        # The name is derived from the content, so that a repeat clears what a kill left here.
        temp = NameIn(blobs, f".tmp-reviewdeck-{place.name}")
        if exists(temp):
            self._steps.remove(temp)
        if exists(place):
            return
        self._steps.write_file(temp, data, 0o600, owner_of(blobs, FileRead()))
        with suppress(FileExistsError):
            self._steps.rename_new(temp, place)
        self._steps.remove(temp)

    def _append(self, changes: Sequence[Change], now: datetime, limit: int) -> None:
        with self._locked() as skills:
            place = NameIn(skills, NAME)
            ledger = read_place(place, READ_LIMIT)
            if ledger.data is None:
                return
            lines = [line for line in ledger.data.split(b"\n") if line]
            rows = rows_of(self._root, changes, now, find_hermes_path(self._root, lines))
            new_rows = (row for row in rows if not _is_noted(row, lines))
            new_lines = [json.dumps(row, ensure_ascii=False).encode() for row in new_rows]
            remaining = trim([*lines, *new_lines], limit)
            if len(remaining) < len(lines) + len(new_lines):
                data = b"".join(line + b"\n" for line in remaining)
                self._steps.rewrite(place, LEDGER_TEMP, data, ledger.mode or 0o600, ledger)
            elif new_lines:
                _append(
                    place, b"" if ledger.data.endswith(b"\n") or not lines else b"\n", new_lines
                )

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Holds the skills folder open, under the ledger's own lock."""
        kernel, parts = self._steps.kernel, tuple(LOCKS.split("/"))
        with open_directory(self._root) as home:
            make_directories(self._steps, home, parts)
            with (
                directory_beneath(kernel, home, parts) as locks,
                directory_beneath(kernel, home, parts[:1]) as skills,
                hold_locks([("the curator's ledger", NameIn(locks, LOCK))], WAIT),
            ):
                yield skills


def find_hermes_path(root: Path, lines: Sequence[bytes]) -> Path:
    """The path of the home as Hermes spells it in its ledger: it rolls back no other path.

    Hermes does not resolve links, and a home is often reached through one.
    """
    for line in reversed(lines[-_TAIL_LINES:]):
        for path in _paths(line):
            home, separator, _ = path.partition("/skills/")
            if separator and os.path.realpath(home) == str(root):
                return Path(home)
    return root


def _paths(line: bytes) -> list[str]:
    try:
        row = load_json(line)
        files = [*row["before"], *row["after"]]
        return [file["path"] for file in files if isinstance(file["path"], str)]
    except (ValueError, KeyError, TypeError):
        return []


def rows_of(root: Path, changes: Sequence[Change], now: datetime, home: Path) -> list[Row]:
    """One row for each changed skill; `home` is the home's path as Hermes spells it."""
    by_path = {change.path: change for change in changes if change.before != change.after}
    archived = any(path.startswith(ARCHIVE) for path in by_path)
    return [
        _row(home, directory, [by_path[path] for path in paths], now, archived=archived)
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
        "before": [
            _file(root, change.path, change.before)
            for change in changes
            if change.before is not None
        ],
        "after": [
            _file(root, change.path, change.after) for change in changes if change.after is not None
        ],
    }


def _action(directory: str, changes: Sequence[Change]) -> str:
    main = next((change for change in changes if change.path == f"{directory}/SKILL.md"), None)
    if main is not None and main.before is None:
        return "create"
    if main is not None:
        return "delete" if main.after is None else "patch"
    return "remove_file" if all(change.after is None for change in changes) else "write_file"


def _file(root: Path, path: str, data: bytes) -> dict[str, str]:
    return {"path": str(root / path), "sha256": revision_of(data)}


def _append(place: NameIn, lead: bytes, lines: Sequence[bytes]) -> None:
    """Appends in place, as Hermes does: a Hermes without the lock appends to the same file."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(place.name, flags, dir_fd=place.directory)
    try:
        os.write(file, lead + b"".join(line + b"\n" for line in lines))
        make_durable(file)
    finally:
        os.close(file)


def _is_noted(row: Row, lines: Sequence[bytes]) -> bool:
    """Whether the last line about this skill has the same change."""
    name = json.dumps(row["skill"], ensure_ascii=False).encode("utf-8")
    for line in reversed(lines):
        last = json_object(line) if name in line else None
        if last is not None and last.get("skill") == row["skill"]:
            return all(last.get(side) == row[side] for side in ("before", "after"))
    return False


def trim(lines: Sequence[bytes], limit: int) -> Sequence[bytes]:
    """The lines without the oldest ones above the limit; the newest always stays."""
    if limit <= 0 or sum(len(line) + 1 for line in lines) <= limit:
        return lines
    budget, count = int(limit * LOW_WATER), 0
    size = 0
    for line in reversed(lines):
        size += len(line) + 1
        if count and size > budget:
            break
        count += 1
    return lines[len(lines) - count :]
