"""Rows of a conversation as turns: from one message of the user to the next. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from types import MappingProxyType
from typing import Any

from reviewdeck.model import Began, Lineage, Message, Role, Transcript, Turn
from reviewdeck.origin.conversation import MessageRow, SessionRows

_NO_TIME = datetime.fromtimestamp(0, UTC)
_NO_NAMES: Mapping[int, str] = MappingProxyType({})
OVERHEARD = "somebody else in the chat"


def transcript_of(session: SessionRows, parent: str = "") -> Transcript:
    """A session as one transcript; a session that goes on from another names it as its parent."""
    turns = turns_of(session.rows)
    began = Began.COMPRESSION if parent else Began.NEW
    started = session.started_at or (turns[0].at if turns else _NO_TIME)
    return Transcript(
        session.id,
        Lineage(session.id, parent or None, began),
        started,
        turns[-1].at if turns else started,
        len(turns),
        sum(len(turn.messages) for turn in turns),
        platform=session.source,
    )


def turns_of(rows: Sequence[MessageRow], names: Mapping[int, str] = _NO_NAMES) -> tuple[Turn, ...]:
    """The turns of a session: each begins with a message of the user.

    `names` has the agent's own name for the turn of a row, by the row's id.
    """
    tools: dict[str, str] = {}  # As of the row: ids of calls may repeat.
    turns: list[tuple[datetime, str, list[Message]]] = []
    at = _NO_TIME
    for row in rows:
        at = row.at or at
        if not turns or (row.role == Role.USER and not row.is_observed):
            turns.append((at, names.get(row.id, ""), []))
        tools |= {call.id: call.name for call in row.calls}
        turns[-1][2].extend(_messages(row, tools.get(row.call, row.tool)))
    numbers = count()
    return tuple(
        Turn(next(numbers), at, tuple(messages), name or None)
        for at, name, messages in turns
        if messages
    )


def _messages(row: MessageRow, tool: str) -> Iterator[Message]:
    match row.role:
        case "user" if row.is_observed:
            yield Message(Role.TOOL, row.text, OVERHEARD)
        case "user":
            yield Message(Role.USER, row.text)
        case "assistant":
            if row.text.strip():
                yield Message(Role.ASSISTANT, row.text)
            for call in row.calls:
                yield Message(Role.ASSISTANT, _arguments(call.arguments), call.name, call.id)
        case "tool":
            yield Message(Role.TOOL, row.text, tool, row.call)
        case _:
            return


def _arguments(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)
