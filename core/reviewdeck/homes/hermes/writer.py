"""Writing to a Hermes home: every write a compare-and-swap, under the locks that Hermes takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from reviewdeck.clock import utc_now
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.batch import Batch, compare, documents_of, holds, settle
from reviewdeck.homes.files import directory_beneath, opened, parts_of, read_document
from reviewdeck.homes.folder import NAME, Folder, checked, ensure, make_home
from reviewdeck.homes.hermes import bookkeeping
from reviewdeck.homes.hermes.bookkeeping import CuratorLedger
from reviewdeck.homes.hermes.layout import skill_directories
from reviewdeck.homes.hermes.records import end_retiring, left_aside, retire
from reviewdeck.homes.hermes.traits import LOCKS, has_skill_locks, is_later_home, skill_lock_name
from reviewdeck.homes.locks import held
from reviewdeck.homes.steps import Steps, refusals
from reviewdeck.homes.syscalls import Kernel, NameIn, describe_weakness
from reviewdeck.model.documents import Document
from reviewdeck.model.plans import Change, Effect
from reviewdeck.ports import Clock, Probe, Rescued

SKILLS_LOCK = "skills.lock"

LATER_SKILL_MODE = 0o644
"""What later versions give a new file of a skill."""


def _nothing(step: str) -> None:
    """The probe of a writer that nobody is testing."""


def _forgotten(inverse: tuple[Effect, ...]) -> None:
    """Keeps nothing: for a writer that nobody ever takes anything back with."""


def is_memory(path: str) -> bool:
    """Whether this is a memory document: those may be reached through a link."""
    return path.startswith("memories/")


def _last_part(path: str) -> str:
    return path.rpartition("/")[2]


class HermesWriter:
    """One Hermes home, for writing. Implements `HomeWriter`."""

    def __init__(
        self,
        root: Path,
        *,
        probe: Probe = _nothing,
        lock_wait: float = 10.0,
        kernel: Kernel | None = None,
        clock: Clock = utc_now,
        mark: str = "",
    ) -> None:
        self._root = Path(os.path.realpath(root))
        self._kernel = Kernel() if kernel is None else kernel
        self._steps = Steps(self._kernel, probe)
        self._wait = lock_wait
        self._clock = clock
        self._mark = mark

    def weaker_guarantee(self) -> str | None:
        """What is not promised on this system, in one sentence, or None."""
        return describe_weakness(self._kernel.weaker)

    @contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """Holds Hermes' lock of each memory document, then ours for anything else.

        Where a later version takes a lock for each skill, those come last.

        Raises Busy, HomeReadOnly.
        """
        with ExitStack() as stack:
            with refusals(str(self._root)):
                home = stack.enter_context(opened(self._root))
                places = [
                    self._memory_lock(stack, home, path)
                    for path in sorted(filter(is_memory, set(paths)))
                ]
                if not all(is_memory(path) for path in paths):
                    places.append(self._skills_lock(stack, home))
                    places += self._skill_locks(stack, home, paths)
                stack.enter_context(held(places, self._wait))
            yield

    def _memory_lock(self, stack: ExitStack, home: int, path: str) -> tuple[str, NameIn]:
        """Next to the name that Hermes uses, even when that is a link to somewhere else."""
        parts = parts_of(path)
        if not (self._root / parts[0]).exists():
            ensure(self._steps, home, parts[:-1])
        directory = (self._root / path).parent.resolve()
        top = stack.enter_context(opened(Path("/")))
        beside = directory_beneath(self._kernel, top, directory.parts[1:])
        return path, NameIn(stack.enter_context(beside), f"{parts[-1]}.lock")

    def _skills_lock(self, stack: ExitStack, home: int) -> tuple[str, NameIn]:
        make_home(self._steps, home, self._mark)
        directory = stack.enter_context(directory_beneath(self._kernel, home, (NAME,)))
        return "skills", NameIn(directory, SKILLS_LOCK)

    def _skill_locks(
        self, stack: ExitStack, home: int, paths: Sequence[str]
    ) -> list[tuple[str, NameIn]]:
        """Hermes' own lock of each skill, in the order of their files, as Hermes takes them."""
        if not has_skill_locks(self._root):
            return []
        directories = skill_directories(self._root, paths)
        named = {skill_lock_name(name): name for name in map(_last_part, directories)}
        beneath = directory_beneath(self._kernel, home, tuple(LOCKS.split("/")))
        locks = stack.enter_context(beneath)
        return [(f"the skill {named[file]!r}", NameIn(locks, file)) for file in sorted(named)]

    def read(self, path: str) -> Document:
        """The document as it is on disk at this moment; a reason not to touch it is its problem."""
        return read_document(self._root, path, follow=is_memory(path), kernel=self._kernel)

    def write(self, changes: Sequence[Change], token: str) -> None:
        """Puts these changes on disk: trees first, then documents, deletes last.

        Raises StaleBase before anything is touched when a document is neither what it was nor
        what it becomes; after that only when somebody writes in between.
        """
        checked(token)
        if not changes:
            return
        changes = self._with_modes(changes)
        compare(self._kernel, self._root, changes, is_memory)
        with refusals(str(self._root)), opened(self._root) as home:
            make_home(self._steps, home, self._mark)
            try:
                Batch(self._root, Folder(self._steps, home, token), is_memory).write(changes)
            except ReviewdeckError:
                self._note([change for change in changes if self._is_live(change)])
                raise
        if not all(is_memory(change.path) for change in changes):
            with refusals(bookkeeping.SNAPSHOT):
                bookkeeping.refresh_prompt(self._root, self._steps)
            self._note(changes)

    def _note(self, changes: Sequence[Change]) -> None:
        CuratorLedger(self._root, self._steps).note(changes, self._clock())

    def _is_live(self, change: Change) -> bool:
        live = self.read(change.path)
        return live.problem is None and live.data == change.after

    def _with_modes(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """New files of a skill are as open as the Hermes that works here makes them."""
        if not is_later_home(self._root):
            return tuple(changes)
        return tuple(
            replace(change, mode=LATER_SKILL_MODE)
            if change.before is None and change.mode is None and not is_memory(change.path)
            else change
            for change in changes
        )

    def has_landed(self, change: Change, token: str) -> bool:
        """Whether this was on disk under this token, whatever is there now.

        What it displaced says so, and that nothing began to put it back.
        """
        if change.before is None or change.after is None:
            return False
        with refusals(str(self._root)), opened(self._root) as home:
            if holds(Folder(self._steps, home, f"{token}-back"), change.path):
                return False
            folder = Folder(self._steps, home, token)
            return Batch(self._root, folder, is_memory).has_displaced(change)

    def settle(self, token: str) -> tuple[Rescued, ...]:
        """Removes what `write` displaced; what changed meanwhile is given back, and kept too."""
        with refusals(str(self._root)), opened(self._root) as home:
            folder = Folder(self._steps, home, token)
            Batch(self._root, folder, is_memory).collect(documents_of(folder))
            return settle(folder)

    def retire(self, source: str, payload_sha: str) -> bool:
        """Takes a pending record away if its content is still this one; says whether it did."""
        return self.retire_all([(source, payload_sha)])[0]

    def retire_all(self, records: Sequence[tuple[str, str]]) -> list[bool]:
        """The same for several, each a source with the SHA-256 of its content."""
        if not records:
            return []
        with refusals(records[0][0]), opened(self._root) as home:
            make_home(self._steps, home, self._mark)
            return retire(self._steps, home, records)

    def is_retiring(self) -> bool:
        """Whether a record is on its way out of the pending folder, or was left on it."""
        with refusals(str(self._root)), opened(self._root) as home:
            return bool(left_aside(self._steps, home))

    def end_retiring(self, decided: Iterable[tuple[str, str]]) -> None:
        """Takes away what was left on its way out and is one of these; the rest goes back."""
        with refusals(str(self._root)), opened(self._root) as home:
            end_retiring(self._steps, home, decided)

    def apply_effects(
        self, effects: Sequence[Effect], now: datetime, keep: bookkeeping.Keep = _forgotten
    ) -> tuple[Effect, ...]:
        """Does Hermes' bookkeeping for changed skills; gives back what would undo it."""
        with refusals(f"skills/{bookkeeping.USAGE}"):
            return bookkeeping.apply_effects(
                self._root, self._steps, effects, now, self._wait, keep
            )

    def repeat_effects(self, inverse: Sequence[Effect]) -> None:
        """Makes sure of bookkeeping that was begun: what is done already is not done again."""
        with refusals(f"skills/{bookkeeping.USAGE}"):
            bookkeeping.repeat_effects(self._root, self._steps, inverse, self._wait)
