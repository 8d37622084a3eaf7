"""What one model made of a review: a route may fail, and then there are two."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from reviewdeck.errors import ReviewdeckError
from reviewdeck.reviewer.conversing import Ending, Spoken
from reviewdeck.reviewer.forking import Fork, Parity
from reviewdeck.reviewer.models import Failure, FailureKind, Request


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one model made of it."""

    spoken: Spoken
    fork: Fork
    proposals: tuple[str, ...]
    denied: dict[str, int]

    def after(self, earlier: Attempt) -> Attempt:
        """Together with an attempt before it, whose proposals and costs stand."""
        denied = dict(Counter(earlier.denied) + Counter(self.denied))
        spoken = replace(
            self.spoken,
            usage=earlier.spoken.usage + self.spoken.usage,
            iterations=earlier.spoken.iterations + self.spoken.iterations,
            handled=earlier.spoken.handled + self.spoken.handled,
        )
        proposals = earlier.proposals + self.proposals
        return Attempt(spoken, self.fork, proposals, denied)


def unopened(error: ReviewdeckError) -> Attempt:
    """Of a model that could not even be opened."""
    failure = Failure(FailureKind.REFUSED, f"{error.message} {error.hint}".strip())
    nothing = Fork(Request(()), Parity(None, "Nothing was sent."))
    return Attempt(Spoken(Ending.FAILED, (), failure=failure), nothing, (), {})


def why_failed(spoken: Spoken) -> str:
    """What a provider said; empty for anything but a failure."""
    if spoken.failure is None or spoken.failure.kind is FailureKind.CANCELLED:
        return ""
    return f"{spoken.failure.kind.value}: {spoken.failure.message}"
