"""Numbers of the command line, taken exactly: the parser's own reading rounds, and takes `nan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

HIGHEST: Final = 2**63 - 1
"""The highest number that a line or a position can have."""
_LONGEST: Final = 20
"""Characters of a number: Python reads no digits without end."""
_MOST_SECONDS: Final = 7 * 24 * 60 * 60


def whole(least: int, most: int) -> Callable[[Any, Sequence[Any]], int]:
    """Reads a whole number in this range."""

    def read(_: Any, tokens: Sequence[Any]) -> int:
        name, text = _said(tokens)
        is_number = text.removeprefix("-").isdecimal() and len(text) <= _LONGEST
        if not is_number or not least <= int(text) <= most:
            raise ValueError(
                f"{name} cannot be {text!r}: it is a whole number from {least} to {most:,}."
            )
        return int(text)

    return read


def seconds(_: Any, tokens: Sequence[Any]) -> float:
    """Reads a number of seconds, up to a week."""
    name, text = _said(tokens)
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= _MOST_SECONDS:
        raise ValueError(
            f"{name} cannot be {text!r}: it is a number of seconds from 0 to {_MOST_SECONDS:,}."
        )
    return number


def _said(tokens: Sequence[Any]) -> tuple[str, str]:
    return tokens[0].keyword or "The number", tokens[0].value
