"""The turns of a reviewed conversation, kept as evidence for what the review proposes.

An agent that records its turns has done that already. For any other, what was reviewed is all that
an operator could ever see of the conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from reviewdeck.model import Batch, Lineage, Message, Mode, Role, Transcript, Turn
from reviewdeck.ports import Ledger
from reviewdeck.reviewer.values import Conversation
from reviewdeck.reviewer.wire import SYSTEM_ROLES, text_of
from reviewdeck.sessions.messages import messages_of


def named(conversation: Conversation) -> Conversation:
    """The conversation with names for its session and its last turn, where it has none."""
    session = conversation.session or f"conversation-{_digest(conversation.messages)[:12]}"
    turn = conversation.turn or f"turn-{len(_turns(conversation))}"
    return replace(conversation, session=session, turn=turn)


def prompt_of(conversation: Conversation) -> str:
    """What the system prompt of a conversation says, wherever it stands."""
    messages = (one for one in conversation.messages if one.get("role") in SYSTEM_ROLES)
    said = (conversation.system, *(one.get("content") for one in messages))
    return "\n\n".join(filter(None, map(text_of, said)))


def keep_turns(ledger: Ledger, home: str, conversation: Conversation, now: datetime) -> None:
    """Keeps the turns of a named conversation, unless the agent has recorded its session."""
    id = _digest([home, conversation.session])[:24]
    known = [one.id for one in ledger.transcripts(conversation.session) if one.home in {"", home}]
    said = _turns(conversation)
    if not said or any(one != id for one in known):
        return
    at = conversation.started_at or now
    names = [f"turn-{number}" for number in range(1, len(said))]
    turns = tuple(
        Turn(number, at, messages, name)
        for number, (messages, name) in enumerate(
            zip(said, [*names, conversation.turn], strict=True)
        )
    )
    transcript = Transcript(
        id=id,
        lineage=Lineage(conversation.session, conversation.parent_session or None),
        started_at=at,
        last_at=at,
        turns=len(turns),
        messages=sum(map(len, said)),
        home=home,
        platform=conversation.platform,
    )
    # A conversation that is reviewed again may have gone on, or been compressed.
    ledger.retain([Batch(transcript, turns, Mode.REPLACE)])


def _turns(conversation: Conversation) -> list[tuple[Message, ...]]:
    return list(_split(messages_of(conversation.messages)))


def _split(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    """A turn begins where the user speaks after somebody else did."""
    turn: list[Message] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            continue
        if message.role is Role.USER and any(one.role is not Role.USER for one in turn):
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
