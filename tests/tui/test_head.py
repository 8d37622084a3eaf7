"""The first line of the deck: the morning in one line, as far as there is room."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reviewdeck.model import Allowance, State
from reviewdeck_tui.queue.bars import head_line
from reviewdeck_tui.queue.view import QueueView, Stock

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
STOCK = Stock(
    homes={"/h": "default"},
    budgets={"/h": [("MEMORY", Allowance(1620, 2200)), ("USER", Allowance(143, 1375))]},
    states={State.CONFLICT: 3, State.REFUSED: 1, State.READY: 9},
    unseen=7,
    oldest=NOW - timedelta(days=2),
    is_whole=True,
)
MORNING = "7 learnt, 3 conflicts, 1 attack stopped, oldest waiting 2 days"


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (200, f"reviewdeck  home default   {MORNING} · 13 of 13 left"),
        (120, f"home default   {MORNING}   "),
        (80, "home default   7 learnt, 3 conflicts, 1 stopped, oldest 2d   "),
    ],
)
def test_the_morning_leads_where_it_fits_and_memories_are_told_everywhere(
    width: int, said: str
) -> None:
    line = head_line(STOCK, QueueView(), width, NOW).plain
    assert line.strip().startswith(said)
    assert "MEMORY 1620/2200" in line
    assert len(line) <= width
