"""What `doctor` found, for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from reviewdeck.cli.checkup import Check, Level
from reviewdeck.cli.words import one_line

_STYLES: Final = {Level.OK: "green", Level.WARN: "yellow", Level.BAD: "bold red"}


def checkup_table(checks: Sequence[Check]) -> Table:
    """One line per check, with what to do below it."""
    table = Table(box=None, pad_edge=False, expand=True, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(ratio=1, overflow="fold")
    for check in checks:
        said = Text(one_line(check.said))
        hint = Text(f"-> {one_line(check.hint)}", style="cyan")
        shown = Group(said, hint) if check.hint else said
        table.add_row(Text(check.level.value, style=_STYLES[check.level]), Text(check.name), shown)
    return table
