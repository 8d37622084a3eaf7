"""The first line of the deck: the morning in one line, as far as there is room."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reviewdeck.model import Allowance, State
from reviewdeck_tui.queue.bars import head_line, lane_line
from reviewdeck_tui.queue.view import Backlog, Lane, QueueView

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
STOCK = Backlog(
    homes={"/h": "default"},
    budgets={"/h": [("MEMORY", Allowance(1620, 2200)), ("USER", Allowance(143, 1375))]},
    states={State.CONFLICT: 3, State.REFUSED: 1, State.READY: 9},
    unseen=7,
    oldest=NOW - timedelta(days=2),
    is_complete=True,
)
MORNING = (
    "7 applied without you, 1 attack stopped, 12 to decide, 3 of them conflicts, oldest 2 days"
)


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (200, f"reviewdeck  home default   {MORNING}  "),
        (130, f"home default   {MORNING}   "),
        (90, "home default   7 applied, 1 stopped, 12 to decide (3 conflicts)   "),
    ],
)
def test_the_morning_leads_where_it_fits_and_memories_are_told_everywhere(
    width: int, said: str
) -> None:
    line = head_line(STOCK, QueueView(), width, NOW).plain
    assert line.strip().startswith(said)
    assert "MEMORY 1620/2200" in line
    assert len(line) <= width


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (
            200,
            "1 dangerous change is live, 2 outside changes to review, 7 applied without you",
        ),
        (100, "1 dangerous live, 2 live, 7 applied, 1 stopped, 12 to decide (3 conflicts)"),
    ],
)
def test_what_is_dangerous_and_live_leads(width: int, said: str) -> None:
    backlog = replace(STOCK, states={**STOCK.states, State.LIVE: 3}, dangerous=1)
    assert f"home default   {said}" in head_line(backlog, QueueView(), width, NOW).plain


@pytest.mark.parametrize("width", [200, 120, 80])
def test_open_gates_are_said_whatever_waits(width: int) -> None:
    direct = {"/h": "Gates are off: Hermes writes directly.", "/other": ""}
    backlog = replace(STOCK, direct=direct, standing="unsigned")
    assert "gates off · unsigned" in head_line(backlog, QueueView(), width, NOW).plain
    assert "gates off" not in head_line(backlog, QueueView(home="/other"), width, NOW).plain
    assert "gates off" not in head_line(STOCK, QueueView(), width, NOW).plain


@pytest.mark.parametrize("width", range(40, 161))
def test_two_spaces_part_what_waits_from_how_decisions_are_authorised(width: int) -> None:
    line = head_line(replace(STOCK, standing="unsigned"), QueueView(), width, NOW).plain
    assert "unsigned" not in line or "  unsigned " in line


@pytest.mark.parametrize("width", [60, 80])
def test_of_several_homes_the_one_in_view_is_named_where_little_else_fits(width: int) -> None:
    direct = {"/h": "Gates are off: Hermes writes directly."}
    homes = {"/h": "default", "/w": "work"}
    backlog = replace(STOCK, homes=homes, direct=direct, standing="unsigned")
    line = head_line(backlog, QueueView(home="/h"), width, NOW)
    assert line.plain.startswith(" home default 1/2 (H)  7 applied, 1")
    assert "…  gates off · unsigned" in line.plain and line.cell_length <= width


def test_no_number_of_homes_is_named_before_they_are_read() -> None:
    line = head_line(Backlog(), QueueView(), 120, NOW).plain
    assert "loading…" in line and "home" not in line


def test_no_lane_is_said_to_be_empty_before_it_is_read() -> None:
    new_ledger = Backlog(states=dict.fromkeys(State, 0))
    for unread in (Backlog(), new_ledger):
        assert " 1 Decide …" in lane_line(unread, QueueView(lane=Lane.ALL), "", 80).plain
    assert "4 All 0" in lane_line(Backlog(is_complete=True), QueueView(), "", 80).plain
