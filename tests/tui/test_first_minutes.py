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
SIZE: Final = (120, 40)


@pytest.fixture
def cockpit(tmp_path: Path, hermes_home: Path) -> Cockpit:
    """The deck over the fixture home, which nobody has looked at."""
    clock = Creeping()
    return Cockpit(
        hermes_home, tmp_path / "ledger.db", clock, Hermes(hermes_home, clock), now=clock
    )


async def test_ten_decisions_are_written_with_25_keys(cockpit: Cockpit) -> None:
    async with cockpit.open(size=SIZE) as deck:
        operator = Counted(deck)
        await operator.press("r", "7", "r", "7", "r", "7", "D", "y")
        decided = len(deck.drafts)
        await operator.write()
    assert decided >= 10
    assert PROMPT + len(operator.keys) <= 25


@pytest.mark.slow  # fifty diffs are worked out and painted, one after the other
async def test_all_fifty_are_decided_with_fewer_than_60_keys(cockpit: Cockpit) -> None:
    async with cockpit.open(size=SIZE) as deck:
        operator = Counted(deck)
        assert sum(deck.screen.backlog.states.values()) == 50
        await operator.skim()
        await operator.decide_on_all()
        assert len(deck.drafts) == 50
        await operator.write()
        await operator.press("q", "q")
        left = deck.ids
    assert left == []
    assert PROMPT + len(operator.keys) < 60
