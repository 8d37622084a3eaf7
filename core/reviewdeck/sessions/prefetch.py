"""Computing the next answer in the background, and dropping it when it is not needed any more.

Used for an agent's recall for the next turn, and by the deck for the next proposal. A question
belongs to a generation; `forget` ends the generation, and late answers to its questions are
dropped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

BOUND: Final = 3.0
"""Seconds for which `forget` waits for the answer in progress."""

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Forgetful(Protocol):
    """A cache that is emptied when the agent switches sessions."""

    def forget(self) -> bool:
        """Drops all questions; False if one is still being worked on."""


@dataclass(slots=True)
class _Job(Generic[Question, Answer]):
    """One question of one generation."""

    generation: int
    question: Question
    is_done: threading.Event
    answer: Answer | None = None


class Prefetch(Generic[Question, Answer]):
    """One question ahead: the newest is worked on, in a thread of its own."""

    def __init__(self, work: Callable[[Question], Answer], *, bound: float = BOUND) -> None:
        self._work = work
        self._bound = bound
        self._lock = threading.Lock()
        self._generation = 0
        self._job: _Job[Question, Answer] | None = None
        self._next: Question | None = None
        self._is_closed = False

    def ask(self, question: Question) -> None:
        """Starts on a question, or queues it behind the one in progress. Returns at once."""
        with self._lock:
            job = self._job
            if self._is_closed or (job is not None and job.question == question):
                return
            if job is not None and not job.is_done.is_set():
                self._next = question
                return
            self._start(question)

    def take(self, question: Question, wait: float = 0.0) -> Answer | None:
        """The answer to a question, once; None if it is not ready within `wait` seconds."""
        with self._lock:
            job = self._job
        if job is None or job.question != question or not job.is_done.wait(wait):
            return None
        with self._lock:
            if job is not self._job:
                return None  # Forgotten while we waited.
            self._job = None
            return job.answer

    def forget(self, bound: float | None = None) -> bool:
        """Ends the generation: waits up to `bound` seconds for the job in progress and drops it.

        False if the job is not done by then. It may go on; its answer is dropped too.
        """
        with self._lock:
            job, self._job, self._next = self._job, None, None
            self._generation += 1
        return job is None or job.is_done.wait(self._bound if bound is None else bound)

    def close(self) -> bool:
        """Forgets everything and takes no more questions."""
        with self._lock:
            self._is_closed = True
        return self.forget()

    def _start(self, question: Question) -> None:
        self._next = None
        job = _Job[Question, Answer](self._generation, question, threading.Event())
        thread = threading.Thread(target=self._run, args=(job,), name="prefetch", daemon=True)
        with suppress(RuntimeError):  # No more threads: then nothing is prefetched.
            thread.start()
            self._job = job

    def _run(self, job: _Job[Question, Answer]) -> None:
        try:
            answer: Answer | None = self._work(job.question)
        except Exception:  # noqa: BLE001 - a caller that needs the answer computes it and gets the error
            answer = None
        with self._lock:
            is_wanted = job.generation == self._generation
            # A late answer is not even kept in memory.
            job.answer = answer if is_wanted else None
            job.is_done.set()
            if is_wanted and self._next is not None:
                self._start(self._next)
