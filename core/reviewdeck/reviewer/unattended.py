"""The context of a review without a user: denies approval requests and captures output."""

from __future__ import annotations

import io
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, ParamSpec, TextIO, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

APPROVAL: Final = "approval"
"""The name under which denied approvals are counted, beside denied tools."""

_denied: ContextVar[Counter[str] | None] = ContextVar("reviewdeck_review", default=None)


@contextmanager
def review_context() -> Iterator[Counter[str]]:
    """A context marked as a review; yields the counter of denied requests."""
    denied: Counter[str] = Counter()
    token = _denied.set(denied)
    try:
        yield denied
    finally:
        _denied.reset(token)


def in_review() -> bool:
    """Whether this thread, or the one whose context it copied, runs a review."""
    return _denied.get() is not None


def unattended(ask: Callable[P, T], denial: T) -> Callable[P, T]:
    """Wraps an agent's question to its user: within a review it returns the denial unasked."""

    @wraps(ask)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        denied = _denied.get()
        if denied is None:
            return ask(*args, **kwargs)
        denied[APPROVAL] += 1
        return denial

    return wrapper


_NAMES: Final = ("stdout", "stderr")
_lock = threading.Lock()
_captured: dict[int, io.StringIO] = {}
"""Captured output by thread id."""


class _CapturingStream:
    """A stream that passes output through, except that of threads which are captured."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes to the stream or the capture of this thread."""
        return self._target().write(text)

    def writelines(self, lines: Any) -> None:
        self._target().writelines(lines)

    def flush(self) -> None:
        """Flushes the target of this thread."""
        self._target().flush()

    def isatty(self) -> bool:
        """False for a captured thread."""
        return self._target().isatty()

    def _target(self) -> TextIO:
        return _captured.get(threading.get_ident()) or self.stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def captured_output() -> Iterator[io.StringIO]:
    """Captures the output of this thread within the context."""
    output, thread = io.StringIO(), threading.get_ident()
    with _lock:
        if not _captured:
            _install()
        _captured[thread] = output
    try:
        yield output
    finally:
        with _lock:
            del _captured[thread]
            if not _captured:
                _uninstall()


def _install() -> None:
    for name in _NAMES:
        setattr(sys, name, _CapturingStream(cast("TextIO", getattr(sys, name))))


def _uninstall() -> None:
    """Restores the streams, unless they were replaced meanwhile."""
    for name in _NAMES:
        if isinstance(split := getattr(sys, name), _CapturingStream):
            setattr(sys, name, split.stream)
