"""Signals that ask a command to end: Ctrl-C, SIGTERM, and SIGHUP when its terminal goes away.

It ends where it is, unless it carries something out: that is finished first, and nothing more is
begun. A second signal ends the process at once, as a crash would. Signals belong to the process,
so what is noted of them is noted here once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal asked this process to end."""


class Ended(ReviewdeckError):
    """A command was asked to end before it was through."""

    code = "interrupted"
    default_hint = "Nothing was changed."


@dataclass(slots=True)
class _Noted:
    number: int = 0
    """The signal that came; 0 while none did."""
    depth: int = 0
    has_begun: bool = False
    before: Mapping[signal.Signals, Any] = field(default_factory=dict)


_noted = _Noted()


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Makes these signals end what runs meanwhile; one that is ignored stays so."""
    _noted.number, _noted.depth, _noted.has_begun = 0, 0, False
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    now = {number: signal.getsignal(number) for number in _ENDING}
    _noted.before = {
        number: handler for number, handler in now.items() if handler is not signal.SIG_IGN
    }
    _install(dict.fromkeys(_noted.before, _end))
    try:
        yield
    finally:
        _install(_noted.before)
        _noted.before = {}


@contextmanager
def on_signal(end: Callable[[], None]) -> Iterator[None]:
    """Has these signals end what runs meanwhile in its own way: `end` is called, as often as one
    comes."""

    def note(number: int, _: FrameType | None) -> None:
        _noted.number = number
        end()

    before = {number: signal.getsignal(number) for number in _noted.before}
    _install(dict.fromkeys(before, note))
    try:
        yield
    finally:
        _install(before)


@contextmanager
def leaving_signals() -> Iterator[None]:
    """Leaves these signals to what runs meanwhile: the deck and servers end in their own way."""
    handlers = {number: signal.getsignal(number) for number in _noted.before}
    _install(_noted.before)
    try:
        yield
    finally:
        _install(handlers)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Lets what is begun here be finished. Raises Interrupted first if a signal has come."""
    _check()
    _noted.depth += 1
    try:
        yield
    except Interrupted:
        raise  # At a question: nothing is begun before that.
    except BaseException:
        _noted.has_begun = True
        raise
    else:
        _noted.has_begun = True
    finally:
        _noted.depth -= 1


@contextmanager
def at_a_question() -> Iterator[None]:
    """Lets a signal end this process meanwhile, wherever the question is asked."""
    depth, _noted.depth = _noted.depth, 0
    try:
        _check()
        yield
    finally:
        _noted.depth = depth


@contextmanager
def outlasting_interrupts() -> Iterator[None]:
    """Leaves Ctrl-C to a program that runs in this terminal meanwhile, such as an editor."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def signal_received() -> int:
    """The signal that came in the last `heeding_signals`; 0 if none did."""
    return _noted.number


def has_begun() -> bool:
    """Whether anything was carried out in the last `heeding_signals`."""
    return _noted.has_begun


def _check() -> None:
    if _noted.number and not _noted.depth:
        raise Interrupted


def _end(number: int, _: FrameType | None) -> None:
    _install(dict.fromkeys(_noted.before, signal.SIG_DFL))
    _noted.number = number
    _check()


def _install(handlers: Mapping[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
