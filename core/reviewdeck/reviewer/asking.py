"""Asks a model for one answer, again where a failure may pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from reviewdeck.reviewer.conversation import Usage
from reviewdeck.reviewer.models import (
    CANCELLED,
    Answer,
    Cancel,
    Failure,
    FailureKind,
    Model,
    ModelRequest,
    Reply,
)

Report: TypeAlias = Callable[[str, str], None]
"""Takes an event, `asking` or `waiting`, and a detail of it."""


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """Limits of an exchange."""

    iterations: int = 16
    """Answers of the model."""
    input_tokens: int = 600_000
    """Over all requests together."""
    seconds: float = 900.0
    """Seconds for the whole exchange."""
    attempts: int = 3
    """Attempts for one request."""
    backoff: float = 1.0
    """Seconds before the second attempt, doubled each time, unless the provider says how many."""
    longest_wait: float = 60.0
    """Longest wait that a provider may ask for, in seconds; above it the review fails."""
    proposals: int = 40
    """Most proposals of one review."""
    malformed: int = 3
    """Calls in a row with invalid JSON after which the review ends."""
    calls: int = 100
    """Most calls of one answer that run; those after them are answered with an error."""


@dataclass(slots=True)
class Asking:
    """The requests to one model, with what they used."""

    model: Model
    limits: ExchangeLimits
    cancel: Cancel
    report: Report
    deadline: float
    """By the clock: no wait goes beyond it."""
    clock: Callable[[], float] = time.monotonic
    usage: Usage = field(default_factory=Usage)
    """Of all answers, those with nothing included."""
    sent: int = 0
    """The requests that were sent, repeated ones included."""

    def ask(self, request: ModelRequest, *, is_empty_enough: bool = False) -> Answer:
        """Sends a request, with retries on failures and on an answer with nothing in it."""
        for attempt in range(1, self.limits.attempts + 1):
            self.report("asking", "")
            self.sent += 1
            answer = self.model.answer(request, self.cancel)
            if isinstance(answer, Reply):
                self.usage += answer.usage
                if not answer.is_empty or is_empty_enough or attempt == self.limits.attempts:
                    return answer
                continue
            delay = self._delay(answer, attempt)
            if delay is None:
                return answer
            self.report("waiting", f"{answer.kind.value}, {delay:.0f} s")
            if self.cancel.wait(delay):
                return CANCELLED
        return Failure(FailureKind.MALFORMED, "There was no answer.")

    def _delay(self, failure: Failure, attempt: int) -> float | None:
        """Seconds before the next attempt; None for no further attempt."""
        if not failure.kind.is_transient or attempt >= self.limits.attempts:
            return None
        wait = failure.retry_after
        if wait is None:
            wait = self.limits.backoff * 2 ** (attempt - 1)
        is_too_long = wait > self.limits.longest_wait or self.clock() + wait > self.deadline
        return None if is_too_long else max(0.0, wait)
