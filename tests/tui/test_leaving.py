"""Leaving the deck while it looks at a home for long."""

from __future__ import annotations

import pytest
from tests.tui.kit_deck import Cockpit

from reviewdeck.errors import LedgerUnavailable
from reviewdeck_tui.app import open_app
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.preferences import Preferences


def test_a_look_at_the_homes_is_broken_off_and_done_again_the_next_time(cockpit: Cockpit) -> None:
    cockpit.agent.add("The linter is ruff.")
    left, again = (
        EngineWorker(cockpit.settings, cockpit.clock),
        EngineWorker(cockpit.settings, cockpit.clock),
    )
    left.abandon()
    assert left.refresh(force=True) is None
    left.close()
    engine = cockpit.engine()
    (one,) = engine.homes
    assert not engine.is_fresh(one)
    engine.close()
    backlog = again.refresh()
    again.close()
    assert backlog is not None
    assert len(backlog.store) == 1


async def test_leaving_breaks_it_off(cockpit: Cockpit) -> None:
    broken_off: list[bool] = []

    class Watched(EngineWorker):
        def abandon(self) -> None:
            broken_off.append(True)
            super().abandon()

    async with cockpit.open() as deck:
        await deck.until(lambda: deck.app._engine is not None)
        deck.app._engine.__class__ = Watched
        await deck.press("q")
        await deck.until(lambda: bool(broken_off))


async def test_what_still_waits_when_the_deck_ends_opens_nothing_again(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        late = deck.screen
    for ask in (lambda: late.engine.bookmarks, lambda: late.engine.refresh(force=True)):
        with pytest.raises(LedgerUnavailable, match="has ended"):
            ask()
    never = open_app(cockpit.settings, Preferences())
    never.close_engine()
    with pytest.raises(LedgerUnavailable, match="has ended"):
        never.open_engine().refresh()
