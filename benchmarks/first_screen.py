"""CPU of the deck until its first rows are painted, in a pseudo-terminal.

    python -m benchmarks.first_screen [--runs N]

The whole process counts, from the start of the interpreter, all of its threads included.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.imports import PROGRAM, environment, prepared

GOAL: Final = 0.6
"""Seconds of CPU."""
ROW: Final = "Staging deploys"
"""Begins what one of the first rows says over the sample home."""
_SIZE: Final = (40, 120)
_PATIENCE: Final = 60.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Prints the least of some runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="the least of so many counts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder)) | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        prepared(env)
        seconds = [until_painted(ROW, env) for _ in range(arguments.runs)]
    print(f"first screen: {min(seconds):.2f} s of CPU (goal {GOAL}); {sorted(seconds)}")


def until_painted(row: str, env: Mapping[str, str]) -> float:
    """Seconds of CPU, user and system, from the start until this text is on the screen."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, *PROGRAM], dict(env))  # noqa: S606 - ourselves
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *_SIZE, 0, 0))
    try:
        _read_until(row.encode(), terminal)
        return _cpu_of(child)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def _read_until(expected: bytes, terminal: int) -> None:
    painted, until = b"", time.monotonic() + _PATIENCE
    while expected not in painted:
        ready, _, _ = select.select([terminal], [], [], until - time.monotonic())
        if not ready:
            raise TimeoutError(painted[-2_000:])
        painted += os.read(terminal, 65_536)


def _cpu_of(process: int) -> float:
    after_name = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / _TICKS


if __name__ == "__main__":
    main()
