"""A `memory` call in Hermes' own terminal is staged instead of asked about.

With its gate on, Hermes asks there in a box, and without an answer it refuses: the agent may say
that it noted the fact, and nothing has it. Where nobody can be asked, Hermes stages. So the
callback that asks is taken away from the call's thread, for the call. With `"terminal": "ask"` in
the settings it stays, and is only watched: what a person allows there is no change by the agent
alone.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from . import agent, settings

ASK = "ask"
"""The setting with which Hermes asks as it does on its own."""
ALLOWED = ("once", "session")
"""Hermes' words for a person's yes."""

_answers = threading.local()
_log = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Registers the middleware around each tool call."""
    ctx.register_middleware("tool_execution", around_call)


def around_call(*, tool_name: str, args: Any, next_call: Callable[[Any], Any], **_: Any) -> Any:
    """Hermes' middleware around each tool call: makes the call once and returns its result."""
    if tool_name != "memory":
        return next_call(args)
    with _replaced(settings.setting(agent.home(), "terminal") == ASK):
        return next_call(args)


def was_allowed() -> bool:
    """Whether a person allowed the latest call of this thread; `ask` alone lets one be asked."""
    return getattr(_answers, "latest", None) in ALLOWED


@contextmanager
def _replaced(is_asked: bool) -> Iterator[None]:
    """While it is open, this thread's callback is gone, or is watched where a person is asked."""
    _answers.latest = None
    try:
        callback = agent.approval_callback()
        if callback is not None:
            agent.set_approval_callback(_watched(callback) if is_asked else None)
    except Exception:  # noqa: BLE001 - another Hermes: it asks as it does
        _log.warning("reviewdeck: Hermes' question is left as it is", exc_info=True)
        callback = None
    try:
        yield
    finally:
        if callback is not None:
            agent.set_approval_callback(callback)


def _watched(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def ask(*args: Any, **options: Any) -> Any:
        _answers.latest = None
        _answers.latest = answer = callback(*args, **options)
        return answer

    return ask
