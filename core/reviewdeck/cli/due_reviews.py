"""Reviews that the watch starts: for homes whose agent has no reviewer of ours in it.

Each is a process of its own at a low priority, `reviewdeck review --since`, one at a time: a model
that does not answer holds up nothing that the watch applies.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from reviewdeck.cli.program_name import program_command
from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.engine.watch import WatchEvent
from reviewdeck.environment import reviewer_file
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.installation import read_installation, reviewer_of
from reviewdeck.locations import LEDGER
from reviewdeck.reviewer.settings import When, load_settings

SPAN: Final = "7d"
"""How far back a session may lie: as long an outage loses nothing."""
NICENESS: Final = 10
_SHORTEST: Final = 60.0
"""The least seconds between two looks at what is due."""


class StartedReviews:
    """What one watch has started, and when it looks again."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._child: subprocess.Popen[bytes] | None = None
        self._home = ""
        self._waiting: list[Path] = []
        self._next_look = 0.0
        self._problem = ""

    def turn(self, moment: float) -> Iterator[WatchEvent]:
        """Starts what is due at this moment of a clock that never jumps, and tells of failures."""
        if self._child is not None:
            status = self._child.poll()
            if status is None:
                return
            self._child = None
            if status:
                yield self._event(code=status, message="`reviewdeck log` says why.")
        if not self._waiting and moment >= self._next_look:
            when = When()
            try:
                when = load_settings(reviewer_file()).when
            except ReviewdeckError as error:
                if error.message != self._problem:
                    yield self._event(code=error.code, message=error.message)
                self._problem = error.message
            else:
                self._problem = ""
            self._next_look = moment + max(_SHORTEST, when.pause_minutes * 60)
            if when.watch:
                self._waiting = [home for home in self._settings.homes if not _has_reviewer(home)]
        if self._waiting:
            self._start(self._waiting.pop(0))

    def close(self) -> None:
        """Ends a running review in order: what it staged stays."""
        if self._child is not None:
            self._child.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(5)
            self._child = None

    def _start(self, home: Path) -> None:
        self._home = str(home)
        command = [*program_command(), "review", "--since", SPAN, "--home", self._home, "--json"]
        self._child = subprocess.Popen(  # noqa: S603 - this program
            command,
            # Others can read a command line, and the URL of a ledger may hold a password.
            env={**os.environ, LEDGER: self._settings.ledger},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._child.pid, NICENESS)

    def _event(self, **detail: object) -> WatchEvent:
        return WatchEvent(utc_now(), "review-failed", self._home, "", detail)


def _has_reviewer(home: Path) -> bool:
    try:
        return reviewer_of(read_installation(home)) is not None
    except ReviewdeckError:
        return False
