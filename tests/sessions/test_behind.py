"""The turns behind a proposal: which they are, and which one led to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.sessions.kit import START, said

from reviewdeck.engine.source_turns import SHOWN, MatchedBy, find_source_turns
from reviewdeck.model import (
    Began,
    Kind,
    Lineage,
    MemoryAdd,
    Message,
    Proposal,
    Role,
    Transcript,
    Turn,
    TurnBatch,
)
from reviewdeck.sessions import JsonLines

HOME = "/homes/iris"
CALL = Message(Role.ASSISTANT, "{}", "memory", "call-3")


def minute(number: int) -> datetime:
    return START + timedelta(minutes=number)


def turns(count: int, *, start: int = 0) -> list[Turn]:
    """One a minute; the one with number 3 has a tool call."""
    return [
        Turn(
            number,
            minute(start + number),
            (*said(f"{start} turn {number}"), *((CALL,) if number == 3 else ())),
            f"{start}-{number}",
        )
        for number in range(count)
    ]


@pytest.fixture
def kept(tmp_path: Path) -> JsonLines:
    return JsonLines(tmp_path)


def keep(
    kept: JsonLines,
    name: str,
    of_it: Sequence[Turn],
    lineage: Lineage | None = None,
    home: str = HOME,
) -> None:
    where = Transcript(
        name, lineage or Lineage("s1"), of_it[0].at, of_it[-1].at, len(of_it), 0, home
    )
    kept.retain([TurnBatch(where, tuple(of_it))])


def proposal(**known: object) -> Proposal:
    made = Proposal(
        id="p",
        home=HOME,
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd("memories/MEMORY.md", "x"),),
        payload_sha="0",
        session="s1",
        origin="background_review",
    )
    return replace(made, **known)  # type: ignore[arg-type] # names of Proposal's fields


def ids(kept: JsonLines, wanted: Proposal) -> list[str | None]:
    found = find_source_turns([kept], wanted)
    assert found is not None
    return [turn.id for _, turn in found.turns]


def test_without_a_session_nothing_is_behind_it(kept: JsonLines) -> None:
    assert find_source_turns([kept], proposal(session=None)) is None


def test_a_session_that_nobody_recorded_is_said_to_be_so(kept: JsonLines) -> None:
    found = find_source_turns([kept], proposal())
    assert found is not None
    assert (found.session, found.is_recorded, found.told_by) == ("s1", False, None)


def test_the_turn_that_the_record_names_is_the_last_one_shown(kept: JsonLines) -> None:
    keep(kept, "t1", turns(300))
    found = find_source_turns([kept], proposal(turn="0-150", tool_call="call-3"))
    assert found is not None
    assert [turn.number for _, turn in found.turns] == list(range(151 - SHOWN, 151))
    assert (found.told_by, found.earlier) == (MatchedBy.NAME, 151 - SHOWN)


def test_without_a_name_the_tool_call_tells(kept: JsonLines) -> None:
    keep(kept, "t1", turns(300))
    found = find_source_turns([kept], proposal(turn="unknown", tool_call="call-3"))
    assert found is not None
    assert [turn.number for _, turn in found.turns] == [0, 1, 2, 3]
    assert (found.told_by, found.earlier) == (MatchedBy.CALL, 0)


@pytest.mark.parametrize(
    ("origin", "after", "number"),
    [
        ("background_review", 4.5, 4),
        ("background_review", 4.0, 4),
        ("foreground", 4.5, 5),
        ("foreground", 99, 9),
        ("background_review", -1, 0),
        ("foreground", -1, 0),
    ],
)
def test_else_the_time_tells_and_that_is_said(
    kept: JsonLines, origin: str, after: float, number: int
) -> None:
    keep(kept, "t1", turns(10))
    at = START + timedelta(minutes=after)
    found = find_source_turns([kept], proposal(origin=origin, created_at=at))
    assert found is not None
    assert found.turns[-1][1].number == number
    assert found.told_by is MatchedBy.TIME


def test_what_was_said_before_the_compression_is_shown_too(kept: JsonLines) -> None:
    keep(kept, "t1", turns(9), Lineage("s0"))
    keep(kept, "t2", turns(2, start=20), Lineage("s1", "s0", Began.COMPRESSION))
    found = find_source_turns([kept], proposal(turn="20-1"))
    assert found is not None
    assert ids(kept, proposal(turn="20-1")) == ["0-6", "0-7", "0-8", "20-0", "20-1"]
    assert found.earlier == 6


@pytest.mark.parametrize("began", [Began.RESET, Began.NEW])
def test_what_was_said_before_a_reset_is_not(kept: JsonLines, began: Began) -> None:
    keep(kept, "t1", turns(9), Lineage("s0"))
    keep(kept, "t2", turns(2, start=20), Lineage("s1", "s0", began))
    assert ids(kept, proposal(turn="20-1")) == ["20-0", "20-1"]


def test_a_resumed_session_goes_on_from_its_earlier_transcript(kept: JsonLines) -> None:
    keep(kept, "t1", turns(9))
    keep(kept, "t2", turns(2, start=20), Lineage("s1", None, Began.RESUME))
    assert ids(kept, proposal(turn="20-0")) == ["0-5", "0-6", "0-7", "0-8", "20-0"]
    assert ids(kept, proposal(turn="0-1")) == ["0-0", "0-1"]


def test_sessions_that_come_from_each_other_end_somewhere(kept: JsonLines) -> None:
    keep(kept, "t1", turns(1), Lineage("s0", "s1", Began.BRANCH))
    keep(kept, "t2", turns(1, start=20), Lineage("s1", "s0", Began.BRANCH))
    assert ids(kept, proposal(turn="20-0")) == ["0-0", "20-0"]


def test_another_homes_session_by_the_same_id_is_not_taken_for_it(kept: JsonLines) -> None:
    keep(kept, "t1", turns(3), home="/homes/other")
    found = find_source_turns([kept], proposal(turn="0-1"))
    assert found is not None and not found.is_recorded
    keep(kept, "t2", turns(3, start=20), home="")
    assert ids(kept, proposal(turn="20-1")) == ["20-0", "20-1"]
