"""`reviewdeck review --since`: each session of a home once, when it is over or quiet."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program, run_here
from tests.homes.claude.kit import make_config
from tests.homes.claude.talk import Talk
from tests.homes.gemini.kit import make_config as make_gemini
from tests.homes.openclaw.kit import make_workspace as make_openclaw
from tests.homes.qwen.kit import make_config as make_qwen
from tests.reviewer.kit import add
from tests.reviewer.peer import peer

from reviewdeck.reviewer.conversation import load_session
from reviewdeck.reviewer.due import RecordedActivity, due_sessions
from reviewdeck.reviewer.review import Occasion
from reviewdeck.reviewer.settings import Moment, When

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FACT = "The release notes have no emojis."


def activity(session: str, minutes: float, ended: Occasion | None = None) -> RecordedActivity:
    return RecordedActivity(
        session,
        NOW - timedelta(minutes=minutes),
        ended,
        lambda: load_session(Path("/nowhere"), session),
    )


def due(*activities: RecordedActivity, when: When | None = None, **reviewed: float) -> list[Any]:
    seen = {session: NOW - timedelta(minutes=ago) for session, ago in reviewed.items()}
    found = due_sessions(activities, seen, when or When(), NOW - timedelta(hours=1), NOW)
    return [(each.activity.session, each.occasion.value) for each in found]


def test_a_busy_session_waits_for_its_pause_and_one_that_is_over_does_not() -> None:
    assert due(activity("busy", 1), activity("quiet", 15), activity("old", 90)) == [
        ("quiet", "turn")
    ]
    ended = [
        activity("a", 3, Occasion.SESSION_END),
        activity("b", 2, Occasion.RESET),
        activity("c", 1, Occasion.COMPACTION),
    ]
    assert due(*ended) == [("a", "session-end"), ("b", "reset"), ("c", "compaction")]
    assert due(*ended, when=When(on=frozenset({Moment.RESET}))) == [("b", "reset")]
    assert due(activity("quiet", 15), when=When(pause_minutes=0)) == []


def test_a_session_is_reviewed_again_once_something_was_said_in_it() -> None:
    assert due(activity("a", 15), a=14) == []
    assert due(activity("a", 15), a=16) == [("a", "turn")]


def make_sessions(home: Path, *over: str) -> None:
    """Sessions as Hermes stores them: some were reset just now, one goes on."""
    for file in home.glob("state.db*"):
        file.unlink()
    database = sqlite3.connect(home / "state.db")
    database.execute(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT,"
        " started_at REAL, ended_at REAL, end_reason TEXT, model TEXT, system_prompt TEXT)"
    )
    database.execute(
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,"
        " tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, active INTEGER, api_content TEXT,"
        " timestamp REAL)"
    )
    now = datetime.now(UTC).timestamp()
    for id, reason in (*((id, "session_reset") for id in over), ("busy", None)):
        values = (id, "cli", None, now - 60, None, reason, "m", "You are Hermes.")
        database.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        for role, text in (("user", f"No emojis, in {id}."), ("assistant", "Noted.")):
            database.execute(
                "INSERT INTO messages (session_id, role, content, active, timestamp)"
                " VALUES (?, ?, ?, 1, ?)",
                (id, role, text, now - 30),
            )
    database.commit()
    database.close()


def test_what_is_over_is_reviewed_once_and_again_after_an_outage(
    program: Program, tmp_path: Path
) -> None:
    make_sessions(program.home, "over")
    script = tmp_path / "script.json"
    outage = {"fail": {"kind": "connection", "message": "Nobody answers."}}
    script.write_text(json.dumps([outage] * 3), "utf-8")
    words = ("review", "--since", "2h", "--script", str(script), "--json")
    down = program(*words)
    assert down.code not in (0, 2) and [one["ending"] for one in down.json["reviews"]] == ["failed"]
    script.write_text(json.dumps([add(FACT)]), "utf-8")
    (run,) = program(*words).json["reviews"]
    assert (run["session"], run["occasion"], len(run["staged"])) == ("over", "reset", 1)
    again = program(*words)
    assert again.code == 0 and again.json == {"reviews": [], "due": 0}
    assert "No session is due" in program(*words[:-1]).out


@pytest.mark.parametrize(("refused", "asked"), [(1, 3), (9, 2)])
def test_a_session_that_is_refused_does_not_hold_up_the_next_one(
    program: Program, refused: int, asked: int
) -> None:
    make_sessions(program.home, "a", "b", "c")
    refusal = {"raw": {"error": "no such picture"}, "status": 400}
    with peer(*[refusal] * refused) as running:
        where = ("--provider", "x", "--model", "m", "--base-url", f"{running.url}/v1")
        ran = program("review", "--since", "2h", *where)
        assert len(running.journal) == asked
    assert ran.code == 1 and "no such picture (HTTP 400)" in ran.out


def test_sessions_of_claude_code_are_reviewed(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWDECK_LEDGER", str(tmp_path / "ledger.db"))
    config = make_config(tmp_path / "claude")
    talk = Talk(config, "s1")
    talk.user(FACT)
    talk.say("Noted.")
    talk.write()
    own = tmp_path / "user" / ".config" / "reviewdeck"
    own.mkdir(parents=True)
    (own / "reviewer.toml").write_text("[when]\npause_minutes = 0.0001\n", "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own.parent))
    script = tmp_path / "script.json"
    script.write_text(json.dumps([add(FACT)]), "utf-8")
    words = ("review", "--since", "1h", "--script", str(script), "--home", str(config), "--json")
    (run,) = run_here(capsys, *words).json["reviews"]
    assert run["session"] == "s1" and run["staged"][0]["kind"] == "documents"


@pytest.mark.parametrize(
    ("kind", "make"), [("qwen", make_qwen), ("gemini", make_gemini), ("openclaw", make_openclaw)]
)
def test_a_home_whose_agent_extracts_by_itself_is_told_so(
    capsys: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    make: Callable[[Path], Path],
) -> None:
    monkeypatch.setenv("REVIEWDECK_LEDGER", str(tmp_path / "ledger.db"))
    home = make(tmp_path / f".{kind}")
    ran = run_here(capsys, "review", "--since", "1h", "--home", str(home))
    assert ran.code == 1 and f"a home of the kind {kind}" in ran.err
    assert "`reviewdeck list`" in ran.err
    asked, script = tmp_path / "asked.json", tmp_path / "script.json"
    asked.write_text(json.dumps({"messages": [{"role": "user", "content": "x"}]}), "utf-8")
    script.write_text("[]", "utf-8")
    words = ("--only", "memory", "--script", str(script), "--home", str(home))
    ran = run_here(capsys, "review", str(asked), *words)
    assert ran.code == 1 and "proposes no memory" in ran.err and "--only skills" in ran.err


def test_a_home_without_sessions_of_its_own_is_told(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWDECK_LEDGER", str(tmp_path / "ledger.db"))
    skill = tmp_path / "agent" / "skills" / "triage"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: triage\ndescription: x\n---\nx\n")
    ran = run_here(capsys, "review", "--since", "1h", "--home", str(skill.parent))
    assert ran.code == 1 and "has no sessions of its own" in ran.err
    ran = run_here(capsys, "review", "x.json", "--since", "1h", "--home", str(skill.parent))
    assert ran.code == 2 and "--since reviews sessions" in ran.err
