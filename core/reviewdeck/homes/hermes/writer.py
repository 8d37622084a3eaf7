"""Writes to a Hermes home: each one a compare-and-swap, under the locks that Hermes takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from reviewdeck.clock import utc_now
from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.folder import NAME, make_directories, make_own_folder
from reviewdeck.files.locks import hold_locks
from reviewdeck.files.reads import directory_beneath, open_directory, parts_of
from reviewdeck.files.steps import translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.folder_writer import FolderWriter, discard_inverse
from reviewdeck.homes.hermes import bookkeeping
from reviewdeck.homes.hermes.bookkeeping import CuratorLedger
from reviewdeck.homes.hermes.layout import skill_directories
from reviewdeck.homes.hermes.stamps import PENDING
from reviewdeck.homes.hermes.traits import LOCKS, has_skill_locks, is_later_home, skill_lock_name
from reviewdeck.model.plans import Change, Effect
from reviewdeck.ports import Clock, Probe, no_probe

SKILLS_LOCK = "skills.lock"

LATER_SKILL_MODE = 0o644
"""The mode that later versions give a new file of a skill."""


def is_memory(path: str) -> bool:
    """Whether this is a memory document, which may be reached through a link."""
    return path.startswith("memories/")


class HermesWriter(FolderWriter):
    """One Hermes home, for writing. Implements `HomeWriter`."""

    def __init__(
        self,
        root: Path,
        *,
        probe: Probe = no_probe,
        lock_wait: float = 10.0,
        kernel: Kernel | None = None,
        clock: Clock = utc_now,
        mark: str = "",
    ) -> None:
        super().__init__(
            root,
            pending=PENDING,
            follows=is_memory,
            probe=probe,
            lock_wait=lock_wait,
            kernel=kernel,
            mark=mark,
        )
        self._clock = clock

    @contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """Holds Hermes' lock of each memory document, then ours for all others.

        The locks of skills, which later versions take, come last. Raises Busy, HomeReadOnly.
        """
        with ExitStack() as stack:
            with translate_errors(str(self._root)):
                home = stack.enter_context(open_directory(self._root))
                places = [
                    self._memory_lock(stack, home, path)
                    for path in sorted(filter(is_memory, set(paths)))
                ]
                if not all(is_memory(path) for path in paths):
                    places.append(self._skills_lock(stack, home))
                    places += self._skill_locks(stack, home, paths)
                stack.enter_context(hold_locks(places, self._wait))
            yield

    def _memory_lock(self, stack: ExitStack, home: int, path: str) -> tuple[str, NameIn]:
        """Hermes' lock file: beside the document's own name, even when that is a link."""
        parts = parts_of(path)
        if not (self._root / parts[0]).exists():
            make_directories(self._steps, home, parts[:-1])
        directory = (self._root / path).parent.resolve()
        top = stack.enter_context(open_directory(Path("/")))
        beside = directory_beneath(self._kernel, top, directory.parts[1:])
        return path, NameIn(stack.enter_context(beside), f"{parts[-1]}.lock")

    def _skills_lock(self, stack: ExitStack, home: int) -> tuple[str, NameIn]:
        make_own_folder(self._steps, home, self._mark)
        directory = stack.enter_context(directory_beneath(self._kernel, home, (NAME,)))
        return "skills", NameIn(directory, SKILLS_LOCK)

    def _skill_locks(
        self, stack: ExitStack, home: int, paths: Sequence[str]
    ) -> list[tuple[str, NameIn]]:
        """Hermes' own lock of each skill, in the order of their file names, as Hermes does."""
        if not has_skill_locks(self._root):
            return []
        directories = skill_directories(self._root, paths)
        names = (directory.rpartition("/")[2] for directory in directories)
        by_file = {skill_lock_name(name): name for name in names}
        beneath = directory_beneath(self._kernel, home, tuple(LOCKS.split("/")))
        locks = stack.enter_context(beneath)
        return [(f"the skill {by_file[file]!r}", NameIn(locks, file)) for file in sorted(by_file)]

    def write_compared(self, changes: Sequence[Change], token: str) -> None:
        """Writes changes that have been compared, and Hermes' records of them."""
        try:
            super().write_compared(changes, token)
        except ReviewdeckError:
            self._note([change for change in changes if self._is_live(change)])
            raise
        if not all(is_memory(change.path) for change in changes):
            with translate_errors(bookkeeping.SNAPSHOT):
                bookkeeping.refresh_prompt(self._root, self._steps)
            self._note(changes)

    def _note(self, changes: Sequence[Change]) -> None:
        CuratorLedger(self._root, self._steps).note(changes, self._clock())

    def _is_live(self, change: Change) -> bool:
        live = self.read(change.path)
        return live.problem is None and live.data == change.after

    def prepared(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes with the mode that this version of Hermes gives new files of a skill."""
        if not is_later_home(self._root):
            return changes
        return tuple(
            replace(change, mode=LATER_SKILL_MODE)
            if change.before is None and change.mode is None and not is_memory(change.path)
            else change
            for change in changes
        )

    def apply_effects(
        self, effects: Sequence[Effect], now: datetime, keep: bookkeeping.Keep = discard_inverse
    ) -> tuple[Effect, ...]:
        """Updates Hermes' records of changed skills; returns the effects that undo it."""
        with translate_errors(f"skills/{bookkeeping.USAGE}"):
            return bookkeeping.apply_effects(
                self._root, self._steps, effects, now, self._wait, keep
            )

    def repeat_effects(self, inverse: Sequence[Effect]) -> None:
        """Completes interrupted updates of Hermes' records; repeats nothing."""
        with translate_errors(f"skills/{bookkeeping.USAGE}"):
            bookkeeping.repeat_effects(self._root, self._steps, inverse, self._wait)
