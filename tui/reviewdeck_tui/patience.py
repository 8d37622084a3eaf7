"""Waiting for a ledger that may not answer: a screen stays where it is no longer than this."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, TypeVar

from reviewdeck.errors import LedgerUnavailable

Result = TypeVar("Result")

PATIENCE: Final = 1.0
"""Seconds for which keys may wait for a hub: far more than an answer takes."""


def within(seconds: float | None, job: Callable[[], Result]) -> Result:
    """The result of a job that blocks. With a bound, it goes on in a thread once that has passed.

    Raises LedgerUnavailable then.
    """
    if seconds is None:
        return job()
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(job())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return done.result(seconds)
    except TimeoutError:
        raise LedgerUnavailable("The hub does not answer.") from None
