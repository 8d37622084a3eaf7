"""Writing below a folder: every write a compare-and-swap on content, under a lock of ours.

An agent that takes no lock, and an editor that writes in place, may still lose a race of
microseconds between the look at a document and the rename.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

from reviewdeck.homes.batch import Batch, compare, documents_of, holds, settle
from reviewdeck.homes.files import directory_beneath, opened, read_document
from reviewdeck.homes.folder import NAME, Folder, checked, make_home
from reviewdeck.homes.locks import held
from reviewdeck.homes.pending import end_retiring, left_aside, retire
from reviewdeck.homes.steps import Steps, refusals
from reviewdeck.homes.syscalls import Kernel, NameIn
from reviewdeck.model.documents import Document
from reviewdeck.model.plans import Change, Effect
from reviewdeck.model.proposals import Proposal
from reviewdeck.ports import Probe, Rescued

LOCK = "write.lock"


def no_probe(step: str) -> None:
    """The probe of a writer that nobody is testing."""


def forgotten(inverse: tuple[Effect, ...]) -> None:
    """Keeps nothing: for a writer that nobody ever takes anything back with."""


def _never(path: str) -> bool:
    return False


class FolderWriter:
    """One home that is a folder, for writing. Implements `HomeWriter`."""

    def __init__(
        self,
        root: Path,
        *,
        pending: Collection[str] = (),
        follows: Callable[[str], bool] = _never,
        probe: Probe = no_probe,
        lock_wait: float = 10.0,
        kernel: Kernel | None = None,
        mark: str = "",
    ) -> None:
        """`pending` are the folders of its records; `follows` says what may be behind a link."""
        self._root = Path(os.path.realpath(root))
        self._pending = pending
        self._follows = follows
        self._kernel = Kernel() if kernel is None else kernel
        self._steps = Steps(self._kernel, probe)
        self._wait = lock_wait
        self._mark = mark

    @contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """Holds our lock: these agents take none. Raises Busy, HomeReadOnly."""
        with ExitStack() as stack:
            with refusals(str(self._root)):
                home = stack.enter_context(opened(self._root))
                make_home(self._steps, home, self._mark)
                beneath = directory_beneath(self._kernel, home, (NAME,))
                place = NameIn(stack.enter_context(beneath), LOCK)
                stack.enter_context(held([("documents", place)], self._wait))
            yield

    def read(self, path: str) -> Document:
        """The document as it is on disk at this moment; a reason not to touch it is its problem."""
        return read_document(self._root, path, follow=self._follows(path), kernel=self._kernel)

    def write(self, changes: Sequence[Change], token: str) -> None:
        """Puts these changes on disk: trees first, then documents, deletes last.

        Raises StaleBase before anything is touched when a document is neither what it was nor
        what it becomes; after that only when somebody writes in between.
        """
        checked(token)
        if not changes:
            return
        changes = self.prepared(changes)
        compare(self._kernel, self._root, changes, self._follows)
        self.put(changes, token)

    def prepared(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes as they are written."""
        return changes

    def put(self, changes: Sequence[Change], token: str) -> None:
        """Writes what was compared."""
        with refusals(str(self._root)), opened(self._root) as home:
            make_home(self._steps, home, self._mark)
            Batch(self._root, Folder(self._steps, home, token), self._follows).write(changes)

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
            return Batch(self._root, folder, self._follows).has_displaced(change)

    def settle(self, token: str) -> tuple[Rescued, ...]:
        """Removes what `write` displaced; what changed meanwhile is given back, and kept too."""
        with refusals(str(self._root)), opened(self._root) as home:
            folder = Folder(self._steps, home, token)
            Batch(self._root, folder, self._follows).collect(documents_of(folder))
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
            return retire(self._steps, home, records, self._pending)

    def is_retiring(self) -> bool:
        """Whether a record is on its way out of the pending folder, or was left on it."""
        with refusals(str(self._root)), opened(self._root) as home:
            return bool(left_aside(self._steps, home))

    def end_retiring(self, decided: Iterable[tuple[str, str]]) -> None:
        """Takes away what was left on its way out and is one of these; the rest goes back."""
        with refusals(str(self._root)), opened(self._root) as home:
            end_retiring(self._steps, home, decided, self._pending)

    def tell_rejection(self, proposal: Proposal, reason: str, at: datetime) -> None:
        """These agents are not told."""

    def apply_effects(
        self,
        effects: Sequence[Effect],
        now: datetime,
        keep: Callable[[tuple[Effect, ...]], None] = forgotten,
    ) -> tuple[Effect, ...]:
        """There is no bookkeeping of the agent's own to do."""
        return ()

    def repeat_effects(self, inverse: Sequence[Effect]) -> None:
        """There is none to repeat."""
