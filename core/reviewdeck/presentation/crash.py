"""A mistake of reviewdeck itself, as a person is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.policy.redact import redact
from reviewdeck.text.inert import visible

DEBUG: Final = "REVIEWDECK_DEBUG"
"""The variable that lets a mistake of ours end in its trace."""


def sentence_of(error: BaseException) -> ReviewdeckError:
    """One sentence, without a word of what was being worked on."""
    said = f"Something is wrong in reviewdeck itself: {type(error).__name__}."
    hint = f"Please report it, with what {DEBUG}=1 prints when you try again."
    return ReviewdeckError(said, hint=hint)


def trace_of(error: BaseException, env: Mapping[str, str]) -> str:
    """Where it happened; empty unless that is asked for.

    Secrets in it are covered, and it has no values of local variables: those are what an agent
    wrote, and keys.
    """
    if not env.get(DEBUG):
        return ""
    from traceback import format_exception

    return redact("".join(format_exception(error)).rstrip())


def last_words(error: BaseException | None, env: Mapping[str, str]) -> str:
    """All that a deck that crashes prints: the trace where it is asked for, and the sentence."""
    error = error or RuntimeError()
    said = sentence_of(error)
    trace = visible(trace_of(error, env))
    return f"{trace}\nreviewdeck: {said.message} {said.hint}".lstrip()
