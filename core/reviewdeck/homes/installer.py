"""Installing into a home: an agent's settings with what was there before, and files as changes.

A record keeps the original settings. It is written first and removed last: after a kill in between
the same command finishes, and where nobody else changed the settings, removing restores every byte.
Each file is compared before it is changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from reviewdeck.agents.hermes.kit import path_text
from reviewdeck.errors import BadInput, HomeReadOnly, StaleBase
from reviewdeck.files import OURS
from reviewdeck.files.folder import Folder, make_directories, prune
from reviewdeck.files.locks import lock_directory
from reviewdeck.files.reads import FileRead, directory_beneath, explain, open_directory, read_place
from reviewdeck.files.steps import Steps, owner_of, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.ports import Probe

PRIVATE: Final = 0o600
TEMPORARY: Final = ".reviewdeck-install.tmp"
"""The name under which a new file is written before it is renamed into place."""
CACHE: Final = "__pycache__"
"""Python's folder of compiled modules."""
_OWN_FOLDER: Final = 0o700
_BATCH: Final = "install"
"""Whose trash has what two programs wrote in the moment of a swap."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a home, before and after."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int

    @property
    def action(self) -> str:
        """`create`, `replace` or `remove`."""
        if self.after is None:
            return "remove"
        return "create" if self.before is None else "replace"


@dataclass(frozen=True, slots=True)
class HomePlan:
    """The changes of one home, in an order that is safe to interrupt."""

    home: Path
    changes: tuple[FileChange, ...]
    folders: tuple[str, ...] = ()
    """Removed afterwards if they are empty, deepest first."""
    remarks: tuple[str, ...] = ()
    """One sentence for each thing that stays in the home, with the reason."""
    programs: str = ""
    """The folder of our modules: their compiled files are removed too."""


def plan_of(
    home: Path,
    changes: Sequence[FileChange],
    folders: tuple[str, ...] = (),
    remarks: Iterable[str] = (),
    programs: str = "",
) -> HomePlan:
    """The plan of those of the changes that change something."""
    changed = tuple(change for change in changes if change.before != change.after)
    return HomePlan(home, changed, folders, tuple(remarks), programs)


@dataclass(frozen=True, slots=True)
class Record:
    """The settings before and after an installation."""

    before: str | None
    """The original text; None without a file."""
    after: str
    """SHA-256 of the installed one."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else was noted, as it was written."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """An agent's settings file, as it is now, with the record of an installation."""

    home: Path
    path: str
    file: FileRead
    text: str | None
    """None without a file."""
    place: str
    """Where the record is."""
    section: str
    """The key of the settings in it."""
    stored: bytes | None
    record: Record | None

    def base(self, without: Callable[[str], str], is_empty: Callable[[str], bool]) -> str | None:
        """The text without what was installed: the original bytes if nobody changed it since."""
        record = self.record
        if self.text is None:
            return None
        if record is not None and sum_of(self.text.encode()) == record.after:
            return record.before
        text = without(self.text)
        return None if record and record.before is None and is_empty(text) else text

    def check_writable(self) -> None:
        """Raises HomeReadOnly."""
        is_closed = self.file.mode is not None and not self.file.mode & 0o200
        if is_closed or not os.access(self.home, os.W_OK | os.X_OK):
            raise HomeReadOnly(f"{self.home / self.path if is_closed else self.home} is read-only.")

    def change(self, text: str | None) -> FileChange:
        """The change to this text; to none, the file goes."""
        after = None if text is None else text.encode()
        return FileChange(self.path, self.file.data, after, self.file.mode or PRIVATE)

    def record_change(self, before: str | None, after: str, **more: Any) -> FileChange:
        """The change that notes an installation."""
        settings = {"before": before, "after": sum_of(after.encode())}
        content = json_bytes({"v": 1, self.section: settings, **more})
        return FileChange(self.place, self.stored, content, PRIVATE)

    def record_removal(self) -> FileChange:
        """The change that removes the record."""
        return FileChange(self.place, self.stored, None, PRIVATE)


Installed = TypeVar("Installed", bound=SettingsFile)


def read_settings(
    kind: Callable[..., Installed], home: Path, path: str, place: str, section: str, *more: Any
) -> Installed:
    """An agent's settings file and our record, as this kind of installation, whose further fields
    are `more`. Raises BadInput for an unreadable file.
    """
    with open_directory(home) as top:
        file = read_place(NameIn(top, path))
        stored = read_file(home, top, place)
    if file.problem is not None:
        raise unusable(home / path, file.problem)
    try:
        text = None if file.data is None else file.data.decode("utf-8")
    except UnicodeDecodeError:
        raise unusable(home / path, "is not UTF-8") from None
    record = _record(stored, section)
    return kind(home, path, file, text, place, section, stored, record, *more)


def _record(data: bytes | None, section: str) -> Record | None:
    """The record; None when it is malformed: the agent can write this file."""
    try:
        raw = load_object(data or b"")
        before, after = raw[section]["before"], raw[section]["after"]
    except (Malformed, KeyError, TypeError):
        return None
    is_one = isinstance(before, str | None) and isinstance(after, str) and raw.get("v") == 1
    return Record(before, after, raw) if is_one else None


def read_file(home: Path, top: int, path: str) -> bytes | None:
    """A file of a home; None where there is none. Raises BadInput for an unreadable one."""
    *parts, name = path.split("/")
    try:
        with directory_beneath(Kernel(), top, tuple(parts)) as directory:
            file = read_place(NameIn(directory, name))
    except FileNotFoundError:
        return None
    except OSError as error:
        file = FileRead(problem=explain(error))
    if file.problem is not None:
        raise unusable(home / path, file.problem)
    return file.data


def has_more(home: Path, agent: str) -> bool:
    """Whether our folder in a home has more than this agent's part: then Git has to ignore it."""
    ours = home / OURS
    return ours.is_dir() and any(path.name not in (agent, ".gitignore") for path in ours.iterdir())


def what_stays(home: Path, changes: Sequence[FileChange]) -> Iterator[str]:
    """The sentence on our folder in a home, where it has more than these changes remove."""
    removed = {home / change.path for change in changes if change.after is None}
    if any(path not in removed for path in (home / OURS).rglob("*") if not path.is_dir()):
        yield (
            f"{OURS}/ stays: the mark by which `undo` knows this home, and what waits or was"
            " rejected. Delete it once nothing of that is needed."
        )


def is_program(path: object) -> bool:
    """Whether settings name a program that can be started."""
    return bool(path_text(path)) and os.access(path_text(path), os.X_OK)


def unusable(path: Path, problem: str) -> BadInput:
    """The error for a file or a folder that cannot be used."""
    return BadInput(f"{path} {problem}.", hint="Nothing was changed.")


def sum_of(data: bytes) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def json_bytes(value: object) -> bytes:
    """A value as a JSON file."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def apply(plan: HomePlan, probe: Probe = lambda _: None) -> None:
    """Applies the plan. After a kill at any step, the same command can be run again.

    Raises StaleBase for a file that changed since it was planned, Busy, HomeReadOnly, WriteFailed.
    """
    steps = Steps(Kernel(), probe)
    with open_directory(plan.home) as top:
        lock_directory(str(plan.home), top)
        steps.remove(NameIn(top, TEMPORARY))
        for change in plan.changes:
            with translate_errors(f"{plan.home}/{change.path}"):
                _change(steps, top, change)
        for folder in plan.folders:
            parts = tuple(folder.split("/"))
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                directory_beneath(steps.kernel, top, parts) as directory,
            ):
                steps.remove(NameIn(directory, TEMPORARY))
                if plan.programs and folder.startswith(plan.programs):
                    steps.remove_tree(NameIn(directory, CACHE))
            prune(steps, top, [parts])


def _change(steps: Steps, top: int, change: FileChange) -> None:
    *parts, name = change.path.split("/")
    if change.after is not None:
        make_directories(steps, top, parts, _OWN_FOLDER if parts[:1] == [OURS] else None)
    with directory_beneath(steps.kernel, top, tuple(parts)) as directory:
        place, temporary = NameIn(directory, name), NameIn(directory, TEMPORARY)
        live = read_place(place)
        _compare(change, live)
        steps.remove(temporary)
        if change.after is None:
            steps.rename_new(place, temporary)
        else:
            owner = owner_of(directory, live)
            steps.write_file(temporary, change.after, change.mode, owner)
            try:
                if change.before is None:
                    steps.rename_new(temporary, place)
                    return
                if not steps.exchange(temporary, place):
                    steps.replace(temporary, place)
                    return
            except OSError:
                if read_place(temporary).data == change.after:
                    steps.remove(temporary)
                raise
        try:
            _compare(change, read_place(temporary))
        except StaleBase:
            _give_back(steps, top, change, place, temporary)
            raise
        steps.remove(temporary)
        steps.sync(place.directory)


def _give_back(
    steps: Steps, top: int, change: FileChange, place: NameIn, temporary: NameIn
) -> None:
    """Restores another program's text; of two such texts the later stays, the earlier is parked."""
    if change.after is None:
        with suppress(FileExistsError):
            steps.rename_new(temporary, place)
            return
    elif steps.exchange(temporary, place):
        if read_place(temporary).data == change.after:
            steps.remove(temporary)
            return
        steps.exchange(temporary, place)
    Folder(steps, top, _BATCH).park(temporary, change.path)


def _compare(change: FileChange, live: FileRead) -> None:
    if live.problem is not None or live.data != change.before:
        raise StaleBase(
            f"{change.path} changed while this was being shown.",
            path=change.path,
            hint="What came before it is done. Run the same command again.",
        )
