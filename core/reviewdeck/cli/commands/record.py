"""`reviewdeck record`: one turn as a line of JSON, as an agent hands it over."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.exit_codes import DONE, FAILED
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.cli.session import settings_of
from reviewdeck.errors import BadInput
from reviewdeck.interruption import uninterrupted
from reviewdeck.model import Began, Message
from reviewdeck.presentation.words import count
from reviewdeck.recording import compose_recorder
from reviewdeck.sessions.recorder import RecordedConversation, Recorder, messages_of
from reviewdeck.text.json import load_json


@dataclass(frozen=True, slots=True)
class Incoming:
    """A turn as an agent hands it over, and its session."""

    session: str
    messages: tuple[Message, ...]
    turn: str | None
    parent: str | None
    began: Began
    at: datetime | None


def incoming_of(line: bytes, number: int) -> Incoming:
    """Parses a line. Raises BadInput with the number of the line and what is wrong in it."""
    try:
        fields = load_json(line)
        if not isinstance(fields, dict):
            raise _Invalid("it is not an object")
        return Incoming(
            session=_session(fields),
            messages=_messages(fields),
            turn=_text(fields, "turn"),
            parent=_text(fields, "parent"),
            began=_began(fields),
            at=_moment(fields),
        )
    except (_Invalid, ValueError) as problem:
        problem_text = str(problem) if isinstance(problem, _Invalid) else "it is not JSON"
        raise BadInput(
            f"Line {number} is not a turn: {problem_text}.",
            hint="The lines before it are recorded." if number > 1 else "Nothing was recorded.",
        ) from problem


class _Invalid(Exception):
    """What is wrong with a line."""


def _session(fields: dict[str, Any]) -> str:
    session = _text(fields, "session")
    if session is None or not session.strip():
        raise _Invalid("it names no session")
    return session


def _messages(fields: dict[str, Any]) -> tuple[Message, ...]:
    raw = fields.get("messages")
    if not isinstance(raw, list) or not all(isinstance(message, dict) for message in raw):
        raise _Invalid("its messages are not a list of objects")
    messages = messages_of(raw)
    if not messages:
        raise _Invalid("it has no message")
    return messages


def _began(fields: dict[str, Any]) -> Began:
    value = fields.get("began", Began.NEW)
    if value not in list(Began):
        raise _Invalid(f"began is one of {', '.join(Began)}")
    return Began(value)


def _moment(fields: dict[str, Any]) -> datetime | None:
    """Seconds since 1970, or ISO 8601; without a zone it is UTC."""
    value = fields.get("at")
    if value is None:
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        raise _Invalid("at is not a time") from None


def _text(fields: dict[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise _Invalid(f"its {key} is not a string")
    return value


def record(
    file: Annotated[
        Path | None,
        Parameter(help="A file of JSON lines, one turn each; by default the standard input."),
    ] = None,
    /,
    *,
    platform: Annotated[
        str, Parameter(help="Where the conversation takes place, such as cli or telegram.")
    ] = "",
    options: Options = DEFAULTS,
) -> int:
    """Record the turns of an agent's conversation, as evidence for its proposals.

    Returns when the ledger has them. The exit code is 1 when only the spool has them.
    """
    homes = settings_of(options).homes
    if len(homes) != 1:
        raise BadInput("The turns need the home of their agent.", hint="Name one home: --home PATH")
    recorder = compose_recorder(settings_of(options).ledger)
    try:
        with _lines(file) as lines:
            amount = _record_all(recorder, str(homes[0].resolve()), platform, lines)
    finally:
        is_drained = recorder.close()
    where = "" if is_drained else "; the ledger cannot take them now, so they wait in its spool"
    answer(
        options,
        {"turns": amount, "retained": is_drained, "waiting_bytes": recorder.status.waiting},
        f"{count(amount, 'turn')} recorded{where}.",
    )
    return DONE if is_drained else FAILED


def _record_all(recorder: Recorder, home: str, platform: str, lines: Iterable[bytes]) -> int:
    """Records each turn before the next line is read; gives their number."""
    conversation: RecordedConversation | None = None
    amount = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        incoming = incoming_of(line, number)
        conversation = _conversation_for(recorder, conversation, incoming, home, platform)
        with uninterrupted():
            conversation.record(incoming.messages, turn=incoming.turn, at=incoming.at)
        amount += 1
    if conversation is not None:
        conversation.end()
    return amount


def _conversation_for(
    recorder: Recorder,
    conversation: RecordedConversation | None,
    incoming: Incoming,
    home: str,
    platform: str,
) -> RecordedConversation:
    if conversation is None:
        return recorder.begin(
            incoming.session,
            parent=incoming.parent,
            began=incoming.began,
            home=home,
            platform=platform,
        )
    if conversation.session != incoming.session:
        conversation.switch(incoming.session, began=incoming.began, parent=incoming.parent)
    return conversation


@contextmanager
def _lines(file: Path | None) -> Iterator[Iterable[bytes]]:
    if file is None:
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(file.open("rb"))
        except OSError as error:
            raise BadInput(f"{file} cannot be read: {error.strerror}.") from error
        yield stream
