"""`reviewdeck completion`."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options


class Reader(StrEnum):
    """Who reads the script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    MAN = "man"


def completion(
    reader: Annotated[Reader, Parameter(help="bash, zsh or fish; man for the manual page.")],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Print shell completions or the man page."""
    from reviewdeck.cli.completion import script
    from reviewdeck.cli.table import build_app  # would load every command with this module

    del options  # Every command takes them.
    sys.stdout.write(script(reader, build_app()))
    return 0
