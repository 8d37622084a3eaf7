"""What every sink of turns promises, and both of ours keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.sessions.kit import SINKS, Kept, transcript, turn

from reviewdeck.errors import BadInput
from reviewdeck.model import Lineage, Message, Role, SessionMode, Turn, TurnBatch
from reviewdeck.ports import TurnSink
from reviewdeck.sessions import JsonLines


@dataclass
class Pair:
    """A sink, and what it has."""

    sink: TurnSink
    kept: Kept


@pytest.fixture(params=list(SINKS))
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    opened, read = SINKS[request.param]
    found = Pair(opened(tmp_path, SessionMode.APPEND), read(tmp_path))
    yield found
    found.sink.close()
    found.kept.close()


def batch(
    *numbers: int, name: str = "t1", session: str = "s1", mode: SessionMode = SessionMode.APPEND
) -> TurnBatch:
    turns = tuple(map(turn, numbers))
    return TurnBatch(transcript(name, max(numbers) + 1, session), turns, mode)


def numbers(pair: Pair, name: str = "t1") -> list[int]:
    return [one.number for one in pair.kept.turns(name)]


def test_what_was_retained_is_read_back_as_it_was(pair: Pair) -> None:
    pair.sink.retain([batch(0, 1)])
    assert pair.kept.transcripts("s1") == (transcript("t1", 2),)
    assert pair.kept.turns("t1") == (turn(0), turn(1))


def test_nothing_is_known_of_a_session_that_nobody_recorded(pair: Pair) -> None:
    assert pair.kept.transcripts("s1") == ()
    assert pair.kept.turns("t1") == ()


def test_a_home_with_one_recorded_session_has_turns(pair: Pair) -> None:
    made = batch(0)
    home = made.transcript.home
    assert not pair.kept.has_turns(home)
    pair.sink.retain([made])
    assert pair.kept.has_turns(home)
    assert not pair.kept.has_turns(f"{home}/other")


def test_the_same_batch_twice_is_kept_once(pair: Pair) -> None:
    pair.sink.retain([batch(0, 1)])
    pair.sink.retain([batch(0, 1)])
    pair.sink.retain([batch(1, 2)])
    assert numbers(pair) == [0, 1, 2]
    assert pair.kept.transcripts("s1")[0].turns == 3


def test_an_early_batch_that_comes_once_more_does_not_take_the_counts_back(pair: Pair) -> None:
    pair.sink.retain([batch(0), batch(1)])
    pair.sink.retain([batch(0)])
    found = pair.kept.transcripts("s1")[0]
    assert (found.turns, found.messages, found.last_at) == (2, 4, turn(1).at)


def test_turns_are_in_order_whatever_the_order_they_came_in(pair: Pair) -> None:
    pair.sink.retain([batch(2)])
    pair.sink.retain([batch(0, 1)])
    assert numbers(pair) == [0, 1, 2]


def test_a_replacing_batch_leaves_what_is_before_it_and_nothing_behind_it(pair: Pair) -> None:
    pair.sink.retain([batch(0, 1, 2, 3)])
    pair.sink.retain([batch(1, 2, mode=SessionMode.REPLACE)])
    assert numbers(pair) == [0, 1, 2]
    pair.sink.retain([batch(0, mode=SessionMode.REPLACE)])
    assert numbers(pair) == [0]


def test_transcripts_do_not_mix_and_come_oldest_first(pair: Pair) -> None:
    pair.sink.retain([batch(0, name="b"), batch(0, 1, name="c", session="s2"), batch(0, name="a")])
    pair.sink.retain([batch(1, name="a")])
    assert {one.id for one in pair.kept.transcripts("s1")} == {"a", "b"}
    assert [numbers(pair, name) for name in "abc"] == [[0, 1], [0], [0, 1]]


def test_the_last_turns_before_one_are_read_without_the_others(pair: Pair) -> None:
    pair.sink.retain([batch(*range(10))])
    assert [one.number for one in pair.kept.turns("t1", before=7, limit=3)] == [4, 5, 6]
    assert [one.number for one in pair.kept.turns("t1", limit=2)] == [8, 9]
    assert [one.number for one in pair.kept.turns("t1", before=2)] == [0, 1]
    assert pair.kept.turns("t1", limit=0) == ()


def test_any_text_comes_back_as_it_was(pair: Pair) -> None:
    hostile = "\x00\x1b]0;owned\x07\n\u202e\ud800 '; DROP TABLE turn; --\ufdd00000"
    message = Message(Role.TOOL, hostile, hostile, hostile)
    odd = Turn(0, turn(0).at, (message,), hostile)
    where = transcript("t1", 1, session=hostile)
    pair.sink.retain([TurnBatch(where, (odd,))])
    assert pair.kept.turns("t1") == (odd,)
    assert pair.kept.transcripts(hostile)[0].lineage == Lineage(hostile, "s0")


def test_a_file_that_a_kill_left_in_half_is_mended(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path)
    sink.retain([batch(0, 1)])
    path = tmp_path / "t1.jsonl"
    whole = path.read_bytes()
    for end in (1, 40, len(whole) - 1, len(whole) - 30):
        path.write_bytes(whole[:end])
        sink.retain([batch(0, 1, 2)])
        assert [one.number for one in sink.turns("t1")] == [0, 1, 2]


def test_the_id_of_a_transcript_is_never_a_path(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        JsonLines(tmp_path / "lines").retain([batch(0, name="../owned")])
    assert not list(tmp_path.rglob("owned*"))
