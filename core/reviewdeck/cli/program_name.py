"""How this program is called on this machine."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

NAME = "reviewdeck"


def program_name() -> str:
    """Its name where PATH finds it; else the path by which it was started, as a shell takes it."""
    started = Path(sys.argv[0])
    if started.name != NAME or not started.is_file():
        return NAME
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if any(os.access(Path(folder, NAME), os.X_OK) for folder in folders if folder):
        return NAME
    here = Path.cwd()
    is_near = started.is_absolute() and started.is_relative_to(here)
    return shlex.quote(str(started.relative_to(here) if is_near else started))


def program_command() -> tuple[str, ...]:
    """How to start this program from anywhere: by where it is, or as a module of this Python.

    A link stays a link: what it leads to is another file after the next update.
    """
    started = Path(sys.argv[0])
    if started.name == NAME and started.is_file():
        return (str(started.absolute()),)
    return (sys.executable, "-m", "reviewdeck.cli.entry")


def called_here(text: str) -> str:
    """A text of ours whose commands, in backquotes, can be pasted on this machine."""
    name = program_name()
    return text if name == NAME else text.replace(f"`{NAME} ", f"`{name} ")
