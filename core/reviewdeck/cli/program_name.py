"""How this program is called on this machine."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

NAME = "reviewdeck"
REACHED_AS = "REVIEWDECK_REACHED_AS"
"""The variable with the machine that `--host` named, where this runs behind it."""


def program_name() -> str:
    """`reviewdeck` where PATH finds it, else the path it was started by, quoted for a shell.

    Behind `--host`, what is typed on the machine in front.
    """
    if host := os.environ.get(REACHED_AS, ""):
        return f"{NAME} --host {shlex.quote(host)}"
    started = Path(sys.argv[0])
    if started.name != NAME or not started.is_file():
        return NAME
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if any(os.access(Path(folder, NAME), os.X_OK) for folder in folders if folder):
        return NAME
    working = Path.cwd()
    is_below = started.is_absolute() and started.is_relative_to(working)
    return shlex.quote(str(started.relative_to(working) if is_below else started))


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
