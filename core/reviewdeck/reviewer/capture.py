"""Keeps what one thread prints off the screen. Every other thread prints as before."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

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
