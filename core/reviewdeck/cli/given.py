"""What a command is given in a file, or on its standard input as `-`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput
from reviewdeck.presentation.words import one_line

_LARGEST: Final = 16_000_000
"""Bytes of what is given."""
_UNCHANGED: Final = "Nothing was changed."


def given_bytes(file: str) -> bytes:
    """All of it. Raises BadInput."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with Path(file).expanduser().open("rb") as opened:
                data = opened.read(_LARGEST + 1)
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{_name(file)} cannot be read: {reason}.", hint=_UNCHANGED) from error
    if len(data) > _LARGEST:
        raise BadInput(f"{_name(file)} has more than {_LARGEST:,} bytes.", hint=_UNCHANGED)
    return data


def given_text(file: str) -> str:
    """An operator's text, byte for byte: no newline is added or changed. Raises BadInput."""
    try:
        return given_bytes(file).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{_name(file)} is not UTF-8 text.", hint=_UNCHANGED) from None


def given_line(file: str) -> str:
    """The first line, which is a secret. Raises BadInput where there is none."""
    data = given_bytes(file).partition(b"\n")[0].strip(b"\r")
    if not data:
        raise BadInput(f"The first line of {_name(file)} is empty.", hint=_UNCHANGED)
    return data.decode("utf-8", "surrogateescape")


def _name(file: str) -> str:
    return "The standard input" if file == "-" else one_line(file)
