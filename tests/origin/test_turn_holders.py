"""What everybody who holds turns promises: what was recorded, and what Hermes itself keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.origin.kit import NOON, Chat, Said, answer, open_home, staged
from tests.sessions.kit import SINKS

from reviewdeck.engine.source_turns import MatchedBy, SoughtTurn, turns_to
from reviewdeck.model import Began, Lineage, Role, SessionMode, Transcript, Turn, TurnBatch
from reviewdeck.ports import TurnReader
from reviewdeck.sessions import messages_of

HOME = "/homes/iris"
TALK: Sequence[Said] = (
    "I prefer pytest.",
    answer("Noted."),
    "Keep that.",
    staged("aaaaaaaa"),
    answer("It is staged."),
    "Thank you.",
    answer("You are welcome."),
)
MESSAGES: tuple[list[dict[str, Any]], ...] = (
    [{"role": "user", "content": "I prefer pytest."}, {"role": "assistant", "content": "Noted."}],
    [
        {"role": "user", "content": "Keep that."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "call_aaaaaaaa",
                    "function": {"name": "memory", "arguments": '{"action": "add"}'},
                }
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "call_aaaaaaaa",
            "content": '{"success": true, "staged": true, "pending_id": "aaaaaaaa"}',
        },
        {"role": "assistant", "content": "It is staged."},
    ],
    [
        {"role": "user", "content": "Thank you."},
        {"role": "assistant", "content": "You are welcome."},
    ],
)
"""The same talk, as an agent hands it to a recorder."""


@contextmanager
def recorded(name: str, folder: Path, first: int = 0) -> Iterator[TurnReader]:
    """The turns from this one on, in a sink of ours; the talk goes on in another session."""
    opened, read = SINKS[name]
    sink, at = opened(folder, SessionMode.APPEND), NOON
    for session, lineage, talk in (
        ("s1", Lineage("s1"), MESSAGES[first:]),
        ("s2", Lineage("s2", "s1", Began.COMPRESSION), MESSAGES[:1]),
    ):
        turns = []
        for number, said in enumerate(talk):
            turns.append(Turn(number, at, messages_of(said)))
            at += timedelta(seconds=len(said))
        amount = sum(len(turn.messages) for turn in turns)
        transcript = Transcript(
            f"t-{session}", lineage, turns[0].at, turns[-1].at, len(turns), amount, "", "cli"
        )
        sink.retain([TurnBatch(transcript, tuple(turns))])
    sink.close()
    with closing(read(folder)) as kept:
        yield kept


def kept_by_hermes(folder: Path) -> TurnReader:
    """The same talk in Hermes' own database."""
    Chat(said=TALK).write(folder)
    Chat("s2", TALK[:2], at=NOON + timedelta(seconds=8), parent="s1").write(folder)
    kept = open_home(folder).conversations()
    assert kept is not None
    return kept


HOLDERS: dict[str, Callable[[Path], AbstractContextManager[TurnReader]]] = {
    "ledger": lambda folder: recorded("ledger", folder),
    "lines": lambda folder: recorded("lines", folder),
    "hermes": lambda folder: nullcontext(kept_by_hermes(folder)),
}


@pytest.fixture(params=list(HOLDERS))
def holder(request: pytest.FixtureRequest, home: Path) -> Iterator[TurnReader]:
    with HOLDERS[request.param](home) as kept:
        yield kept


def said(turn: Turn) -> list[tuple[Role, str]]:
    """What a turn holds, a call of a tool by the tool's name."""
    return [(one.role, one.tool or one.text) for one in turn.messages]


def test_a_session_has_its_turns_in_order(holder: TurnReader) -> None:
    (transcript,) = holder.transcripts("s1")
    turns = holder.turns(transcript.id)
    assert [turn.number for turn in turns] == [0, 1, 2]
    assert (transcript.turns, transcript.messages, transcript.platform) == (3, 8, "cli")
    assert said(turns[1]) == [
        (Role.USER, "Keep that."),
        (Role.ASSISTANT, "memory"),
        (Role.TOOL, "memory"),
        (Role.ASSISTANT, "It is staged."),
    ]


def test_the_newest_turns_before_a_number_come_with_a_limit(holder: TurnReader) -> None:
    (transcript,) = holder.transcripts("s1")
    found = holder.turns(transcript.id, before=2, limit=1)
    assert [turn.number for turn in found] == [1]


def test_nothing_is_known_of_another_session(holder: TurnReader) -> None:
    assert holder.transcripts("s3") == () and holder.turns("s3") == ()


def test_a_session_that_goes_on_from_another_names_it(holder: TurnReader) -> None:
    (transcript,) = holder.transcripts("s2")
    assert transcript.lineage == Lineage("s2", "s1", Began.COMPRESSION)


def test_the_turn_that_staged_a_record_is_found_with_those_before_it(holder: TurnReader) -> None:
    found = turns_to([holder], SoughtTurn(HOME, "s1", record="aaaaaaaa"))
    assert found.told_by is MatchedBy.RECORD
    assert [turn.messages[0].text for _, turn in found.turns] == ["I prefer pytest.", "Keep that."]


def test_the_turn_with_a_tool_call_is_found(holder: TurnReader) -> None:
    found = turns_to([holder], SoughtTurn(HOME, "s1", tool_call="call_aaaaaaaa"))
    assert (found.told_by, found.turns[-1][1].number) == (MatchedBy.CALL, 1)


def test_the_turn_nearest_in_time_is_found_where_nothing_names_one(holder: TurnReader) -> None:
    at = NOON + timedelta(seconds=6, milliseconds=500)
    found = turns_to([holder], SoughtTurn(HOME, "s1", at=at, is_over=True))
    assert (found.told_by, found.turns[-1][1].number) == (MatchedBy.TIME, 2)


def test_what_was_said_before_a_compression_counts_as_said_in_the_session(
    holder: TurnReader,
) -> None:
    found = turns_to([holder], SoughtTurn(HOME, "s2", at=NOON + timedelta(seconds=60)))
    assert [transcript.lineage.session for transcript, _ in found.turns] == ["s1"] * 3 + ["s2"]


def test_a_recorder_that_came_late_does_not_hide_the_turn_that_hermes_kept(home: Path) -> None:
    sought = SoughtTurn(HOME, "s1", at=NOON, record="aaaaaaaa")
    with recorded("ledger", home, first=2) as kept:
        found = turns_to([kept, kept_by_hermes(home)], sought)
    assert found.told_by is MatchedBy.RECORD and len(found.turns) == 2


def test_what_was_recorded_is_read_first(home: Path) -> None:
    with recorded("ledger", home) as kept:
        found = turns_to([kept, kept_by_hermes(home)], SoughtTurn(HOME, "s1", record="aaaaaaaa"))
    assert found.turns[-1][0].id == "t-s1"
