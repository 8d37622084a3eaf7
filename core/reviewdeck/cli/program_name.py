"""How this program is called on this machine."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

NAME = "reviewdeck"
REACHED_AS = "REVIEWDECK_REACHED_AS"
"""The variable with the machine that `--host` named, where this runs behind it."""
CALLED_AS = "REVIEWDECK_CALLED_AS"
"""The variable with the absolute path of a program that calls this one under its own name."""


def program_name() -> str:
    """`reviewdeck` where PATH finds it, else the path it was started by, quoted for a shell.

    Behind `--host`, what is typed on the machine in front.
    """
    if host := os.environ.get(REACHED_AS, ""):
        return f"{NAME} --host {shlex.quote(host)}"
    if called := os.environ.get(CALLED_AS, ""):
        return _typed(Path(called))
    started = Path(sys.argv[0])
    if started.name != NAME or not started.is_file():
        return NAME
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if any(os.access(Path(folder, NAME), os.X_OK) for folder in folders if folder):
        return NAME
    return _typed(started)


def _typed(program: Path) -> str:
    working = Path.cwd()
    is_below = program.is_absolute() and program.is_relative_to(working)
    return shlex.quote(str(program.relative_to(working) if is_below else program))


def program_command() -> tuple[str, ...]:
    """How to start this program from anywhere: its absolute path, or a module of this Python.

    A symbolic link is not resolved: its target may be replaced by the next update.
    """
    started = Path(sys.argv[0])
    if started.name == NAME and started.is_file():
        return (str(started.absolute()),)
    return (sys.executable, "-m", "reviewdeck.cli.entry")


def with_program_name(text: str) -> str:
    """A message whose commands, in backquotes, are spelt so that they can be pasted here."""
    name = program_name()
    return text if name == NAME else text.replace(f"`{NAME} ", f"`{name} ")
