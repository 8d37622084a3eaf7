"""A server whose connection is cut at one statement: before it gets there, or when it was executed.

It stands between a program and a PostgreSQL, and counts the statements that pass. After one cut it
lets everything pass, as a network does that works again.
"""

from __future__ import annotations

import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from select import select
from types import TracebackType
from typing import Final, Literal

Side = Literal["before", "after"]

_NAME: Final = ".s.PGSQL.5432"
_STATEMENTS: Final = b"EQ"
"""What executes something, among what a program sends: an execution, and a plain query."""
_COMPLETED: Final = b"CIs"
_FAILED: Final = b"E"
_FLUSH: Final = b"H\0\0\0\4"


class Cutting:
    """Passes on what is said over a socket, up to one statement."""

    def __init__(self, url: str) -> None:
        self._url, (self._host,) = url, [url.partition("?host=")[2]]
        self._folder = tempfile.TemporaryDirectory(prefix="reviewdeck-cut-")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(Path(self._folder.name) / _NAME))
        self._listening.listen()
        self._at: int | None = None
        self._side: Side = "before"
        self.passed = 0
        """How many statements came since it was told where to cut."""
        self.passes = threading.Event()
        """Cleared, it holds back all that is said, both ways, and hangs up on nobody."""
        self.passes.set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """What opens the ledger by way of it."""
        return self._url.replace(self._host, self._folder.name)

    @property
    def has_cut(self) -> bool:
        """Whether it came to that statement."""
        return self._at is None

    def cut_at(self, statement: int, side: Side) -> None:
        """Cuts the connection at this statement, counted from now."""
        self.passed, self._at, self._side = 0, statement, side

    def __enter__(self) -> Cutting:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listening.close()
        self._folder.cleanup()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                program, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(Path(self._host) / _NAME))
                passing = _Passing(self, program, server)
                threading.Thread(target=passing.run, daemon=True).start()

    def is_here(self) -> Side | None:
        """Counts one statement; on which side of it the connection is cut, if it is."""
        self.passed += 1
        if self.passed != self._at:
            return None
        self._at = None
        return self._side


class _Passing:
    def __init__(self, cutting: Cutting, program: socket.socket, server: socket.socket) -> None:
        self._cutting, self._program, self._server = cutting, program, server
        self._said, self._answered = b"", b""
        self._is_open = False
        self._due = 0
        """The statements that the server has not answered yet."""
        self._is_cut = False

    def run(self) -> None:
        with self._program, self._server, suppress(OSError):
            while True:
                for ready in select([self._program, self._server], [], [])[0]:
                    self._cutting.passes.wait()
                    if not (data := ready.recv(1 << 16)):
                        return
                    if ready is self._server:
                        self._take_answers(data)
                        self._program.sendall(data)
                    elif self._pass_on(data):
                        return

    def _pass_on(self, data: bytes) -> bool:
        """Passes on what a program says; True when the connection is to be cut."""
        self._said += data
        while (size := _size(self._said, 1 if self._is_open else 0)) is not None:
            frame, self._said = self._said[:size], self._said[size:]
            is_statement = self._is_open and frame[0] in _STATEMENTS
            self._is_open = True
            side = self._cutting.is_here() if is_statement else None
            if side == "before":
                return True
            self._server.sendall(frame)
            self._due += is_statement
            if side == "after":
                self._server.sendall(_FLUSH)
                while self._due > 0 and (data := self._server.recv(1 << 16)):
                    self._take_answers(data)
                return True
        return False

    def _take_answers(self, data: bytes) -> None:
        self._answered += data
        while (size := _size(self._answered, 1)) is not None:
            kind, self._answered = self._answered[0], self._answered[size:]
            self._due = 0 if kind in _FAILED else self._due - (kind in _COMPLETED)


def _size(data: bytes, kind: int) -> int | None:
    """The size of the first message, if it is complete."""
    if len(data) < kind + 4:
        return None
    size = kind + int.from_bytes(data[kind : kind + 4], "big")
    return size if len(data) >= size else None
