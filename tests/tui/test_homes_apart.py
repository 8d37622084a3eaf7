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


async def test_the_counts_are_those_of_the_home_in_view(
    cockpit: Cockpit, neighbour: Cockpit
) -> None:
    for words in ("Standup is at nine.", "Retro is on Fridays."):
        cockpit.agent.add(words)
    neighbour.agent.add("Lunch is at noon.")
    both = replace(cockpit, homes=(cockpit.home, neighbour.home))
    async with both.open(size=(140, 30)) as deck:
        assert "3 to decide" in deck.line("head") and "1 Decide 3" in deck.line("lanes")
        await deck.press("a")
        assert "2 to decide" in deck.line("head") and "3 Drafts 1" in deck.line("lanes")
        seen = {}
        for _ in range(2):
            await deck.press("H")
            home = deck.screen.view.home
            waiting = sum(id not in deck.drafts for id in deck.ids)
            words = f"{waiting or 'nothing'} to decide"
            assert words in deck.line("head")
            assert f"1 Decide {waiting}" in deck.line("lanes")
            assert f"4 All {len(deck.ids)}" in deck.line("lanes")
            seen[home] = len(deck.ids)
        assert sorted(seen.values()) == [1, 2]
        assert "apply 1" in deck.line("keys")
        await deck.press("H")
        assert "1 Decide 2" in deck.line("lanes")


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
