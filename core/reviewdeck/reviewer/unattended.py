"""A review runs without a person: requests for approval are denied, prints stay off the screen."""

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
"""Under this name denied approvals are counted beside denied tools."""

_denied: ContextVar[Counter[str] | None] = ContextVar("reviewdeck_review", default=None)


@contextmanager
def reviewing() -> Iterator[Counter[str]]:
    """Marks what runs within as a review; gives the counter of what it was denied."""
    denied: Counter[str] = Counter()
    token = _denied.set(denied)
    try:
        yield denied
    finally:
        _denied.reset(token)


def in_review() -> bool:
    """Whether a review runs here, in this thread or in one that took over its context."""
    return _denied.get() is not None


def unattended(ask: Callable[P, T], denial: T) -> Callable[P, T]:
    """An agent's own question to a human, which within a review is denied without being asked."""

    @wraps(ask)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        denied = _denied.get()
        if denied is None:
            return ask(*args, **kwargs)
        denied[APPROVAL] += 1
        return denial

    return asked


_NAMES: Final = ("stdout", "stderr")
_lock = threading.Lock()
_kept: dict[int, io.StringIO] = {}
"""By the id of a thread."""


class _Split:
    """A stream that goes to where it went, but for the threads whose output is kept."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes, or keeps."""
        return self._target().write(text)

    def writelines(self, lines: Any) -> None:
        """The same for several."""
        self._target().writelines(lines)

    def flush(self) -> None:
        """Flushes what this thread writes to."""
        self._target().flush()

    def isatty(self) -> bool:
        """A thread whose output is kept has no terminal."""
        return self._target().isatty()

    def _target(self) -> TextIO:
        return _kept.get(threading.get_ident()) or self.stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def kept_output() -> Iterator[io.StringIO]:
    """Keeps what this thread prints within, and gives it."""
    kept, thread = io.StringIO(), threading.get_ident()
    with _lock:
        if not _kept:
            _install()
        _kept[thread] = kept
    try:
        yield kept
    finally:
        with _lock:
            del _kept[thread]
            if not _kept:
                _uninstall()


def _install() -> None:
    for name in _NAMES:
        setattr(sys, name, _Split(cast("TextIO", getattr(sys, name))))


def _uninstall() -> None:
    """Puts the streams back, unless somebody has put their own in place meanwhile."""
    for name in _NAMES:
        if isinstance(split := getattr(sys, name), _Split):
            setattr(sys, name, split.stream)
