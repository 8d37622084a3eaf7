"""The turns behind a change: the conversation that led to it.

Turns are kept by the ledger, from a recorder, and by the agent's own session database. Both
are a `TurnReader`; every lookup of a session's turns goes through this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Final

from reviewdeck.model import KnownBy, Origin, Proposal, Role, Transcript, Turn
from reviewdeck.ports import Home, TurnReader
from reviewdeck.values import dataclass

SHOWN: Final = 5
"""The turns that are shown: the one that led to the proposal, and those before it."""
_PAGE: Final = 100
_MOST_SEARCHED: Final = 2_000
"""The newest turns of a session that are searched for the one that led to a proposal."""
_DEPTH: Final = 8
"""The most sessions followed back along the lineage."""
_REVIEW: Final = "background_review"


class MatchedBy(StrEnum):
    """How it is known which turn led to a proposal."""

    NAME = "name"
    """The record names the turn."""
    RECORD = "record"
    """A tool of the turn answered with the id of the record."""
    CALL = "call"
    """The record names a tool call, and the turn has it."""
    TIME = "time"
    """The turn nearest in time, without other evidence."""


@dataclass(frozen=True, slots=True)
class SourceTurns:
    """The turns behind a proposal, as far as they are known."""

    session: str
    turns: tuple[tuple[Transcript, Turn], ...] = ()
    """In order; the last one led to the proposal. Empty when the session was not recorded."""
    told_by: MatchedBy | None = None
    earlier: int = 0
    """The number of earlier turns."""

    @property
    def is_recorded(self) -> bool:
        """Whether any turn of it is known."""
        return bool(self.turns)


@dataclass(frozen=True, slots=True)
class SoughtTurn:
    """The known features of the turn to look for."""

    home: str
    session: str
    at: datetime | None = None
    turn: str | None = None
    """The agent's own name for it."""
    record: str | None = None
    """The id of a record that it staged."""
    tool_call: str | None = None
    is_over: bool = False
    """True for a review that looked back at the turn, and did not act within it."""


def turn_holders(ledger: TurnReader, home: Home) -> Iterator[TurnReader]:
    """The readers that may have turns of this home: the recorder's, then the agent's own."""
    yield ledger
    if (conversations := home.conversations()) is not None:
        yield conversations


def find_source_turns(
    holders: Iterable[TurnReader], proposal: Proposal, origin: Origin | None = None
) -> SourceTurns | None:
    """The turns up to the one that led to a proposal; None when its session is unknown.

    The record names its session, or its origin was found in one.
    """
    session = proposal.session or _session_of(origin)
    if not session:
        return None
    sought = SoughtTurn(
        proposal.home,
        session,
        proposal.created_at or proposal.ingested_at,
        proposal.turn,
        proposal.source_id,
        proposal.tool_call,
        is_over=proposal.origin == _REVIEW,
    )
    return turns_to(holders, sought)


def turns_to(holders: Iterable[TurnReader], sought: SoughtTurn) -> SourceTurns:
    """The turns of a session up to the sought one; empty when no holder has them.

    The first holder that has the turn for certain is used, else the first that has one near it: a
    recorder that came later than the session has only a part of it.
    """
    near: SourceTurns | None = None
    for holder in holders:
        behind = _find_in(holder, sought)
        if behind is not None and behind.told_by is not MatchedBy.TIME:
            return behind
        near = near or behind
    return near or SourceTurns(sought.session)


def _session_of(origin: Origin | None) -> str:
    """The session that an origin was found in; empty where several are possible."""
    if origin is None or origin.known_by not in (KnownBy.EXACT, KnownBy.LOG):
        return ""
    return next(iter(origin.sessions), "")


def _find_in(source: TurnReader, sought: SoughtTurn) -> SourceTurns | None:
    own = _of_home(source, sought.session, sought.home)
    match = _find_named(source, own, sought) or _find_nearest(source, own, sought)
    if match is None:
        return None
    led, turn, told_by = match
    line = list(_lineage(source, own[: own.index(led) + 1], sought.home))
    own_turns = list(source.turns(led.id, before=turn.number + 1, limit=SHOWN))
    turns = [(led, own_turn) for own_turn in own_turns]
    for transcript in line[1:]:
        if len(turns) >= SHOWN:
            break
        before = source.turns(transcript.id, limit=SHOWN - len(turns))
        turns = [(transcript, earlier_turn) for earlier_turn in before] + turns
    all_of_them = turn.number + 1 + sum(transcript.turns for transcript in line[1:])
    return SourceTurns(sought.session, tuple(turns), told_by, all_of_them - len(turns))


def _of_home(source: TurnReader, session: str, home: str) -> list[Transcript]:
    """The transcripts of a session. Another home's may go by the same id."""
    return [
        transcript
        for transcript in source.transcripts(session)
        if transcript.home in {"", home} and transcript.turns
    ]


def _find_named(
    source: TurnReader, transcripts: list[Transcript], sought: SoughtTurn
) -> tuple[Transcript, Turn, MatchedBy] | None:
    """The turn of this name or that names the record, else that of the tool call."""
    called: tuple[Transcript, Turn, MatchedBy] | None = None
    for transcript, turn in _newest_first(source, transcripts):
        if sought.turn and turn.id == sought.turn:
            return transcript, turn, MatchedBy.NAME
        if sought.record and _names_record(turn, sought.record):
            return transcript, turn, MatchedBy.RECORD
        if called is None and sought.tool_call and _has_call(turn, sought.tool_call):
            called = transcript, turn, MatchedBy.CALL
    return called


def _find_nearest(
    source: TurnReader, transcripts: list[Transcript], sought: SoughtTurn
) -> tuple[Transcript, Turn, MatchedBy] | None:
    """The turn nearest in time: a review follows its turn, anything else happens within one."""
    after: tuple[Transcript, Turn, MatchedBy] | None = None
    for transcript, turn in _newest_first(source, transcripts):
        this = transcript, turn, MatchedBy.TIME
        if sought.at is not None and turn.at > sought.at:
            after = this
        elif after is not None and not sought.is_over:
            return after
        else:
            return this
    return after


def _newest_first(
    source: TurnReader, transcripts: list[Transcript]
) -> Iterator[tuple[Transcript, Turn]]:
    remaining = _MOST_SEARCHED
    for transcript in reversed(transcripts):
        before: int | None = None
        while remaining > 0 and (page := source.turns(transcript.id, before=before, limit=_PAGE)):
            yield from ((transcript, turn) for turn in reversed(page))
            remaining -= len(page)
            before = page[0].number


def _lineage(source: TurnReader, transcripts: list[Transcript], home: str) -> Iterator[Transcript]:
    """These transcripts, newest first, then those of the sessions they continue."""
    seen_ids: set[str] = set()
    for _ in range(_DEPTH):
        yield from reversed(transcripts)
        seen_ids |= {transcript.id for transcript in transcripts}
        first = transcripts[0]
        if not first.lineage.began.continues or first.lineage.parent is None:
            return
        earlier = _of_home(source, first.lineage.parent, home)
        # Later turns of the parent are no part of it.
        transcripts = [
            transcript
            for transcript in earlier
            if transcript.started_at < first.started_at and transcript.id not in seen_ids
        ]
        if not transcripts:
            return


def _names_record(turn: Turn, record: str) -> bool:
    answers = (message.text for message in turn.messages if message.role is Role.TOOL)
    return any('"pending_id"' in text and f'"{record}"' in text for text in answers)


def _has_call(turn: Turn, call: str) -> bool:
    return any(message.call == call for message in turn.messages)
