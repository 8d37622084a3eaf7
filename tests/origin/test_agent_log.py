"""Which session the agent's log names: within milliseconds, and one alone."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.origin.kit import NOON, fork_lines, tool_line, turn_line, write_log

from reviewdeck.homes.hermes.agent_log import LIMIT, REVIEW, LoggedCall, read_log

MILLISECOND = timedelta(milliseconds=1)


def named(home: Path, tool: str = "memory") -> LoggedCall | None:
    return read_log(home).find_call(NOON, tool)


@pytest.mark.parametrize(
    ("after", "is_named"), [(-3, False), (-2, True), (0, True), (250, True), (251, False)]
)
def test_a_line_counts_within_its_span(home: Path, after: int, is_named: bool) -> None:
    write_log(home, [tool_line("s1", "memory", NOON + after * MILLISECOND)])
    assert (named(home) is not None) is is_named


def test_the_start_of_the_review_and_what_it_called_are_told(home: Path) -> None:
    write_log(home, [turn_line("s1", NOON - timedelta(minutes=1), 4, "Hello.")])
    write_log(home, fork_lines("s1", NOON, replayed=6, also=["skill_view", "skill_view"]))
    found = named(home)
    assert found is not None
    assert (found.session, found.history) == ("s1", 6)
    assert found.review_began == NOON - timedelta(milliseconds=400)
    assert found.tools == ("skill_view", "skill_view", "memory")


def test_of_several_reviews_at_once_the_latest_start_counts(home: Path) -> None:
    write_log(home, fork_lines("s1", NOON - timedelta(milliseconds=100), replayed=2))
    write_log(home, fork_lines("s1", NOON, replayed=4))
    found = read_log(home).find_call(NOON + 300 * MILLISECOND - 298 * MILLISECOND, "memory")
    assert found is not None
    assert found.history == 4


def test_another_tool_and_a_call_that_failed_name_nothing(home: Path) -> None:
    write_log(home, [tool_line("s1", "skill_manage", NOON)])
    write_log(home, [tool_line("s1", "memory", NOON, outcome="failed")])
    assert named(home) is None
    assert named(home, "skill_manage") is not None


@pytest.mark.parametrize("outcome", ["completed", "failed", "cancelled"])
def test_a_second_session_within_the_span_makes_it_unknown(home: Path, outcome: str) -> None:
    write_log(home, [tool_line("s1", "memory", NOON)])
    write_log(home, [tool_line("s2", "memory", NOON + 200 * MILLISECOND, outcome=outcome)])
    assert named(home) is None


def test_a_line_in_the_middle_of_another_one_is_none(home: Path) -> None:
    line = tool_line("s2", "memory", NOON)
    write_log(home, [f"x {line}", f"2026-03-02 ERROR said: {line}"])
    assert named(home) is None


def test_a_line_of_a_time_that_no_zone_has_is_none(home: Path) -> None:
    zone = ZoneInfo("Asia/Tokyo")
    start = turn_line("s1", NOON, 4, REVIEW)
    write_log(home, [f"0001-01-01 00:00:00,000{start[23:]}"])
    write_log(home, [tool_line("s1", "memory", NOON, zone=zone)])
    found = read_log(home, zone).find_call(NOON, "memory")
    assert found is not None and found.review_began is None


def test_rotated_files_are_read_and_no_more_than_three(home: Path) -> None:
    line = [tool_line("s1", "memory", NOON)]
    write_log(home, line, "agent.log.4")
    assert named(home) is None
    write_log(home, line, "agent.log.3")
    assert named(home) is not None


def test_only_the_end_of_a_large_file_is_read(home: Path) -> None:
    write_log(home, [tool_line("s1", "memory", NOON)])
    assert named(home) is not None
    path = write_log(home, ["x" * 1023 + "\n"] * (LIMIT // 1024 + 1))
    assert named(home) is None
    with path.open("a", encoding="utf-8") as file:
        file.write(tool_line("s2", "memory", NOON))
    found = named(home)
    assert found is not None
    assert found.session == "s2"


def test_a_link_a_pipe_a_folder_and_garbage_have_no_lines(home: Path, tmp_path: Path) -> None:
    path = write_log(home, [tool_line("s1", "memory", NOON)])
    path.rename(tmp_path / "aside.log")
    path.symlink_to(tmp_path / "aside.log")
    assert named(home) is None
    path.unlink()
    os.mkfifo(path)
    assert named(home) is None
    path.unlink()
    path.mkdir()
    assert named(home) is None
    path.rmdir()
    path.write_bytes(
        b"\xff\0[" * 9999 + b"\n2026-99-99 99:99:99,999 INFO [s] agent.tool_executor: "
    )
    assert named(home) is None


def test_an_hour_that_comes_twice_names_nothing_and_the_next_one_does(home: Path) -> None:
    zone = ZoneInfo("Europe/Berlin")
    first = NOON.replace(month=10, day=25, hour=0, minute=30)
    for hours in range(3):
        moment = first + timedelta(hours=hours)
        write_log(home, [tool_line(f"s{hours}", "memory", moment, zone)])
    log = read_log(home, zone)
    told = [log.find_call(first + timedelta(hours=hours), "memory") for hours in range(3)]
    assert [one.session if one else None for one in told] == [None, None, "s2"]


def test_what_was_called_in_an_hour_that_comes_twice_counts_before_its_second_time(
    home: Path,
) -> None:
    zone = ZoneInfo("Europe/Berlin")
    first = NOON.replace(month=10, day=25, hour=0, minute=50)
    write_log(home, [tool_line("s", "web_extract", first, zone)])
    log = read_log(home, zone)
    assert log.calls("s", first + timedelta(minutes=20)) == {"web_extract": 1}
    assert log.calls("s", first - timedelta(minutes=1)) == {}
