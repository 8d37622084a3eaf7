"""A sample team in one folder: two machines with a sample home each, and two people without one.

Each has a program in it that is `reviewdeck` as that machine or person would start it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from reviewdeck.demo.home import prepare_folder, write_demo

MACHINES: Final = ("web-1", "web-2")
PEOPLE: Final = ("iris", "otto")
_FILES: Final = "files"
_HOME: Final = ".hermes"
_SCRIPT: Final = """\
#!/bin/sh
# reviewdeck as {name} has it.
unset HERMES_HOME REVIEWDECK_POLICY REVIEWDECK_WORKING
export HOME={home} XDG_DATA_HOME={home}/data XDG_CONFIG_HOME={home}/config
export REVIEWDECK_LEDGER={ledger} REVIEWDECK_CALLED_AS={path}
exec {command} "$@"
"""


def write_team(root: Path, now: datetime) -> None:
    """Writes the folder, or writes it anew. Raises BadInput for one that is not a sample."""
    prepare_folder(root, (_FILES, *MACHINES, *PEOPLE))
    for name in MACHINES:
        write_demo(home_of(root, name), now)
    for name in PEOPLE:
        _folder(root, name).mkdir(parents=True)


def write_program(root: Path, name: str, url: str, command: Sequence[str]) -> Path:
    """Writes the program of a machine or a person, which uses the ledger at this URL."""
    path = root / name
    text = _SCRIPT.format(
        name=name,
        path=shlex.quote(str(path.resolve())),
        home=shlex.quote(str(_folder(root, name).resolve())),
        ledger=shlex.quote(url),
        command=shlex.join(command),
    )
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def home_of(root: Path, machine: str) -> Path:
    """The home of a machine."""
    return _folder(root, machine) / _HOME


def _folder(root: Path, name: str) -> Path:
    return root / _FILES / name
