"""The exchange of a review with a model: requests, retries, tool calls, and every way it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from reviewdeck.reviewer.dispatch import Handled, Toolbox
from reviewdeck.reviewer.models import (
    Answer,
    Cancel,
    Failure,
    FailureKind,
    Model,
    Reply,
    Request,
)
from reviewdeck.reviewer.values import Json, Result, Said, Usage
from reviewdeck.reviewer.wire import write


class Ending(StrEnum):
    """How a review ended."""

    DONE = "done"
    ITERATIONS = "iteration-limit"
    TOKENS = "token-limit"
    TIME = "time-limit"
    EMPTY = "empty-answer"
    MALFORMED = "malformed-arguments"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a review goes."""

    iterations: int = 16
    """Answers of the model."""
    input_tokens: int = 600_000
    """Over all requests together."""
    seconds: float = 900.0
    """For the whole of it."""
    attempts: int = 3
    """How often one request is sent before it is given up."""
    backoff: float = 1.0
    """Seconds before the second attempt, doubled with each one, where no provider says how many."""
    longest_wait: float = 60.0
    """A provider that asks for more seconds than these is not waited for."""
    proposals: int = 40
    """What one review stages at most."""
    malformed: int = 3
    """Calls in a row whose arguments are no JSON, after which it ends."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a review is, for whoever watches."""

    iteration: int
    limit: int
    event: str
    """`asking`, `waiting`, or the name of a tool."""
    detail: str = ""
    usage: Usage = field(default_factory=Usage)


Watch: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What came of an exchange."""

    ending: Ending
    messages: tuple[Json, ...]
    """What was said in it: answers and tool results, in the form of the model."""
    handled: tuple[Handled, ...] = ()
    iterations: int = 0
    usage: Usage = field(default_factory=Usage)
    last_words: str = ""
    failure: Failure | None = None


CHARACTERS_A_TOKEN = 4
"""For an estimate before a provider has counted."""


def estimated_tokens(request: Request) -> int:
    """Roughly how many tokens a request takes."""
    parts = (request.system, list(request.tools), list(request.messages))
    return len(json.dumps(parts, ensure_ascii=False, default=str)) // CHARACTERS_A_TOKEN


class Exchange:
    """One review's talk with one model."""

    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        limits: Limits,
        cancel: Cancel,
        watch: Watch,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._limits = limits
        self._cancel = cancel
        self._watch = watch
        self._clock = clock
        self._deadline = clock() + limits.seconds
        self._said: list[Json] = []
        self._handled: list[Handled] = []
        self._usage = Usage()
        self._iterations = 0
        self._malformed = 0
        self._words = ""

    def run(self, request: Request) -> Spoken:
        """Asks, runs what is called, asks again, until there is an end."""
        while True:
            if (ending := self._limit(request)) is not None:
                return self._ended(ending)
            self._iterations += 1
            answer = self._ask(request)
            if isinstance(answer, Failure):
                cancelled = answer.kind is FailureKind.CANCELLED
                return self._ended(Ending.CANCELLED if cancelled else Ending.FAILED, answer)
            self._take(answer)
            if not answer.calls:
                return self._ended(self._last(answer))
            results = self._run_calls(answer)
            if results is None:
                return self._ended(Ending.CANCELLED)
            self._said += results
            if self._malformed >= self._limits.malformed:
                return self._ended(Ending.MALFORMED)
            request = replace(request, messages=(*request.messages, answer.message, *results))

    def _limit(self, request: Request) -> Ending | None:
        if self._cancel.is_set:
            return Ending.CANCELLED
        if self._iterations >= self._limits.iterations:
            return Ending.ITERATIONS
        if self._usage.input + estimated_tokens(request) > self._limits.input_tokens:
            return Ending.TOKENS
        return Ending.TIME if self._clock() > self._deadline else None

    def _ask(self, request: Request) -> Answer:
        """One answer, with as many attempts as it may take. An empty first one is asked again."""
        for attempt in range(1, self._limits.attempts + 1):
            self._report("asking")
            answer = self._model.answer(request, self._cancel)
            if isinstance(answer, Reply):
                if not answer.is_empty or self._handled or attempt == self._limits.attempts:
                    return answer
                self._usage += answer.usage
                continue
            delay = self._delay(answer, attempt)
            if delay is None:
                return answer
            self._report("waiting", f"{answer.kind.value}, {delay:.0f} s")
            if self._cancel.wait(delay):
                return Failure(FailureKind.CANCELLED, "The review was cancelled.")
        return Failure(FailureKind.MALFORMED, "There was no answer.")

    def _delay(self, failure: Failure, attempt: int) -> float | None:
        """Seconds before the next attempt; None when there is none."""
        if not failure.kind.is_passing or attempt >= self._limits.attempts:
            return None
        wait = failure.retry_after
        if wait is None:
            wait = self._limits.backoff * 2 ** (attempt - 1)
        too_long = wait > self._limits.longest_wait or self._clock() + wait > self._deadline
        return None if too_long else max(0.0, wait)

    def _take(self, reply: Reply) -> None:
        self._usage += reply.usage
        self._words = reply.text
        self._said.append(reply.message)

    def _last(self, reply: Reply) -> Ending:
        return Ending.EMPTY if reply.is_empty and not self._handled else Ending.DONE

    def _run_calls(self, reply: Reply) -> list[Json] | None:
        """The answers to all calls of a reply; None when it was cancelled in between."""
        handled: list[Handled] = []
        for call in reply.calls:
            if self._cancel.is_set:
                return None
            self._report(call.name)
            one = self._toolbox.run(call)
            self._malformed = self._malformed + 1 if one.is_malformed else 0
            handled.append(one)
            self._handled.append(one)
        results = tuple(Result(one.call.id, one.text) for one in handled)
        return write(Said("tool", results=results), self._model.form)

    def _report(self, event: str, detail: str = "") -> None:
        limit = self._limits.iterations
        self._watch(Progress(self._iterations, limit, event, detail, self._usage))

    def _ended(self, ending: Ending, failure: Failure | None = None) -> Spoken:
        return Spoken(
            ending,
            tuple(self._said),
            tuple(self._handled),
            self._iterations,
            self._usage,
            self._words,
            failure,
        )


def unwatched(progress: Progress) -> None:
    """For a review that nobody watches."""
