"""`reviewdeck record`: one turn as a line of JSON, as an agent hands it over."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import settings_of
from reviewdeck.errors import BadInput
from reviewdeck.model import Began, Message
from reviewdeck.presentation.words import count
from reviewdeck.recording import compose_recorder
from reviewdeck.sessions.recorder import RecordedConversation, Recorder, messages_of


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


DONE, FAILED = 0, 1


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
    """Take the turns of an agent's conversation, as evidence for what it proposes.

    Returns when they are in the ledger. The exit code is 1 when they are only in the spool.
    """
    homes = settings_of(options).homes
    if len(homes) != 1:
        raise BadInput("Whose turns are these?", hint="Name one home: --home PATH")
    recorder = compose_recorder(settings_of(options).ledger)
    try:
        with _lines(file) as lines:
            taken = _take(recorder, str(homes[0].resolve()), platform, lines)
    finally:
        is_drained = recorder.close()
    if options.json:
        waiting = recorder.condition.waiting
        print_json({"turns": taken, "retained": is_drained, "waiting_bytes": waiting})
    else:
        where = "" if is_drained else "; the ledger does not take them now, they wait beside it"
        say(f"{count(taken, 'turn')} recorded{where}.")
    return DONE if is_drained else FAILED


def _take(recorder: Recorder, home: str, platform: str, lines: Iterable[bytes]) -> int:
    """Each turn is in the spool before the next line is read."""
    talk: RecordedConversation | None = None
    taken = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        one = incoming_of(line, number)
        talk = _in_session(recorder, talk, one, home, platform)
        talk.record(one.messages, turn=one.turn, at=one.at)
        taken += 1
    if talk is not None:
        talk.end()
    return taken


def _in_session(
    recorder: Recorder, talk: RecordedConversation | None, one: Incoming, home: str, platform: str
) -> RecordedConversation:
    if talk is None:
        return recorder.begin(
            one.session, parent=one.parent, began=one.began, home=home, platform=platform
        )
    if talk.session != one.session:
        talk.switch(one.session, began=one.began, parent=one.parent)
    return talk


@contextmanager
def _lines(file: Path | None) -> Iterator[Iterable[bytes]]:
    if file is None:
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(file.open("rb"))
        except OSError as error:
            raise BadInput(f"{file} cannot be read: {error.strerror}.") from error
        yield opened
