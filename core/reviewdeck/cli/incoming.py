"""One turn as a line of JSON, as an agent hands it to `record`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from reviewdeck.errors import BadInput
from reviewdeck.model import Began, Message
from reviewdeck.sessions.recorder import messages_of


@dataclass(frozen=True, slots=True)
class Incoming:
    """A turn, and the session that it is of."""

    session: str
    messages: tuple[Message, ...]
    turn: str | None
    parent: str | None
    began: Began
    at: datetime | None


def incoming_of(line: bytes, number: int) -> Incoming:
    """The turn of a line. Raises BadInput, which names the line and what is wrong in it."""
    try:
        said = json.loads(line)
        if not isinstance(said, dict):
            raise _Wrong("it is not an object")
        return Incoming(
            session=_session(said),
            messages=_messages(said),
            turn=_text(said, "turn"),
            parent=_text(said, "parent"),
            began=_began(said),
            at=_moment(said),
        )
    except (_Wrong, ValueError, RecursionError) as problem:
        what = str(problem) if isinstance(problem, _Wrong) else "it is not JSON"
        raise BadInput(
            f"Line {number} is no turn: {what}.", hint="The lines before it are recorded."
        ) from problem


class _Wrong(Exception):
    """What is wrong with a line."""


def _session(said: dict[str, Any]) -> str:
    session = _text(said, "session")
    if session is None or not session.strip():
        raise _Wrong("it names no session")
    return session


def _messages(said: dict[str, Any]) -> tuple[Message, ...]:
    raw = said.get("messages")
    if not isinstance(raw, list) or not all(isinstance(one, dict) for one in raw):
        raise _Wrong("its messages are not a list of objects")
    found = messages_of(raw)
    if not found:
        raise _Wrong("it has no message")
    return found


def _began(said: dict[str, Any]) -> Began:
    value = said.get("began", Began.NEW)
    if value not in list(Began):
        raise _Wrong(f"began is one of {', '.join(Began)}")
    return Began(value)


def _moment(said: dict[str, Any]) -> datetime | None:
    """Seconds since 1970, or ISO 8601; without a zone it is UTC."""
    value = said.get("at")
    if value is None:
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError, OverflowError, OSError):
        raise _Wrong("at is not a time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _text(said: dict[str, Any], key: str) -> str | None:
    value = said.get(key)
    if value is not None and not isinstance(value, str):
        raise _Wrong(f"its {key} is not a text")
    return value
