"""The lines of the spool: one record each, with a sum that tells a torn one from a whole one.

A line is eight hex digits (CRC-32 of the rest), a blank, and a JSON list whose first item says
what it is. JSON in ASCII has no line break in it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from reviewdeck.model import Began, Lineage, Message, Role, Turn

_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode

_ROLES = {role.value: role for role in Role}


@dataclass(frozen=True, slots=True)
class Opening:
    """What the turns that follow belong to. Stands in every segment that has turns of it."""

    document: str
    lineage: Lineage
    home: str
    platform: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Taken:
    """A turn was taken."""

    document: str
    turn: Turn
    messages: int
    """How many messages its transcript has with this turn."""
    is_full: bool
    """The batch is full with it."""


@dataclass(frozen=True, slots=True)
class Flush:
    """What is buffered of a document has to go on now."""

    document: str
    is_over: bool
    """Nothing more comes of it."""


Record: TypeAlias = Opening | Taken | Flush


def line_of(record: Record) -> bytes:
    """A record as a line of the spool."""
    body = _ENCODE(_plain(record)).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(body), body)


def record_of(line: bytes) -> Record | None:
    """The record of a line without its line break; None for one that is torn or foreign."""
    if line[8:9] != b" " or line[:8] != b"%08x" % zlib.crc32(line[9:]):
        return None
    try:
        return _record(json.loads(line[9:]))
    except (ValueError, TypeError, KeyError):
        return None  # Whole, and still not ours: of a later version.


def _plain(record: Record) -> Sequence[object]:
    match record:
        case Taken(document, turn, messages, is_full):
            said = [(one.role, one.text, one.tool, one.call) for one in turn.messages]
            head = ("turn", document, turn.number, messages, is_full)
            return (*head, turn.at.isoformat(), turn.id, said)
        case Opening(document, lineage, home, platform, at):
            line = (lineage.session, lineage.parent, lineage.began)
            return ("open", document, *line, home, platform, at.isoformat())
        case Flush(document, is_over):
            return ("flush", document, is_over)


def _record(plain: Any) -> Record | None:
    match plain:
        case ["turn", document, number, messages, is_full, at, id, said]:
            made = tuple(
                [Message(_ROLES[role], text, tool, call) for role, text, tool, call in said]
            )
            turn = Turn(number, datetime.fromisoformat(at), made, id)
            return Taken(document, turn, messages, is_full)
        case ["open", document, session, parent, began, home, platform, at]:
            lineage = Lineage(session, parent, Began(began))
            return Opening(document, lineage, home, platform, datetime.fromisoformat(at))
        case ["flush", document, is_over]:
            return Flush(document, is_over)
        case _:
            return None
