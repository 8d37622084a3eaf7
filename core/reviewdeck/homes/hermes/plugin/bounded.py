"""Work that may not hold up the agent."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


def within(seconds: float, work: Callable[..., _Found], *args: Any) -> _Found | None:
    """What the work comes to; None when it failed or took longer. Late work ends unheard."""
    found: list[_Found] = []
    thread = aside(lambda: found.append(work(*args)))
    if thread is None:
        return None
    thread.join(seconds)
    if thread.is_alive():
        _log.warning("reviewdeck: %s took longer than %s s", work.__name__, seconds)
    return found[0] if found else None


def aside(work: Callable[[], object]) -> threading.Thread | None:
    """Begins work that nobody waits for; None where no thread can be had."""

    def run() -> None:
        try:
            work()
        except Exception:  # noqa: BLE001 - an agent never fails for our sake
            _log.warning("reviewdeck: something failed", exc_info=True)

    thread = threading.Thread(target=run, name="reviewdeck", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No more threads, or the interpreter is about to end.
        return None
    return thread
