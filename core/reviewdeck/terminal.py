"""The terminal of this process: prompts, warnings on standard error, its size and its end."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, TextIO

from reviewdeck.errors import BadInput, NotPermitted
from reviewdeck.interruption import at_a_question
from reviewdeck.text.inert import visible

_TERMINAL: Final = "/dev/tty"
_LONGEST: Final = 4096
"""Bytes of a typed line: Linux drops the rest without a word."""
_LAST_SECONDS: Final = 5.0


def is_terminal() -> bool:
    """Whether standard input and output are both a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def can_draw() -> bool:
    """Whether a screen can be drawn on this terminal, and not only lines be printed."""
    return is_terminal() and not is_dumb()


def is_dumb() -> bool:
    """Whether the terminal says that it takes no codes: Textual never ends laying out for it."""
    return os.environ.get("TERM", "").lower() in {"dumb", "unknown"}


def exit_on_hangup(terminal: TextIO | None) -> None:
    """Makes this process end when its terminal hangs up, even if it is not sent SIGHUP.

    The kernel sends SIGHUP only to processes that the terminal controls. Any other process would
    loop on reads and block on writes. So this process sends itself the signal, and exits if that
    does not end it within a few seconds.
    """
    if terminal is None or not terminal.isatty():
        return
    hangup = select.poll()
    hangup.register(terminal, 0)  # An empty event mask: only hang-ups and errors are reported.

    def wait() -> None:
        hangup.poll()
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(_LAST_SECONDS)
        os._exit(128 + signal.SIGHUP)

    threading.Thread(target=wait, name="terminal", daemon=True).start()


ENDING_SIGNALS: Final = (signal.SIGHUP, signal.SIGTERM)
"""The signals with which a program is asked to end."""


@contextmanager
def exits_on_signals() -> Iterator[None]:
    """Makes these signals raise SystemExit meanwhile, so that every `finally` is reached."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    for number in ENDING_SIGNALS:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def ensure_size(terminal: TextIO | None) -> None:
    """Gives a terminal without a size, such as a serial line, the usual 80 by 24.

    Otherwise each library assumes another size, and the screen is laid out again and again.
    """
    if terminal is not None and terminal.isatty():
        with suppress(OSError, termios.error):
            lines, columns = termios.tcgetwinsize(terminal.fileno())
            if not (lines and columns):
                termios.tcsetwinsize(terminal.fileno(), (lines or 24, columns or 80))


def warn(text: str, *, keep: str = "\t") -> None:
    """Prints one line to standard error."""
    sys.stderr.write(visible(text, keep=keep) + "\n")


def ask(question: str, *, is_secret: bool = False) -> str:
    """Asks for one line on the controlling terminal. Raises NotPermitted if there is none.

    Anything typed before the question is discarded.
    """
    try:
        terminal = os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise NotPermitted(
            "There is no terminal to ask on.",
            hint="Nothing was changed. A passphrase is typed by a person, never piped.",
        ) from None
    try:
        with _echo(terminal, is_on=not is_secret):
            os.write(terminal, visible(question).encode())
            return _read_line(terminal)
    finally:
        os.close(terminal)


def ask_new_passphrase() -> str:
    """A passphrase, typed twice. Raises BadInput when they differ."""
    first = ask("New passphrase: ", is_secret=True)
    if first != ask("Repeat passphrase: ", is_secret=True):
        raise BadInput("The two are not the same.", hint="Nothing was changed.")
    return first


@contextmanager
def _echo(terminal: int, *, is_on: bool) -> Iterator[None]:
    before = termios.tcgetattr(terminal)
    attributes = list(before)
    attributes[3] = before[3] | termios.ICANON | (termios.ECHO if is_on else 0)
    if not is_on:
        attributes[3] &= ~termios.ECHO
    try:
        with at_a_question():
            termios.tcsetattr(terminal, termios.TCSAFLUSH, attributes)
            yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        if not is_on:
            os.write(terminal, b"\n")


def _read_line(terminal: int) -> str:
    data = b""
    while not data.endswith(b"\n") and len(data) < _LONGEST:
        chunk = os.read(terminal, _LONGEST)
        if not chunk:
            break
        data += chunk
    if len(data) >= _LONGEST:
        termios.tcflush(terminal, termios.TCIFLUSH)  # The shell would take the rest.
        raise BadInput(
            f"A terminal takes a line of at most {_LONGEST - 2} bytes.", hint="Nothing was changed."
        )
    return data.decode("utf-8", errors="replace").rstrip("\r\n")
