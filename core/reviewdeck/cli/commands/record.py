"""`reviewdeck record`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.incoming import Incoming, incoming_of
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import settings_of
from reviewdeck.cli.words import count
from reviewdeck.errors import BadInput
from reviewdeck.recording import compose_recorder
from reviewdeck.sessions.recorder import RecordedConversation, Recorder

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
