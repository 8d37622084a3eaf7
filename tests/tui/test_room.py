"""A full memory in the deck: F proposes what makes room, E sets until when an entry holds."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.engine.kit import entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.pictures import SIZES, different_pictures, opened
from textual.widgets import Input

LONG = "The linter is ruff, as it was for a long time in this project."
FREEZE = "The code freeze for the big release is on until October 2025."


@pytest.fixture
def full(cockpit: Cockpit) -> Cockpit:
    """A deck over a memory that has no room for what waits."""
    for path in (cockpit.home / "pending").rglob("*.json"):
        path.unlink()
    facts = [f"The service number {n} listens on the port {8000 + n}." for n in range(42)]
    set_entries(cockpit.home, "Tests run with tox.", FREEZE, *facts)
    cockpit.agent.add(LONG)
    return cockpit


def _says(deck: Driver, words: str) -> bool:
    return words in deck.strip


async def _made(deck: Driver) -> None:
    await deck.press("F")
    await deck.until(lambda: "This takes out 1 entry" in deck.strip)


async def test_room_is_made_and_the_entry_goes_in_by_keys(full: Cockpit) -> None:
    async with full.open() as deck:
        assert "make room" in deck.line("keys")
        waiting = deck.cursor
        await _made(deck)
        assert deck.cursor != waiting
        assert "freeze" in deck.shown()
        assert FREEZE in entries(full.home)
        await deck.press("a")
        await deck.write_drafts()
        await deck.until(lambda: FREEZE not in entries(full.home))
        await deck.settle()
        await deck.go_to(waiting)
        await deck.press("j", "a")  # It changed: a movement key says that it was read again.
        await deck.write_drafts()
        assert entries(full.home)[-1] == LONG


async def test_what_makes_room_is_shown_though_a_filter_hides_it(full: Cockpit) -> None:
    async with full.open() as deck:
        await deck.press("slash", *"ruff", "enter")
        waiting = deck.cursor
        await _made(deck)
        assert deck.cursor != waiting
        assert "freeze" in deck.shown()


async def test_where_too_little_can_go_the_deck_says_so(full: Cockpit) -> None:
    set_entries(full.home, "Tests run with tox.", "x" * 2170)
    async with full.open() as deck:
        await deck.press("F")
        await deck.until(lambda: "frees 0" in deck.strip)
        assert len(deck.ids) == 1


async def test_what_fits_is_offered_no_room(cockpit: Cockpit) -> None:
    cockpit.agent.add("The linter is ruff.")
    async with cockpit.open() as deck:
        assert "make room" not in deck.line("keys")


async def test_what_is_larger_than_the_memory_is_offered_no_room(cockpit: Cockpit) -> None:
    own = cockpit.agent.add("y" * 3000)
    async with cockpit.open() as deck:
        await deck.go_to(cockpit.ours(own))
        assert "make room" not in deck.line("keys")
        await deck.press("F")
        await deck.until(lambda: "No room can be made" in deck.strip)


async def test_the_day_until_which_an_entry_holds_is_kept_with_it(cockpit: Cockpit) -> None:
    own = cockpit.agent.add("The linter is ruff.")
    async with cockpit.open() as deck:
        await deck.go_to(cockpit.ours(own))
        for words, answer in (
            ("soon", "no day"),
            ("2020-01-01", "is over"),
            ("2031-05-01", "until"),
        ):
            await deck.press("E")
            deck.app.screen.query_one(Input).value = words
            await deck.press("enter")
            await deck.until(partial(_says, deck, answer))
    engine = cockpit.engine()
    assert engine.ledger.ends(engine.home_ids[0]) == {engine.find(own).id: date(2031, 5, 1)}
    engine.close()


async def test_what_makes_room_looks_as_it_did(
    full: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    moment = full.clock.moment + timedelta(hours=2)
    full.now = lambda: moment  # Ages do not depend on how often the clock is asked.
    sizes = SIZES[:1]  # A larger one has ids, which the place of the home is part of.
    app = opened(full)
    assert await different_pictures(app, _made, snapshot, tmp_path, sizes=sizes) == []
