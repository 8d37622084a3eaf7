"""An unexpected exception, reported without any text that reviewdeck was working on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import redact

DEBUG: Final = "REVIEWDECK_DEBUG"
"""The environment variable that has the traceback printed."""


def crash_error(error: BaseException) -> ReviewdeckError:
    """The exception as an error in one sentence, which quotes nothing of its message."""
    message = f"Something is wrong in reviewdeck itself: {type(error).__name__}."
    hint = f"Please report it, with what {DEBUG}=1 prints when you try again."
    return ReviewdeckError(message, hint=hint)


def crash_traceback(error: BaseException, env: Mapping[str, str]) -> str:
    """The traceback with secrets redacted; empty unless DEBUG is set.

    It has no values of local variables: those are texts of agents, and keys.
    """
    if not env.get(DEBUG):
        return ""
    from traceback import format_exception

    return redact("".join(format_exception(error)).rstrip())


def crash_report(error: BaseException | None, env: Mapping[str, str]) -> str:
    """The output of a deck that crashed: the traceback if DEBUG is set, and the sentence."""
    error = error or RuntimeError()
    report = crash_error(error)
    trace = visible(crash_traceback(error, env))
    return f"{trace}\nreviewdeck: {report.message} {report.hint}".lstrip()
