"""Functions in processes of their own, which begin with the engine loaded.

To load it takes most of a second: where many processes work beside each other, and how one starts
is not what is tested, they are forked from one that has it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["reviewdeck.bootstrap", "reviewdeck.ledger.opening"])


class Running:
    """One function in a process: what it is sent, what it says, and that it ended well."""

    def __init__(self, function: Callable[..., None], *arguments: Any) -> None:
        self._pipe, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=function, args=(theirs, *arguments))
        self._is_killed = False
        self.process.start()
        theirs.close()

    def send(self, said: Any) -> None:
        """Gives the function the next thing that it waits for."""
        self._pipe.send(said)

    def receive(self) -> Any:
        """The next thing that the function says. Raises EOFError when it ended without a word."""
        assert self._pipe.poll(60), "nothing was said for a minute"
        return self._pipe.recv()

    def kill(self) -> None:
        """Ends the process where it is."""
        self._is_killed = True
        self.process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pipe.close()
        self.process.join(60)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
        is_well = code == 0 or self._is_killed or error is not None
        assert is_well, f"the process ended with {code}"


def heard(pipe: Connection) -> Any:
    """What the function is sent next; None when nobody sends anything any more."""
    try:
        return pipe.recv()
    except EOFError:
        return None
