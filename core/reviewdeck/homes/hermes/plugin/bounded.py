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

    def run() -> None:
        try:
            found.append(work(*args))
        except Exception:  # noqa: BLE001 - an agent never fails for our sake
            _log.warning("reviewdeck: %s failed", work.__name__, exc_info=True)

    thread = threading.Thread(target=run, name=f"reviewdeck-{work.__name__}", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No more threads, or the interpreter is about to end.
        return None
    thread.join(seconds)
    if thread.is_alive():
        _log.warning("reviewdeck: %s took longer than %s s", work.__name__, seconds)
    return found[0] if found else None
