"""The end of the pipe that hands out cases: nothing here waits unless it is asked to."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import Self

from reviewdeck.aides.packing import HEAD, packed, unpacked
from reviewdeck.footing import program
from reviewdeck.judging import Aide, Case, Judged
from reviewdeck.model import Ready
from reviewdeck.policy.in_force import Policy

OWED = 256
"""So many answers it owes at most: enough to do while we store what came back."""

TOGETHER = 32
"""So many cases are sent at once."""

LARGE = 32_768
"""Bytes of texts from which on to send a case takes as long as to judge it."""

PATIENCE = 10.0
"""Seconds without any answer after which it is given up."""

_ROOM = 1 << 20
_AT_ONCE = 1 << 16


def start_aide(policy: Policy, live_text: str) -> Aide | None:
    """Another process that judges by this policy; None where none can be started."""
    try:
        return ProcessAide(spawn(), greeting(policy, live_text))
    except OSError:
        return None


def spawn() -> subprocess.Popen[bytes]:
    """Starts the other process. Raises OSError."""
    # Without -P, Python would look for our modules in the directory that it is started in.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "reviewdeck.aides.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        bufsize=0,
    )


def greeting(policy: Policy, live_text: str) -> bytes:
    """What it is told first: by which rules and beside which live texts it judges."""
    return packed((program(), policy.tuning, policy.problem, live_text))


class ProcessAide:
    """Satisfies `judging.Aide`. Whatever goes wrong with the other process ends it."""

    def __init__(self, child: subprocess.Popen[bytes], greeting: bytes) -> None:
        self._child = child
        if child.stdin is None or child.stdout is None:
            raise TypeError("an aide is reached through two pipes")
        self._to, self._from = child.stdin.fileno(), child.stdout.fileno()
        for end in (self._to, self._from):
            os.set_blocking(end, False)
            with suppress(OSError):  # the system allows less: then it takes more turns
                fcntl.fcntl(end, getattr(fcntl, "F_SETPIPE_SZ", 1031), _ROOM)
        self._sending, self._received = bytearray(greeting), bytearray()
        self._cases: list[Case] = []
        self._answers: deque[Judged] = deque()
        self._owed = 0
        self.is_ready = False
        self.is_there = True

    def take(self, case: Case) -> bool:
        """Takes a case; False while it is starting, when it has enough, and for a large one."""
        if not self.is_ready or self._owed >= OWED:
            self._move()
        if not self.is_there or not self.is_ready or self._owed >= OWED or _is_large(case):
            return False
        self._cases.append(case)
        self._owed += 1
        if len(self._cases) >= TOGETHER:
            self._send()
        return True

    def answer(self, *, wait: bool) -> Judged | None:
        """The answer to the first case that it owes one for; None when there is none."""
        if not self._answers and not self.is_ready:
            self._move()
        if wait and not self._answers:
            self._send()
            while self.is_there and not self._answers:
                self._wait()
        if not self._answers:
            return None
        self._owed -= 1
        return self._answers.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Sends it away."""
        self._give_up()
        with self._child:
            pass

    def _send(self) -> None:
        if self._cases:
            self._sending += packed(self._cases)
            self._cases = []
            self._move()

    def _wait(self) -> None:
        wants = [self._to] if self._sending else []
        ready = select.select([self._from], wants, [], PATIENCE)
        if any(ready):
            self._move()
        else:
            self._give_up()

    def _move(self) -> None:
        """Sends and receives what goes without waiting."""
        try:
            self._write()
            self._read()
        except OSError:
            self._give_up()

    def _write(self) -> None:
        with suppress(BlockingIOError):
            while self._sending and self.is_there:
                del self._sending[: os.write(self._to, self._sending[:_AT_ONCE])]

    def _read(self) -> None:
        with suppress(BlockingIOError):
            while self.is_there:
                if not (data := os.read(self._from, _AT_ONCE)):
                    self._give_up()
                self._received += data
        while len(self._received) >= HEAD:
            end = HEAD + int.from_bytes(self._received[:HEAD], "big")
            if len(self._received) < end:
                return
            said = unpacked(bytes(self._received[HEAD:end]))
            del self._received[:end]
            self.is_ready = True
            self._answers.extend(said)

    def _give_up(self) -> None:
        self.is_there = False
        self._child.kill()


def _is_large(case: Case) -> bool:
    outcome = case.staged.outcome
    if not isinstance(outcome, Ready):  # few are: no case for the fast way
        return True
    size = sum(map(len, case.skills.values()))
    for change in outcome.plan.changes:
        size += len(change.before or b"") + len(change.after or b"")
    return size > LARGE
