"""Where the answer goes: JSON that any reader can take, or text for a person."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Final, Literal, TextIO

from reviewdeck.text.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

    from reviewdeck.cli.options import Options

_UNSAFE: Final = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""What JSON leaves as it is and a terminal or a line reader would not."""


def prepare_streams() -> None:
    """A character that the terminal's encoding lacks is spelt out; it never ends the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: object) -> None:
    """Prints one JSON value. Control and steering characters in it are escaped."""
    sys.stdout.write(escaped(json.dumps(value, ensure_ascii=False, indent=2)) + "\n")


def escaped(text: str) -> str:
    """JSON text with control and steering characters escaped."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str = "") -> None:
    """Prints one line of plain text, made inert."""
    sys.stdout.write(visible(text) + "\n")


def warn(text: str) -> None:
    """Prints one line beside the answer."""
    sys.stderr.write(visible(text, keep="\t") + "\n")


def width() -> int:
    """Columns of the terminal; 80 when unknown."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def console(options: Options, file: TextIO | None = None) -> Console:
    """The one kind of console we print to: nothing in a text is taken for markup."""
    stream = sys.stdout if file is None else file
    plain = options.no_color or bool(os.environ.get("NO_COLOR")) or not stream.isatty()
    return _console(stream, color_system=None if plain else "auto")


def plain_console(file: TextIO) -> Console:
    """The same without colours, whatever the file is."""
    return _console(file, color_system=None)


def _console(file: TextIO, color_system: Literal["auto"] | None) -> Console:
    from rich.console import Console

    return Console(
        file=file,
        width=width(),
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        color_system=color_system,
        legacy_windows=False,
    )


def is_terminal() -> bool:
    """Whether a person is at the other end of both streams."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def has_terminal_app() -> bool:
    """Whether the deck for the terminal is installed."""
    from importlib.util import find_spec

    return find_spec("reviewdeck_tui") is not None and find_spec("reviewdeck_tui.app") is not None
