"""The hub goes away for a while: the deck stays, says so, and goes on when it is back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer

import pytest
from tests import postgres
from tests.engine.machines import DESK, HOST
from tests.ledger.cutting import Cutting
from tests.ledger.databases import drop_databases, postgres_url
from tests.tui.kit_deck import Cockpit, Driver, is_idle

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck_tui.screens.dialogs import HostsDialog

PROPOSALS = 90
"""More than are read at once."""


@dataclass
class Hub(Cockpit):
    """The place of an operator without a home, over a server that can be shut."""

    url: str = ""

    @property
    def settings(self) -> Settings:
        return replace(super().settings, ledger=self.url, homes=(), host=DESK, elsewhere=())

    @property
    def of_host(self) -> Settings:
        return replace(self.settings, homes=(self.home,), host=HOST)

    def open_up(self, *, is_open: bool) -> None:
        """Lets programs in, or puts them out and lets none in."""
        name = self.url.partition("@/")[2].partition("?")[0]
        with postgres.server().connect() as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {is_open}")
        if not is_open:
            postgres.server().hang_up(name)


@pytest.fixture
def hub(cockpit: Cockpit, tmp_path: Path) -> Iterator[Hub]:
    parts = cockpit.home, cockpit.ledger, cockpit.clock, cockpit.agent
    hub = Hub(*parts, url=postgres_url(tmp_path))
    for number in range(PROPOSALS):
        hub.agent.add(f"Fact number {number} is about pier {number * 7}.")
    host = open_engine(hub.of_host, now=hub.clock)
    host.intake()
    host.close()
    yield hub
    hub.open_up(is_open=True)
    drop_databases()


async def look_again(deck: Driver) -> None:
    """As the deck does each second; what was said before that is over."""
    await deck.until(lambda: is_idle(deck.app))
    deck.screen.clear_message()
    await deck.refresh()
    await deck.until(lambda: is_idle(deck.app))


async def test_no_key_ends_the_deck_while_the_hub_does_not_answer(hub: Hub) -> None:
    words = "j G g a r escape s s 4 1 U C C i space ctrl+s b escape o T R enter J escape z G"
    async with hub.open(size=(120, 30)) as deck:
        hub.open_up(is_open=False)
        await deck.pilot.press("G")
        await deck.pilot.pause(0.02)
        assert "not read: the ledger does not answer" in deck.line("title")
        assert deck.shown().count("not read: the ledger does not answer") > 1
        for key in words.split(" "):
            await deck.pilot.press(key)
            await deck.pilot.pause(0.02)
        await look_again(deck)
        assert deck.app.return_code is None
        assert "The hub does not answer: what you see is as of " in deck.strip


async def test_what_was_pressed_in_vain_is_said_and_all_is_there_when_the_hub_is_back(
    hub: Hub,
) -> None:
    async with hub.open(size=(80, 24)) as deck:
        id, text = deck.cursor, deck.screen.items[deck.cursor].gist
        hub.open_up(is_open=False)
        await deck.pilot.press("a")
        await deck.until(lambda: "Not done: the hub does not answer." in deck.strip)
        await deck.until(lambda: "undo:" not in deck.line("keys"))
        await deck.pilot.press("j", "j")
        await deck.until(lambda: f"+ {text}" not in deck.shown())
        await deck.pilot.press("G")
        await look_again(deck)
        assert "It is asked again." in deck.strip
        hub.open_up(is_open=True)
        await deck.refresh()
        await deck.until(lambda: "The hub answers again." in deck.strip)
        await deck.settle()
        assert "not read" not in deck.shown()
        assert not deck.drafts
        await deck.press("g")
        assert deck.cursor == id
        await deck.press("a")
        assert list(deck.drafts) == [id]
        await deck.press("U")
        await deck.until(lambda: isinstance(deck.app.screen, HostsDialog))


async def test_keys_go_on_while_nothing_that_is_said_to_the_hub_arrives(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewdeck_tui.controllers.poll.SILENCE", 0.0)
    monkeypatch.setattr("reviewdeck_tui.engine.PATIENCE", 0.2)
    with Cutting(hub.url) as network:
        hub.url = network.url
        async with hub.open(size=(120, 30)) as deck:
            network.passes.clear()
            ends = Timer(60.0, network.passes.set)  # Where a key waits for it, the test fails.
            ends.start()
            await deck.pilot.press("G")
            await deck.pilot.pause(0.02)
            assert "not read: the ledger does not answer" in deck.line("title")
            await deck.pilot.press("g", "j", "?", "escape")
            what = "The hub does not answer: what you see is as"
            await deck.until(lambda: what in str(deck.screen.standing_words()))
            deck.screen.clear_message()
            assert what in deck.strip
            assert not network.passes.is_set()
            network.passes.set()
            ends.cancel()
            await deck.until(lambda: "The hub answers again." in deck.strip)
            await deck.press("G")
            assert "not read" not in deck.shown()


async def test_that_a_hub_answers_again_covers_no_other_message(hub: Hub) -> None:
    async with hub.open(size=(80, 24)) as deck:
        hub.open_up(is_open=False)
        await look_again(deck)
        deck.screen.clear_message()
        assert "It is asked again." in deck.strip
        hub.open_up(is_open=True)
        deck.screen.say("Voted.")
        await deck.refresh()
        await deck.until(lambda: is_idle(deck.app))
        assert "does not answer" not in str(deck.screen.standing_words())
        assert "Voted." in deck.strip


@pytest.mark.parametrize("opens", ["B", "2", "ctrl+s", "M", "I"])
async def test_no_key_of_another_screen_ends_it_either(hub: Hub, opens: str) -> None:
    async with hub.open(size=(120, 30)) as deck:
        await deck.press("a")
        await deck.pilot.press(opens)
        await deck.until(lambda: deck.app.screen is not deck.screen)
        await deck.pilot.pause(0.2)
        hub.open_up(is_open=False)
        words = "j k G g e enter y J u space r z escape"
        for key in words.split(" "):
            await deck.pilot.press(key)
            await deck.pilot.pause(0.02)
        await deck.until(lambda: is_idle(deck.app))
        assert deck.app.return_code is None
