"""A review's own notes in the working memory: how far it is, and what it did by the way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.reviewer.conversing import Ending, Progress, Watch
from reviewdeck.working import Scope, Storage, TaskState, WorkingMemory
from reviewdeck.working.memory import peek_task

RUNNING: Final = "running"
SILENT: Final = timedelta(minutes=15)
"""A review that said nothing for so long has died: no request may take longer."""


def scope_of(home: str) -> Scope:
    """Where the review of a home keeps its notes."""
    project = hashlib.sha256(home.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Scope("review", agent="reviewer", project=project)


class Notebook:
    """What a review writes down while it runs. Losing it costs nothing: it is told, not needed."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    def begin(self, session: str) -> None:
        """A review begins."""
        with suppress(ReviewdeckError):
            self._memory.clear_notes()
            self._memory.set_task(f"review of session {session}" if session else "review")

    def watched(self, watch: Watch) -> Watch:
        """The same watch, with each step written down."""

        def step(progress: Progress) -> None:
            self._note(progress)
            watch(progress)

        return step

    def end(self, ending: Ending) -> None:
        """The review has ended, however it did."""
        with suppress(ReviewdeckError):
            self._memory.update_task(100.0, step="", status=ending.value)

    def _note(self, progress: Progress) -> None:
        with suppress(ReviewdeckError):
            share = 100.0 * progress.iteration / max(1, progress.limit)
            said = f"answer {progress.iteration} of at most {progress.limit}: {progress.event}"
            self._memory.update_task(share, step=said)
            self._memory.note([progress.event, progress.detail])


def open_notebook(storage: Storage, home: str, now: Callable[[], datetime]) -> Notebook | None:
    """The notebook of a home's reviews; None when its storage refuses."""
    try:
        return Notebook(WorkingMemory(scope_of(home), storage, now=now, most_notes=200))
    except ReviewdeckError:
        return None


def running_review(storage: Storage, home: str, now: datetime) -> TaskState | None:
    """The review of a home that runs just now, as far as its notes tell. Changes nothing.

    Raises StorageUnavailable.
    """
    task = peek_task(storage, scope_of(home))
    if task is None or task.status != RUNNING or now - task.updated_at > SILENT:
        return None
    return task
