"""A ledger may hold the drafts of other homes: the deck shows and changes those of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import set_entries
from tests.tui.kit_deck import Cockpit, Hermes


@pytest.fixture
def neighbour(cockpit: Cockpit, tmp_path: Path) -> Cockpit:
    """Another home with the same ledger."""
    root = tmp_path / "neighbour"
    for folder in ("memories", "pending/memory", "pending/skills", "skills"):
        (root / folder).mkdir(parents=True)
    set_entries(root, "The office is in Oslo.")
    return replace(cockpit, home=root, agent=Hermes(root, cockpit.clock), homes=())


async def test_drafts_of_a_home_that_is_not_open_are_neither_counted_nor_undone(
    cockpit: Cockpit, neighbour: Cockpit
) -> None:
    cockpit.agent.add("Standup is at nine.")
    cockpit.take_in()
    async with cockpit.open() as deck:
        await deck.press("a")
        drafted = set(deck.drafts)
        assert len(drafted) == 1
    neighbour.agent.add("Lunch is at noon.")
    neighbour.take_in()
    async with neighbour.open() as deck:
        assert not deck.drafts
        assert "draft" not in deck.line("head") and "apply 1" not in deck.line("keys")
        assert "undo" not in deck.line("keys")
        await deck.press("z")
        assert "nothing to undo" in deck.strip
        await deck.press("ctrl+s")
        assert "There are no drafts" in deck.strip
        await deck.press("a")
        await deck.write_drafts()
        await deck.press("z", "z")
    engine = cockpit.engine()
    assert {draft.proposal for draft in engine.drafts} == drafted
    engine.close()
    both = replace(cockpit, homes=(cockpit.home, neighbour.home))
    async with both.open() as deck:
        assert drafted <= set(deck.drafts)
