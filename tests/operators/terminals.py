"""The program in a terminal of its own, with a person, or something that acts like one, typing."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60.0
ENTER = "\n"


@dataclass(frozen=True, slots=True)
class Said:
    """How a run in a terminal ended."""

    code: int
    screen: str


def typed(
    command: Sequence[str], answers: Sequence[tuple[str, str]], env: Mapping[str, str] | None = None
) -> Said:
    """Runs a command as the leader of a terminal, and types an answer after each prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(command[0], list(command), dict(env or os.environ))  # noqa: S606 - our own program
    screen, waiting, end = b"", list(answers), time.monotonic() + PATIENCE
    looked = 0
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                chunk = os.read(terminal, 65_536)
            except OSError:
                break
            if not chunk:
                break
            screen += chunk
        if waiting and re.search(waiting[0][0].encode(), screen[looked:]):
            looked = len(screen)
            os.write(terminal, waiting.pop(0)[1].encode() + b"\n")
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return Said(os.waitstatus_to_exitcode(status), screen.decode("utf-8", "replace"))


def program(*tokens: str) -> list[str]:
    """The command line of `reviewdeck`."""
    return [sys.executable, "-m", "reviewdeck.cli.main", *tokens]


def account(root: Path) -> dict[str, str]:
    """The environment of a user of their own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    data = {"XDG_DATA_HOME": str(root / "data"), "XDG_CONFIG_HOME": str(root / "config")}
    return kept | data | {"HOME": str(root), "TERM": "dumb", "COLUMNS": "100", "TZ": "UTC"}


def piped(
    command: Sequence[str], given: str, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Runs a command without a terminal, with something on its standard input."""
    return subprocess.run(
        list(command),
        input=given,
        capture_output=True,
        text=True,
        env=dict(env),
        start_new_session=True,
        timeout=PATIENCE,
        check=False,
    )
