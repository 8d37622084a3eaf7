"""Values that a database cell cannot hold as they are: times, odd text, JSON."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)

NULL = "null"
"""The JSON of None."""

_SHIELD = "\ufdd0"  # a noncharacter: no text of a person contains it
_RISKY = re.compile("[\x00\ud800-\udfff\ufdd0]")
_SHIELDED = re.compile("\ufdd0([0-9a-f]{4})")


def micros_of(moment: datetime) -> int:
    """Microseconds since 1970. A time without a zone is a mistake in the program.

    Nor is a time stored that is outside the calendar in UTC: it could not be read again.
    """
    if moment.tzinfo is None:
        raise ValueError(f"a time needs a zone: {moment!r}")
    micros = (moment - _EPOCH) // _MICROSECOND
    if not _FIRST <= micros <= _LAST:
        raise ValueError(f"a time outside the calendar: {moment!r}")
    return micros


def moment_of(micros: int) -> datetime:
    """The time, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def shield(text: str) -> str:
    """Text that any database can hold: NUL and lone surrogates are spelt out.

    File names that are not UTF-8 reach us as lone surrogates and have to come back as such.
    """
    if text.isascii() and "\x00" not in text:
        return text
    return _RISKY.sub(lambda match: f"{_SHIELD}{ord(match[0]):04x}", text)


def unshield(text: str) -> str:
    """The text that `shield` was given."""
    if _SHIELD not in text:
        return text
    return _SHIELDED.sub(lambda match: chr(int(match[1], 16)), text)


def plain(cell: Any) -> Any:
    """What was stored in a cell: of a text, what `shield` was given."""
    return unshield(cell) if isinstance(cell, str) else cell


def optional_moment(cell: int | None) -> datetime | None:
    """The time of a cell; None for none."""
    return None if cell is None else moment_of(cell)


def optional_text(cell: str | None) -> str | None:
    """The text of a cell; None for none."""
    return None if cell is None else unshield(cell)


def dump(value: object) -> str:
    """Canonical JSON, in ASCII: the same value is the same text."""
    return _ENCODER.encode(value)


def load(text: str) -> Any:
    """The value that `dump` was given."""
    return json.loads(text)
