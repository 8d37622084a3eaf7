"""A morning on the sample home, key by key: `benchmarks/README.md` has the same as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.tui.kit_deck import Cockpit, Driver, Hermes
from tests.tui.test_snapshots import NOW, Creeping

from reviewdeck.demo import write_demo
from reviewdeck.model import QueueItem, State
from reviewdeck.presentation.proposal_words import is_dangerous
from reviewdeck_tui.screens.dialogs import SureDialog
from reviewdeck_tui.screens.merge import MergeScreen
from reviewdeck_tui.screens.skim import SkimScreen
from reviewdeck_tui.screens.summary import SummaryScreen

MOST: Final = 50
"""Keys from the open deck to the closed one, with some forty proposals to decide on."""


class Counted:
    """An operator who reads every diff, and counts the keys."""

    def __init__(self, deck: Driver) -> None:
        self.deck = deck
        self.keys: list[str] = []

    async def press(self, *keys: str) -> None:
        self.keys += keys
        await self.deck.press(*keys)

    async def decide_on_all(self) -> None:
        """The riskiest first; the cursor goes on by itself."""
        while (item := self.deck.screen.current) is not None:
            if item.id in self.deck.drafts or item.state is State.QUARANTINED:
                break
            if item.state is State.CONFLICT:
                await self.press("m")
                await self.deck.until(lambda: isinstance(self.deck.app.screen, MergeScreen))
                await self.merge_all()
            else:
                await self.press(*(("r", "7") if is_unwanted(item) else ("a",)))
        if self.deck.screen.backlog.states.get(State.DEAD):  # They are folded.
            await self.press("D")
            await self.deck.until(lambda: isinstance(self.deck.app.screen, SureDialog))
            await self.press("y")

    async def skim(self) -> None:
        """Reads in a row what waits only for its origin, and drafts all of it."""
        await self.press("O")
        await self.deck.until(lambda: isinstance(self.deck.app.screen, SkimScreen))
        screen = self.deck.app.screen
        assert isinstance(screen, SkimScreen)
        while len(screen.to_approve) < len(screen.card_list.cards):
            await self.press("space")
        await self.press("a")
        await self.deck.until(lambda: bool(self.deck.drafts))

    async def merge_all(self) -> None:
        """One conflict after the other: what is live stays, but for every third."""
        done = 0
        while isinstance(screen := self.deck.app.screen, MergeScreen):
            await self.merge_one(screen, "3" if done % 3 == 2 else "2")
            done += 1

    async def merge_one(self, screen: MergeScreen, pick: str) -> None:
        deck, before = self.deck, len(self.deck.drafts)
        assert len(screen.session.merging.open) == 1
        await self.press(pick)
        await deck.until(lambda: screen.is_painted)
        await self.press("a")
        await deck.until(lambda: len(deck.drafts) > before)
        await deck.settle()
        await deck.until(lambda: deck.app.screen is not screen or bool(screen.session.merging.open))

    async def write(self) -> None:
        deck = self.deck
        await self.press("ctrl+s")
        await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        screen = deck.app.screen
        assert isinstance(screen, SummaryScreen)
        await deck.until(lambda: screen._is_painted)
        await self.press("y")
        await deck.until(lambda: screen._report is not None)


def is_unwanted(item: QueueItem) -> bool:
    """What this operator turns down: what is refused, and what is dangerous and adds something."""
    is_removal = item.action.startswith(("remove", "delete"))
    return item.state is State.REFUSED or (is_dangerous(item) and not is_removal)


@pytest.mark.slow  # some forty diffs are worked out and painted, one after the other
async def test_a_morning_on_the_made_up_home_takes_about_forty_keys(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", Creeping()
    write_demo(home, NOW)
    cockpit = Cockpit(home, tmp_path / "ledger.db", clock, Hermes(home, clock), now=clock)
    engine = cockpit.engine()
    engine.auto()
    engine.close()
    async with cockpit.open(size=(120, 40)) as deck:
        operator = Counted(deck)
        waiting = len(deck.ids)
        await operator.decide_on_all()
        decided = len(deck.drafts)
        await operator.write()
        await operator.press("q", "q")
        left = {deck.screen.items[id].state for id in deck.ids}
    assert left == {State.QUARANTINED}
    assert decided >= waiting - 2 >= 30
    assert len(operator.keys) <= MOST
