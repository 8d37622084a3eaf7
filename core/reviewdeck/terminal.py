"""The terminal of this process: the questions that only it answers, and lines beside the answer."""

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
from typing import Final, TextIO

from reviewdeck.errors import BadInput, NotPermitted
from reviewdeck.text.inert import visible

_TERMINAL: Final = "/dev/tty"
_LONGEST: Final = 1024
_LAST_SECONDS: Final = 5.0


def is_terminal() -> bool:
    """Whether a person is at the other end of both streams."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def end_with(terminal: TextIO | None) -> None:
    """From now on, this process ends with its terminal, also where nobody tells it.

    A hang-up goes to whom the terminal controls. Where it controls somebody else, whoever reads
    it goes round for ever, and whoever writes waits. So this process sends itself what it was not
    sent, and does not wait for long.
    """
    if terminal is None or not terminal.isatty():
        return
    gone = select.poll()
    gone.register(terminal, 0)  # Asked for nothing, it tells of a hang-up or an error alone.

    def wait() -> None:
        gone.poll()
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(_LAST_SECONDS)
        os._exit(128 + signal.SIGHUP)

    threading.Thread(target=wait, name="terminal", daemon=True).start()


def give_size(terminal: TextIO | None) -> None:
    """A terminal that says no size, as a serial line does, has the usual one from now on.

    Else each library guesses another one, and the screen is laid out for both in turn, for ever.
    """
    if terminal is not None and terminal.isatty():
        with suppress(OSError, termios.error):
            lines, columns = termios.tcgetwinsize(terminal.fileno())
            if not (lines and columns):
                termios.tcsetwinsize(terminal.fileno(), (lines or 24, columns or 80))


def warn(text: str, *, keep: str = "\t") -> None:
    """Prints one line beside the answer."""
    sys.stderr.write(visible(text, keep=keep) + "\n")


def ask(question: str, *, is_secret: bool = False) -> str:
    """One line from the terminal of this process. Raises NotPermitted where there is none.

    What was typed before the question is thrown away.
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
            return _line(terminal)
    finally:
        os.close(terminal)


def ask_new_passphrase() -> str:
    """A passphrase, typed twice. Raises BadInput when they differ."""
    first = ask("New passphrase: ", is_secret=True)
    if first != ask("The same again: ", is_secret=True):
        raise BadInput("The two are not the same.", hint="Nothing was changed.")
    return first


@contextmanager
def _echo(terminal: int, *, is_on: bool) -> Iterator[None]:
    before = termios.tcgetattr(terminal)
    during = list(before)
    during[3] = before[3] | termios.ICANON | (termios.ECHO if is_on else 0)
    if not is_on:
        during[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSAFLUSH, during)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        if not is_on:
            os.write(terminal, b"\n")


def _line(terminal: int) -> str:
    data = b""
    while not data.endswith(b"\n") and len(data) < _LONGEST:
        chunk = os.read(terminal, _LONGEST)
        if not chunk:
            break
        data += chunk
    return data.decode("utf-8", errors="replace").rstrip("\r\n")
