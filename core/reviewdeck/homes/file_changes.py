"""The file changes of an installation, and applying them: each file is compared first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewdeck.errors import StaleBase
from reviewdeck.files.folder import make_directories, prune
from reviewdeck.files.locks import lock_directory
from reviewdeck.files.reads import OURS, FileRead, directory_beneath, open_directory, read_place
from reviewdeck.files.steps import Steps, owner_of, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.ports import Probe

TEMPORARY: Final = ".reviewdeck-install.tmp"
"""The name under which a new file is written before it is renamed into place."""
CACHE: Final = "__pycache__"
"""Python's folder of compiled modules."""
_OWN_FOLDER: Final = 0o700


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
            if change.before is None:
                steps.rename_new(temporary, place)
                return
            if not steps.exchange(temporary, place):
                steps.replace(temporary, place)
                return
        _end_swap(steps, change, place, temporary)


def _end_swap(steps: Steps, change: FileChange, place: NameIn, temporary: NameIn) -> None:
    """Removes the displaced file if it is the one that was planned; else gives it back."""
    displaced = read_place(temporary)
    try:
        _compare(change, displaced)
    except StaleBase:
        if change.after is None:
            with suppress(FileExistsError):
                steps.rename_new(temporary, place)
        elif steps.exchange(temporary, place):
            steps.remove(temporary)
        raise
    steps.remove(temporary)
    steps.sync(place.directory)


def _compare(change: FileChange, live: FileRead) -> None:
    if live.problem is not None or live.data != change.before:
        raise StaleBase(
            f"{change.path} changed while this was being shown.",
            path=change.path,
            hint="What came before it is done. Run the same command again.",
        )
