"""Work that must not delay the agent."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


def run_within(seconds: float, work: Callable[..., _Result], *args: Any) -> _Result | None:
    """The result of the work; None when it failed or took longer. A late result is dropped."""
    results: list[_Result] = []
    thread = run_in_background(lambda: results.append(work(*args)))
    if thread is None:
        return None
    thread.join(seconds)
    if thread.is_alive():
        _log.warning("reviewdeck: %s took longer than %s s", work.__name__, seconds)
    return results[0] if results else None


def run_in_background(work: Callable[[], object]) -> threading.Thread | None:
    """Starts work in a daemon thread; None where no thread can be started."""

    def run() -> None:
        try:
            work()
        except Exception:  # noqa: BLE001 - the agent must not fail because of us
            _log.warning("reviewdeck: something failed", exc_info=True)

    thread = threading.Thread(target=run, name="reviewdeck", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No more threads, or the interpreter is about to end.
        return None
    return thread
