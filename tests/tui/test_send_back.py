"""`f`: a proposal goes back to the agent with a note."""

from __future__ import annotations

from tests.tui.kit_deck import Cockpit

from reviewdeck.model import State


async def test_a_note_rejects_and_stands_where_the_proposal_is_looked_at(cockpit: Cockpit) -> None:
    cockpit.agent.add("The database is slow.")
    cockpit.take_in()
    async with cockpit.open() as deck:
        id = deck.cursor
        await deck.press("f", *"which one?", "enter")
        assert "sent back: which one?" in deck.line("title") or deck.ids == []
        await deck.press("ctrl+s")
        await deck.until(lambda: deck.app.screen is not deck.screen)
        await deck.press("y")
        await deck.until(lambda: "DONE" in deck.line("head"))
        await deck.press("q", "4", "tab", "tab")
        assert deck.screen.items[id].state is State.REJECTED
        assert "sent back: which one?" in deck.shown()


async def test_without_a_note_nothing_is_sent_back(cockpit: Cockpit) -> None:
    cockpit.agent.add("The database is slow.")
    cockpit.take_in()
    async with cockpit.open() as deck:
        await deck.press("f", "enter", "f", "escape")
        assert deck.drafts == {}
