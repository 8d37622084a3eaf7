"""Questions that only the terminal of this process answers: no flag, no variable, no pipe."""

from __future__ import annotations

import os
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.confirmation import is_code, is_grave
from reviewdeck.errors import BadInput, Locked, NotPermitted
from reviewdeck.text.inert import visible

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.engine.evaluate import Evaluation

_TERMINAL: Final = "/dev/tty"
_LONGEST: Final = 1024


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


def admit(deck: Deck) -> None:
    """Makes sure that whoever runs this may decide; asks for the passphrase where one is needed.

    Raises NotPermitted.
    """
    try:
        deck.desk.operator()
    except Locked:
        deck.desk.authority.unlock(ask("Passphrase: ", is_secret=True))
        deck.desk.operator()


def confirm(deck: Deck, evaluation: Evaluation) -> None:
    """Asks for the code of a decision of weight. Raises NotPermitted for another one."""
    digest = evaluation.digest
    if digest is None or not deck.desk.authority.signs or not is_grave(evaluation.findings):
        return
    id = evaluation.proposal.id
    if not is_code(ask(f"Code at the end of `reviewdeck diff {id}`: "), digest):
        raise NotPermitted(
            "That is not the code of what this would do.",
            hint=f"Nothing was changed. `reviewdeck diff {id}` shows it below the whole content.",
        )


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
