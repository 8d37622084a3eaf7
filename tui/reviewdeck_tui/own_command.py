"""Running a program of the operator's own: no shell, no input, a limit of time and of output."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

PATIENCE: Final = 30.0
"""Seconds after which a program is ended, with all that it started."""
MOST: Final = 16_384
"""Bytes of its output that are shown, from the end."""


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """The end of a program."""

    outcome: str
    """``done``, ``exit code 3``, or why it did not end by itself."""
    output: str
    """What it printed, as it came: it may be hostile."""
    is_good: bool


def fill(arguments: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """The arguments with the values of the placeholders in them, each put in once."""
    return tuple(_fill_one(argument, values) for argument in arguments)


def _fill_one(argument: str, values: Mapping[str, str]) -> str:
    # Not `format`: braces that are no placeholder stay. A value is not searched for another.
    parts = [argument]
    for name, value in values.items():
        parts = [
            piece
            for at, part in enumerate(parts)
            for piece in ([part] if at % 2 else _split(part, name, value))
        ]
    return "".join(parts)


def _split(part: str, name: str, value: str) -> list[str]:
    first, *rest = part.split(name)
    return [first, *(piece for text in rest for piece in (value, text))]


def run_own(
    arguments: Sequence[str],
    patience: float = PATIENCE,
    started: Callable[[subprocess.Popen[bytes]], object] = lambda _: None,
) -> ProgramEnd:
    """Runs a program to its end, or until `end_own` ends what `started` got. Blocks; raises
    nothing."""
    # Into a file: a child that it leaves behind would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",  # An empty entry of PATH means the current folder, where agents write.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return ProgramEnd(
                f"cannot be run: {getattr(error, 'strerror', None) or error}", "", False
            )
        try:
            started(process)
            code = process.wait(patience)
            outcome = "done" if code == 0 else f"exit code {code}" if code > 0 else "was killed"
        except subprocess.TimeoutExpired:
            code, outcome = 1, f"did not end in {patience:.0f} seconds and was ended"
        finally:
            _kill_group(process)
            process.wait()
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - MOST))
        return ProgramEnd(outcome, output.read().decode("utf-8", "replace"), code == 0)


def end_own(process: subprocess.Popen[bytes]) -> None:
    """Ends a program with all that it started, if it still runs."""
    if process.poll() is None:
        _kill_group(process)
        process.wait()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
