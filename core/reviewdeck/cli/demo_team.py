"""Runs the sample team: its server and its workers, each started again when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Final

from reviewdeck.cli.output import say
from reviewdeck.cli.program_name import program_command
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.demo.server import DemoServer, demo_server
from reviewdeck.demo.team import MACHINES, PEOPLE, home_of, write_program, write_team
from reviewdeck.errors import ReviewdeckError, WriteFailed
from reviewdeck.ledger.shared import extra

_PAUSE: Final = 5.0
"""Seconds until what ended is started again: long enough to see what others say meanwhile."""
_LOOK: Final = 0.5
_PATIENCE: Final = 20.0
_WAITING: Final = b"  waiting  "


@dataclass(slots=True)
class _Part:
    """A process of the team."""

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    process: subprocess.Popen[bytes]
    ended: float | None = None

    def look(self) -> None:
        """Starts it again some time after it ended."""
        if self.ended is not None:
            if time.monotonic() - self.ended < _PAUSE:
                return
            try:
                self.process, self.ended = self.start(), None
            except ReviewdeckError as error:
                self.ended = time.monotonic()
                say(f"{self.name} cannot be started yet. {error.message}")
            else:
                say(f"{self.name} runs again: process {self.process.pid}.")
        elif (code := self.process.poll()) is not None:
            self.ended = time.monotonic()
            how = f"by signal {-code}" if code < 0 else f"with code {code}"
            say(f"{self.name} ended {how}. It is started again in {_PAUSE:.0f} seconds.")

    def stop(self) -> None:
        """Ends it."""
        self.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_PATIENCE)
            return
        self.process.kill()
        self.process.wait()


def run_team(root: Path, *, is_json: bool) -> int:
    """Runs the team in this folder until SIGINT, SIGTERM or SIGHUP; then nothing of it runs."""
    if is_json:
        raise UsageProblem("--team speaks to people: leave out --json.")
    with extra():
        from reviewdeck.ledger.postgres import administration
    with _stopped_by_signals(), ExitStack() as stack:
        server = stack.enter_context(demo_server(os.environ.get("PATH", os.defpath)))
        try:
            write_team(root, utc_now())
        except OSError as error:
            raise WriteFailed(f"{root} cannot be written: {error.strerror}.", hint="") from error
        say("A server, two machines and two people are made.")
        server.make_cluster()
        parts = [_started("The server", server.start, stack)]
        server.make_database()
        administration.create(server.url())
        for name in PEOPLE:
            administration.add_member(server.url(), "operator", name, None)
        for name in MACHINES:
            administration.add_member(server.url(), "host", name, None)
        for name in (*PEOPLE, *MACHINES):
            write_program(root, name, server.url(name), program_command())
        for name in MACHINES:
            parts.append(_started(f"The worker of {name}", _worker(root, name), stack))
        _explain(root, server, parts)
        _watch(parts)
    say("All of it is stopped.")
    return 0


def _watch(parts: list[_Part]) -> None:
    while True:
        time.sleep(_LOOK)
        for part in parts:
            part.look()


def _started(name: str, start: Callable[[], subprocess.Popen[bytes]], stack: ExitStack) -> _Part:
    part = _Part(name, start, start())
    stack.callback(part.stop)
    return part


def _worker(root: Path, name: str) -> Callable[[], subprocess.Popen[bytes]]:
    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - this program
            [str((root / name).resolve()), "worker"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for this program, which ends it.
        )
        Thread(target=_repeat, args=(name, process.stdout), daemon=True).start()
        return process

    return start


def _repeat(name: str, lines: IO[bytes]) -> None:
    """Says what a worker does, under its name. What waits is in the decks."""
    for line in lines:
        if _WAITING not in line:
            say(f"{name}  {line.decode('utf-8', 'replace').rstrip()}")
            sys.stdout.flush()


def _explain(root: Path, server: DemoServer, parts: list[_Part]) -> None:
    say("\nIn two other terminals, open the deck of each person:")
    for name in PEOPLE:
        say(f"  {root / name}")
    say(f"Each is reviewdeck as that person has it: {root / PEOPLE[0]} list")
    say("\nFiles are written in:")
    for name in MACHINES:
        say(f"  {home_of(root, name)}")
    say("\nWhat you stop is started again after a few seconds:")
    for part in parts:
        how = "-INT" if part is parts[0] else "-9"
        say(f"  kill {how} {part.process.pid}  # {part.name[0].lower()}{part.name[1:]}")
    say(f"\nCtrl-C ends it all. {root} stays; {server.folder}, with the queue, is deleted.\n")


class _Stop(BaseException):
    """Somebody ended this program."""


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    def stop(signum: int, frame: object) -> None:
        for number in numbers:
            signal.signal(
                number, signal.SIG_IGN
            )  # What runs is ended in order, whoever asks twice.
        raise _Stop

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        with suppress(_Stop):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
