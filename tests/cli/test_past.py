"""What happened: since, log, history, blame, recover, doctor, demo."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.program import Program

from reviewdeck.cli.moments import moment_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.authorisation import no_ancestors

NOW = datetime(2026, 5, 17, 12, tzinfo=UTC)


def test_since_names_what_brought_each_line(applied: Program) -> None:
    found = {one["document"]: one["rows"] for one in applied.read("since")}
    added = [row for row in found["memories/USER.md"] if row["kind"] == "added"]
    assert [row["text"] for row in added] == ["Prefers CSV to Excel for exports."]
    assert added[0]["by"]["session"] and added[0]["by"]["operation"]
    said = applied("since").out
    assert "+ Prefers CSV to Excel for exports." in said
    assert f"session {added[0]['by']['session']}" in said


def test_looking_does_not_move_the_mark_and_marking_does(applied: Program) -> None:
    assert applied.read("since")
    assert applied.read("since")
    assert applied.read("since", "--mark")
    assert applied.read("since") == []
    assert applied("since").out == "The agent learned nothing since then.\n"
    assert applied.read("since", "1d")


def test_the_log_shows_who_did_what_and_the_ids_to_take_it_back(applied: Program) -> None:
    told = applied.read("log", "--limit", "1000")
    assert [event["sequence"] for event in told["events"]] == list(
        range(1, len(told["events"]) + 1)
    )
    first, checkpoint, *rest = told["events"]
    assert (first["name"], len(first["detail"]["sums"])) == ("taken-in", 49)
    assert (checkpoint["name"], checkpoint["chain"]) == ("checkpoint", "")
    assert [event["line"] for event in rest] == list(range(2, len(rest) + 2))
    assert {event["actor"]["kind"] for event in rest} == {"policy"}
    assert told["operations"][0]["id"] in applied("log").out
    last = applied.read("log", "--limit", "2")["events"]
    assert last == told["events"][-2:]
    assert applied.read("log", "--after", "1", "--limit", "2")["events"] == told["events"][1:3]


def test_history_and_blame_tell_first_sight_from_outside_and_operations(applied: Program) -> None:
    memory = applied.home / "memories/MEMORY.md"
    memory.write_text(memory.read_text("utf-8") + "\n§\nBy hand.", "utf-8")
    causes = [one["cause"] for one in applied.read("history", "memory")]
    assert causes[0] == "seen" and causes[-1] == "outside" and "operation" in causes
    parts = applied.read("blame", "memory")
    assert parts[0]["by"]["cause"] == "seen"
    assert (parts[-1]["text"], parts[-1]["by"]["cause"]) == ("By hand.", "outside")


def test_since_sums_each_document_up_and_says_what_took_whose_place(applied: Program) -> None:
    found = {one["document"]: one for one in applied.read("since")}
    user = found["memories/USER.md"]
    assert user["summary"] == "1 new fact; automatic"
    assert user["amounts"]["added"] == user["amounts"]["automatic"] == 1
    assert {row["pair"] for row in user["rows"]} == {None}
    assert "1 new fact; automatic" in applied("since").out


def test_what_was_written_in_the_users_own_words_is_told_as_that_beside_the_agents(
    applied: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    own, agents = "Our errors are in Sentry", "Errors are in Sentry, project `ferrytime-api`."
    since = applied("since").out
    assert own in since and f"instead of the agent's: “{agents}”" in since
    assert f"applied automatically in your own words: add memory: {own}" in applied("log").out
    assert "applied automatically (in your own words)" in applied("blame", "memory").out


def test_a_revision_is_shown_then_restored_by_its_digest_and_undone(demo: Program) -> None:
    user = demo.home / "memories/USER.md"
    demo("status")
    first = user.read_bytes()
    demo("auto")
    second = user.read_bytes()
    revision = demo.read("history", "user")[0]["revision"][:16]
    shown = demo.read("restore", "user", revision)
    assert user.read_bytes() == second
    assert "Prefers CSV to Excel" in demo("restore", "user", revision).out
    assert demo("restore", "user", revision, "--digest", "0" * 12).code == 1
    assert user.read_bytes() == second
    done = demo.read("restore", "user", revision, "--digest", shown["digest"][:12])
    assert user.read_bytes() == first
    assert demo("undo", done["operation"]["id"]).code == 0
    assert user.read_bytes() == second
    assert demo("restore", "user", "ffffffffffff").code == 1


def test_recover_says_when_nothing_was_left_half_done(demo: Program) -> None:
    assert demo("recover").out == "No interrupted run was found.\n"
    assert demo.read("recover") == []


def test_doctor_finds_a_sound_home_sound(program: Program) -> None:
    program("auto")
    assert program("doctor").code == 0
    assert {one["level"] for one in program.read("doctor")} == {"ok", "note"}


def test_doctor_warns_of_an_open_gate_a_link_and_a_foreign_layout(
    program: Program, tmp_path: Path
) -> None:
    config = program.home / "config.yaml"
    config.write_text(
        "memory:\n  write_approval: true\nskills:\n  write_approval: 'off'\n", "utf-8"
    )
    user = program.home / "memories/USER.md"
    elsewhere = tmp_path / "USER.md"
    elsewhere.write_bytes(user.read_bytes())
    user.unlink()
    user.symlink_to(elsewhere)
    (program.home / "memories/MEMORY.md").write_text("§\n  padded  \n§\n", "utf-8")
    checks = program.read("doctor")
    warned = " ".join(one["message"] for one in checks if one["level"] == "warn")
    assert "skills.write_approval off" in warned
    assert "is a link to" in warned
    assert "not in Hermes' format" in warned
    assert program("doctor").code == 0


def test_the_log_has_one_line_for_a_decision_and_every_line_where_asked(program: Program) -> None:
    item = next(one for one in program.read("list") if one["state"] == "ready")
    program("approve", item["id"], "--digest", item["digest"])
    said = program("log").out
    assert " approved by " in said and not any(f" {step} " in said for step in ("begin", "finish"))
    assert f": {item['action']} " in said
    every = program("log", "--events").out
    assert all(f" {step} " in every for step in ("approve", "begin", "finish"))


def test_the_log_of_a_home_tells_what_happened_to_the_whole_ledger(
    demo: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: no_ancestors)
    for command in ("pause", "resume"):
        assert demo(command).code == 0
    told = [line.split()[2] for line in demo("log").out.splitlines()[1:]]
    assert told == ["paused", "resumed"]
    events = [event["name"] for event in demo.read("log")["events"]]
    events = [name for name in events if name.endswith(("paused", "resumed"))]
    assert events == ["pinned-paused", "paused", "pinned-paused", "resumed"]


def test_a_check_of_the_log_is_not_left_out_for_the_sake_of_its_export(demo: Program) -> None:
    ran = demo("log", "--verify", "--export")
    assert (ran.code, ran.out) == (2, ""), ran


def test_doctor_notices_that_the_log_was_changed(program: Program) -> None:
    program("auto")
    with closing(sqlite3.connect(program.ledger)) as connection, connection:
        guards = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'event'"
        for (name,) in connection.execute(guards).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE event SET subject = 'forged' WHERE position = 3")
    connection.close()
    bad = [one for one in program.read("doctor") if one["level"] == "bad"]
    assert [one["check"] for one in bad] == ["log"]
    assert "line 3" in bad[0]["message"]
    assert program("doctor").code == 1


def test_demo_writes_only_where_nothing_of_anybody_is(program: Program, tmp_path: Path) -> None:
    place = tmp_path / "made up"
    assert program("demo", str(place)).code == 0
    assert program("demo", str(place)).code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("mine")
    ran = program("demo", str(tmp_path / "mine"))
    assert ran.code == 1
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes"]
    assert f"--home '{place}'" in program("demo", str(place)).out


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2h", NOW - timedelta(hours=2)),
        ("3d", NOW - timedelta(days=3)),
        (" 1W ", NOW - timedelta(weeks=1)),
        ("90m", NOW - timedelta(minutes=90)),
        ("2026-05-01T00:00+02:00", datetime(2026, 4, 30, 22, tzinfo=UTC)),
    ],
)
def test_a_time_can_be_written_in_several_ways(text: str, meant: datetime) -> None:
    assert moment_of(text, NOW) == meant


@pytest.mark.parametrize(
    ("zone", "now", "today", "yesterday"),
    [
        ("Europe/Berlin", "2026-03-29T20:00", "2026-03-28T23:00", "2026-03-27T23:00"),
        ("Europe/Berlin", "2026-03-30T08:00", "2026-03-29T22:00", "2026-03-28T23:00"),
        ("Europe/Berlin", "2026-10-25T20:00", "2026-10-24T22:00", "2026-10-23T22:00"),
        ("Europe/Berlin", "2026-10-26T08:00", "2026-10-25T23:00", "2026-10-24T22:00"),
    ],
)
def test_a_day_begins_at_its_own_midnight_also_where_the_clock_was_changed_since(
    zone: str, now: str, today: str, yesterday: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for word, meant in (("today", today), ("yesterday", yesterday)):
            moment = moment_of(word, datetime.fromisoformat(f"{now}Z"))
            assert moment == datetime.fromisoformat(f"{meant}Z"), word
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("text", ["", "soon", "999999w", "2026-13-01", "-2h", "1e9d"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        moment_of(text, NOW)
