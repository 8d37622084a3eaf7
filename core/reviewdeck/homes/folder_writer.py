"""Writes below a folder: each one a compare-and-swap on content, under a lock of ours.

An agent that takes no lock, or an editor that writes in place, may still lose a race of
microseconds between the comparison and the rename.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from reviewdeck.files.batch import Batch, compare, empty_trash, holds, written_paths
from reviewdeck.files.folder import NAME, Folder, check_token, make_own_folder
from reviewdeck.files.locks import hold_locks
from reviewdeck.files.reads import directory_beneath, open_directory, read_document
from reviewdeck.files.steps import Steps, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.pending import end_retiring, retire
from reviewdeck.homes.refusals import add_rejected, put_pause, remove_rejected
from reviewdeck.model.documents import Document
from reviewdeck.model.plans import Change, Effect
from reviewdeck.model.proposals import Proposal
from reviewdeck.ports import ForeignBytes, Probe, no_probe

LOCK = "write.lock"


def discard_inverse(inverse: tuple[Effect, ...]) -> None:
    """Keeps nothing: for a writer that is never asked to undo."""


class FolderWriter:
    """One home that is a folder, for writing. Implements `HomeWriter`."""

    new_mode: ClassVar[int | None] = None
    """The mode that the agent gives a new file; None for the usual one."""

    def __init__(
        self,
        root: Path,
        *,
        pending: Collection[str] = (),
        follows: Callable[[str], bool] = lambda path: False,
        probe: Probe = no_probe,
        lock_wait: float = 10.0,
        kernel: Kernel | None = None,
        mark: str = "",
    ) -> None:
        """`pending` names the folders of records; `follows` says which paths may be links."""
        self._root = Path(os.path.realpath(root))
        self._pending = pending
        self._follows = follows
        self._kernel = Kernel() if kernel is None else kernel
        self._steps = Steps(self._kernel, probe)
        self._quiet_steps = Steps(self._kernel, no_probe)
        """For notes that may be lost in a crash: the ledger has what they say."""
        self._wait = lock_wait
        self._mark = mark

    @contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """Holds our lock; these agents have none of their own. Raises Busy, HomeReadOnly."""
        with ExitStack() as stack:
            with translate_errors(str(self._root)):
                home = stack.enter_context(open_directory(self._root))
                make_own_folder(self._steps, home, self._mark)
                beneath = directory_beneath(self._kernel, home, (NAME,))
                place = NameIn(stack.enter_context(beneath), LOCK)
                stack.enter_context(hold_locks([("documents", place)], self._wait))
            yield

    def read(self, path: str) -> Document:
        """The document as it is on disk now; its `problem` is a reason not to touch it."""
        return read_document(self._root, path, follow=self._follows(path), kernel=self._kernel)

    def write(self, changes: Sequence[Change], token: str) -> None:
        """Writes these changes: trees first, then documents, deletes last.

        Raises StaleBase before anything is touched when a document is neither the before-image
        nor the after-image; later only when another program writes in between.
        """
        check_token(token)
        if not changes:
            return
        changes = self.prepared(changes)
        compare(self._kernel, self._root, changes, self._follows)
        self.write_compared(changes, token)

    def prepared(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes with the modes that the agent would give; a subclass may adjust them."""
        if self.new_mode is None:
            return changes
        return [
            replace(change, mode=self.new_mode)
            if change.before is None and change.mode is None
            else change
            for change in changes
        ]

    def write_compared(self, changes: Sequence[Change], token: str) -> None:
        """Writes changes that have been compared."""
        with translate_errors(str(self._root)), open_directory(self._root) as home:
            make_own_folder(self._steps, home, self._mark)
            Batch(self._root, Folder(self._steps, home, token), self._follows).write(changes)

    def has_landed(self, change: Change, token: str) -> bool:
        """Whether this change was on disk under this token at some time, whatever is there now.

        True when its before-image lies in the trash and no undo of it has begun.
        """
        if change.before is None or change.after is None:
            return False
        with translate_errors(str(self._root)), open_directory(self._root) as home:
            if holds(Folder(self._steps, home, f"{token}-back"), change.path):
                return False
            folder = Folder(self._steps, home, token)
            return Batch(self._root, folder, self._follows).has_displaced(change)

    def settle(self, token: str) -> tuple[ForeignBytes, ...]:
        """Removes what `write` displaced; content that the ledger lacks is returned and kept."""
        with translate_errors(str(self._root)), open_directory(self._root) as home:
            folder = Folder(self._steps, home, token)
            Batch(self._root, folder, self._follows).collect(written_paths(folder))
            return empty_trash(folder)

    def retire(self, records: Sequence[tuple[str, str]]) -> list[bool]:
        """Removes pending records, each a source with the SHA-256 that its content has still."""
        if not records:
            return []
        with translate_errors(records[0][0]), open_directory(self._root) as home:
            make_own_folder(self._steps, home, self._mark)
            return retire(self._steps, home, records, self._pending)

    def end_retiring(self, decided: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """Finishes interrupted removals: decided records go, all others return to their place."""
        with translate_errors(str(self._root)), open_directory(self._root) as home:
            end_retiring(self._steps, home, decided, self._pending)

    def note_pause(self, by: str) -> None:
        """Notes who paused automatic additions; with an empty name, that nobody did."""
        put_pause(self._quiet_steps, self._root, self._mark, by)

    def note_rejected(self, digests: Collection[str], *, taken_back: bool = False) -> None:
        if taken_back and digests:
            remove_rejected(self._quiet_steps, self._root, digests)
        elif digests:
            add_rejected(self._quiet_steps, self._root, self._mark, digests)

    def notify_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """Does nothing: these agents take no notice of a rejection."""

    def apply_effects(
        self,
        effects: Sequence[Effect],
        now: datetime,
        keep: Callable[[tuple[Effect, ...]], None] = discard_inverse,
    ) -> tuple[Effect, ...]:
        """Does nothing: these agents keep no records of their own."""
        return ()

    def repeat_effects(self, inverse: Sequence[Effect]) -> None:
        """Does nothing: see `apply_effects`."""
