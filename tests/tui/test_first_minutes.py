"""The fixture home from the prompt of a shell: how many keys its fifty proposals take."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.tui.kit_deck import Cockpit, Hermes
from tests.tui.test_morning import Counted
from tests.tui.test_snapshots import Creeping

PROMPT: Final = len("reviewdeck") + 1
"""Keys at the prompt of a shell: the command, and enter."""
MOST_FOR_TEN: Final = 25
MOST_FOR_ALL: Final = 59


@pytest.mark.slow  # fifty diffs are worked out and painted, one after the other
async def test_ten_decisions_take_25_keys_and_all_fifty_fewer_than_60(
    tmp_path: Path, hermes_home: Path
) -> None:
    clock = Creeping()
    agent = Hermes(hermes_home, clock)
    cockpit = Cockpit(hermes_home, tmp_path / "ledger.db", clock, agent, now=clock)
    async with cockpit.open(size=(120, 40)) as deck:
        operator = Counted(deck)
        assert len(deck.ids) == 50
        await operator.press("r", "7", "r", "7", "r", "7", "D", "y")
        ten = len(deck.drafts)
        await operator.write()
        keys_of_ten = PROMPT + len(operator.keys)
        await operator.press("q")
        await operator.decide_on_all()
        await operator.write()
        await operator.press("q", "q")
        left = deck.ids
    assert ten >= 10
    assert keys_of_ten <= MOST_FOR_TEN
    assert left == []
    assert len(operator.keys) <= MOST_FOR_ALL
