"""The plugin's recorder, at the moments that Hermes names, and what reviewdeck takes up from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.agents.hermes import agent, bounded, sent, settings, spool, turns
from reviewdeck.model import Began, Lineage
from reviewdeck.origin.user_row import SUMMARIES
from reviewdeck.recording import deliver_leftovers
from reviewdeck.sessions import JsonLines, messages_of
from reviewdeck.sessions.spool import RecordedTurn, line_of, record_of

Json = dict[str, Any]


def user(text: str | list[Json]) -> Json:
    return {"role": "user", "content": text}


def answer(text: str) -> Json:
    return {"role": "assistant", "content": text}


TOOLS: list[Json] = [
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": "c1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}},
            {"id": "c2", "function": {"name": "nothing", "arguments": None}},
            "no call",
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "tool", "tool_call_id": "c9", "content": [{"type": "text", "text": "Ü"}, "raw"]},
    {"role": "user", "content": [{"type": "image_url"}, {"type": "text", "text": "see"}]},
    {"role": "assistant", "content": None},
    {"role": "tool", "name": "patch", "tool_call_id": "", "content": {"ok": True}},
]


class Hermes:
    """Hermes on a home: its hooks, and the turns that reviewdeck has of it."""

    def __init__(self, home: Path, spool_folder: Path) -> None:
        self.home, self.spool = home, spool_folder
        self.kept = JsonLines(home / "lines")
        self._history: list[Json] = []
        self._turns = 0

    def set_up(self, **known: object) -> None:
        place = self.home / ".reviewdeck" / "plugin.json"
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps({"v": 1, "home": str(self.home), **known}), "utf-8")
        place.chmod(0o600)

    def turn(
        self, session: str, *said: Json, history: list[Json] | None = None, ends: bool = True
    ) -> None:
        """One turn, from Hermes' first request to its last hook."""
        if history is not None:
            self._history = history
        self._turns += 1
        about = {"session_id": session, "turn_id": f"t{self._turns}", "platform": "cli"}
        self._history.append(said[0])
        sent.note_request(**about, conversation_history=list(self._history))
        self._history.extend(said[1:])
        if ends:
            turns.on_turn_answered(**about, conversation_history=list(self._history))
        turns.on_turn_end(**about, interrupted=not ends)

    def taken(self, session: str) -> list[tuple[Lineage, list[list[str]]]]:
        """The transcripts of a session with the texts of their turns."""
        deliver_leftovers(self.spool, self.kept)
        return [
            (one.lineage, [[m.text for m in turn.messages] for turn in self.kept.turns(one.id)])
            for one in self.kept.transcripts(session)
        ]


@pytest.fixture
def hermes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hermes]:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(agent, "home", lambda: home)
    monkeypatch.setattr(agent, "database", lambda: home / "state.db")
    for known in (turns._open, turns._reset, turns._ended, sent._sent):
        known.clear()
    made = Hermes(home, tmp_path / "ledger.db.spool")
    made.set_up(spool=str(made.spool))
    yield made


def sessions_of(home: Path, *rows: tuple[str, str | None, str, str | None]) -> None:
    """Hermes' database with sessions: id, parent, model_config, end_reason."""
    with closing(sqlite3.connect(home / "state.db")) as database:
        database.execute(
            "CREATE TABLE sessions (id TEXT, parent_session_id TEXT, model_config TEXT,"
            " end_reason TEXT)"
        )
        database.executemany("INSERT INTO sessions VALUES (?, ?, ?, ?)", rows)
        database.commit()


def test_each_turn_is_recorded_once_with_its_session(hermes: Hermes) -> None:
    hermes.turn("s1", user("One."), answer("1"))
    hermes.turn("s1", user("Two."), *TOOLS[:2], answer("2"))
    ((lineage, said),) = hermes.taken("s1")
    assert lineage == Lineage("s1")
    assert said == [["One.", "1"], ["Two.", "I look.", '{"command": "ls"}', "", "", "a.txt", "2"]]
    (transcript,) = hermes.kept.transcripts("s1")
    assert (transcript.home, transcript.platform) == (str(hermes.home), "cli")
    assert [turn.id for turn in hermes.kept.turns(transcript.id)] == ["t1", "t2"]


def test_a_turn_that_was_interrupted_is_recorded_too(hermes: Hermes) -> None:
    hermes.turn("s1", user("One."), ends=False)
    hermes.turn("s1", user("Two."), answer("2"))
    assert hermes.taken("s1") == [(Lineage("s1"), [["One."], ["Two.", "2"]])]


def test_a_reset_begins_a_session_that_comes_from_the_one_that_was_left(hermes: Hermes) -> None:
    hermes.turn("s1", user("One."), answer("1"))
    turns.on_session_end(session_id="s1", platform="cli")
    turns.on_session_reset(session_id="s2", platform="cli")
    hermes.turn("s2", user("Two."), answer("2"), history=[])
    assert hermes.taken("s2") == [(Lineage("s2", "s1", Began.RESET), [["Two.", "2"]])]


def test_a_gateway_says_itself_what_was_reset(hermes: Hermes) -> None:
    turns.on_session_reset(session_id="s2", platform="telegram", old_session_id="s0")
    hermes.turn("s2", user("Two."), answer("2"))
    assert hermes.taken("s2")[0][0] == Lineage("s2", "s0", Began.RESET)


def test_a_session_that_is_taken_up_again_has_another_transcript(hermes: Hermes) -> None:
    hermes.turn("s1", user("One."), answer("1"))
    turns.on_session_end(session_id="s1", platform="cli")
    hermes.turn("s1", user("Two."), answer("2"))
    assert hermes.taken("s1") == [
        (Lineage("s1"), [["One.", "1"]]),
        (Lineage("s1", None, Began.RESUME), [["Two.", "2"]]),
    ]


def test_a_branch_and_a_compression_go_on_from_their_parents(hermes: Hermes) -> None:
    branched = '{"_branched_from": "s0"}'
    sessions_of(
        hermes.home,
        ("s0", None, "", "compression"),
        ("s1", "s0", branched, None),
        ("s2", "s0", "{}", None),
        ("s3", "s2", "{}", None),
    )
    before = [user("Earlier."), answer("0")]
    for session, history in (("s1", before), ("s2", before), ("s3", [])):
        hermes.turn(session, user("Now."), answer("1"), history=list(history))
    assert hermes.taken("s1") == [(Lineage("s1", "s0", Began.BRANCH), [["Now.", "1"]])]
    assert hermes.taken("s2") == [(Lineage("s2", "s0", Began.COMPRESSION), [["Now.", "1"]])]
    assert hermes.taken("s3") == [(Lineage("s3", "s2", Began.NEW), [["Now.", "1"]])]


def test_a_session_that_is_summed_up_in_place_goes_on_from_itself(hermes: Hermes) -> None:
    hermes.turn("s1", user("One."), answer("1"))
    summed = [user(f"{SUMMARIES[0]} — REFERENCE ONLY] They said one."), answer("1")]
    hermes.turn("s1", user("Two."), answer("2"), history=summed)
    assert hermes.taken("s1") == [
        (Lineage("s1"), [["One.", "1"]]),
        (Lineage("s1", "s1", Began.COMPRESSION), [["Two.", "2"]]),
    ]
    assert turns.SUMMARIES == SUMMARIES


@pytest.mark.parametrize(
    "kept",
    [
        answer("[PRIOR CONTEXT — for reference only] They said one."),
        user(f"My own words.\n\n{SUMMARIES[0]} — REFERENCE ONLY] They said one."),
        user([{"type": "text", "text": "1"}, {"type": "text", "text": f"{SUMMARIES[1]} One."}]),
        user("They said one.") | {"_compressed_summary": True},
    ],
)
def test_a_summary_that_was_put_into_a_kept_message_is_one(hermes: Hermes, kept: Json) -> None:
    hermes.turn("s1", user("One."), answer("1"))
    hermes.turn("s1", user("Two."), answer("2"), history=[kept, answer("1")])
    assert hermes.taken("s1")[1:] == [(Lineage("s1", "s1", Began.COMPRESSION), [["Two.", "2"]])]


def test_a_mark_that_is_typed_later_is_no_summary_of_what_was_before(hermes: Hermes) -> None:
    hermes.turn("s1", user("One."), answer("1"))
    hermes.turn("s1", user(f"What is {SUMMARIES[0]}?"), answer("2"))
    hermes.turn("s1", user("Three."), answer("3"))
    assert [lineage for lineage, _ in hermes.taken("s1")] == [Lineage("s1")]


def test_what_a_review_says_is_no_turn_of_the_conversation(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "origin", lambda: agent.BACKGROUND)
    hermes.turn("s1", user("Review the conversation above."), answer("Nothing to save."))
    assert hermes.taken("s1") == []


def test_nothing_is_recorded_where_nobody_set_it_up(hermes: Hermes) -> None:
    hermes.set_up()
    hermes.turn("s1", user("One."), answer("1"))
    hermes.set_up(spool="a/relative/folder")
    hermes.turn("s1", user("Two."), answer("2"))
    assert not hermes.spool.exists()


def test_settings_that_others_may_write_are_none(hermes: Hermes) -> None:
    assert settings.setting(hermes.home, "spool") == str(hermes.spool)
    (hermes.home / ".reviewdeck" / "plugin.json").chmod(0o666)
    assert settings.setting(hermes.home, "spool") is None


def test_a_spool_that_cannot_be_written_holds_nobody_up(
    hermes: Hermes, caplog: pytest.LogCaptureFixture
) -> None:
    hermes.spool.write_text("no folder", "utf-8")
    hermes.turn("s1", user("One."), answer("1"))
    assert "something failed" in caplog.text
    hermes.spool.unlink()
    hermes.turn("s1", user("Two."), answer("2"))
    assert [text for _, said in hermes.taken("s1") for text in said][-1][-2:] == ["Two.", "2"]


def test_a_disk_that_hangs_holds_up_a_turn_no_longer_than_its_patience(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    gate, written = threading.Event(), threading.Event()

    def put(*_: object, **__: object) -> None:
        gate.wait()
        written.set()

    monkeypatch.setattr(turns, "PATIENCE", 0.05)
    monkeypatch.setattr(spool, "put", put)
    hermes.turn("s1", user("One."), answer("1"))
    turns.on_session_end(session_id="s1", platform="cli")
    assert not written.is_set()
    gate.set()
    assert bounded.run_within(30, turns._lock.acquire) is True
    turns._lock.release()


def test_a_full_spool_takes_no_more(hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MOST", 1)
    hermes.turn("s1", user("One."), answer("1"))
    hermes.turn("s1", user("Two."), answer("2"))
    assert len(list(hermes.spool.iterdir())) == 1


def test_messages_say_what_they_say_to_our_own_recorder() -> None:
    ours = [(str(one.role), one.text, one.tool, one.call) for one in messages_of(TOOLS)]
    assert list(spool.spoken(TOOLS)) == ours


def test_lines_are_those_of_our_own_spool(tmp_path: Path) -> None:
    at = "2026-03-02T12:00:00+00:00"
    opening = spool.Opening("d1", "s1", "s0", "branch", "/home", "cli", at)
    said = [("user", "Ü ☃ \ud800", "", ""), ("assistant", "{}", "memory", "c1")]
    spool.put(tmp_path, opening, 3, said, total=9, at=at, turn="t1")
    (path,) = tmp_path.iterdir()
    lines = path.read_bytes().splitlines()
    records = [record_of(line) for line in lines]
    assert [line_of(one).rstrip(b"\n") for one in records if one] == lines
    assert isinstance(records[1], RecordedTurn) and records[1].is_full
    assert path.stat().st_mode & 0o777 == 0o600
