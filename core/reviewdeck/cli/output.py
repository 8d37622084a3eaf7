"""Output of commands: JSON for programs, inert text for people, secrets redacted in both."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Collection
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TextIO

from reviewdeck.cli.columns import UNLIMITED, page_width
from reviewdeck.cli.columns import is_coloured as is_coloured
from reviewdeck.cli.columns import width as width
from reviewdeck.text.inert import json_escaped, visible
from reviewdeck.text.redact import redact, redact_value

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from reviewdeck.cli.options import Options


def prepare_streams() -> None:
    """Has characters that the terminal's encoding lacks written as escapes, not raise.

    A stream that whoever started this closed is empty, and takes everything: no file that is opened
    later gets its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - a descriptor
            setattr(sys, name, stream)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


_OWN_KEYS: Final = frozenset(
    {
        *("actor", "at", "batch", "code", "created_at", "digest", "finished_at", "id"),
        *("ingested_at", "operation", "policy", "previous", "proposal", "revision", "sha", "since"),
        *("started_at", "undo", "undoes", "undone_by", "directory", "home", "key", "ledger"),
    }
)
"""Keys whose values reviewdeck makes itself (ids, digests, times, commands): never redacted."""
_HEX_DIGITS: Final = frozenset("0123456789abcdef")


def print_json(value: object, *, exact: Collection[str] = ()) -> None:
    """Prints one JSON value, with secrets redacted except under the keys named in `exact`.

    Control and invisible characters in it are escaped.
    """
    redacted = redacted_json(value, exact)
    sys.stdout.write(json_escaped(json.dumps(redacted, ensure_ascii=False, indent=2)) + "\n")


def redacted_json(value: object, exact: Collection[str] = ()) -> object:
    """A JSON value with its secrets redacted, except under the keys named in `exact`."""
    return redact_value(value, _OWN_KEYS.union(exact), _redact_unless_hex)


def _redact_unless_hex(value: str) -> str:
    return value if _HEX_DIGITS.issuperset(value) else redact(value)


def say(text: str = "") -> None:
    """Prints one line of plain text, made inert."""
    sys.stdout.write(visible(text) + "\n")


def answer(options: Options, value: object, *lines: str) -> None:
    """Prints what a command did: the value with `--json`, else these lines."""
    if options.json:
        print_json(value)
    for line in () if options.json else lines:
        say(line)


def console(options: Options, file: TextIO | None = None) -> Console:
    """The rich console that every command prints to; it never parses markup."""
    from rich.console import Console

    stream = sys.stdout if file is None else file
    return Console(
        file=stream,
        width=width() if stream is sys.stderr else page_width(),
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        color_system="auto" if is_coloured(stream, options.no_color) else None,
        legacy_windows=False,
    )


def stretched_table(*, headed: bool = True) -> Table:
    """A table as wide as the terminal; into a pipe or a file, as wide as its longest line."""
    from reviewdeck.cli.trimmed_table import TrimmedTable

    return TrimmedTable(
        box=None,
        pad_edge=False,
        expand=page_width() < UNLIMITED,
        show_header=headed,
        header_style="dim",
        padding=(0, 1, 0, 0),
    )


def has_terminal_app() -> bool:
    """Whether the deck for the terminal is installed."""
    return find_spec("reviewdeck_tui") is not None and find_spec("reviewdeck_tui.app") is not None
