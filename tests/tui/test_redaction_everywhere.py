"""No screen shows a secret in passing: each covers it until the operator asks for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.engine.kit import MEMORY, entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.test_changes import learn
from tests.tui.test_documents import browse
from tests.tui.test_plain import talk

from reviewdeck.model import State
from reviewdeck.text.redact import Redaction
from reviewdeck_tui.keys import SECRETS
from reviewdeck_tui.proposal.redaction import RedactedCards
from reviewdeck_tui.screens.compare import CompareScreen
from reviewdeck_tui.screens.consolidate import ConsolidateScreen
from reviewdeck_tui.screens.summary import SummaryScreen
from reviewdeck_tui.widgets.cards import Card, Leaf
from reviewdeck_tui.widgets.facts_view import FactsView

TOKEN = "ghp_" + "a1B2" * 9  # made up here, and of no use
TOLD = TOKEN[4:12]
"""What of it no cover shows."""
NEW = "ghp_" + "c3D4" * 9


@pytest.fixture
def keeping(cockpit: Cockpit) -> Cockpit:
    """A memory in which somebody wrote a token, and a proposal that replaces it."""
    cockpit.take_in()
    set_entries(cockpit.home, *entries(cockpit.home), f"The staging token is {TOKEN}.")
    cockpit.agent.replace("staging token", f"The staging token is {NEW}.")
    deck = cockpit.engine()
    deck.intake()
    (by_hand,) = (item for item in deck.pending() if item.state is State.LIVE)
    deck.keep(by_hand.id, deck.get(by_hand.id).digest or "")
    deck.close()
    return cockpit


def covers(said: str) -> bool:
    """Whether none of both tokens is told."""
    return TOLD not in said and NEW[4:12] not in said


@asynccontextmanager
async def wide(cockpit: Cockpit) -> AsyncIterator[Driver]:
    """The deck with room for every pane."""
    async with cockpit.open(size=(150, 50)) as deck:
        yield deck


async def summary(deck: Driver) -> SummaryScreen:
    """Approves what is in front, and opens the summary."""
    await deck.press("a", "ctrl+s")
    await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
    screen = deck.app.screen
    assert isinstance(screen, SummaryScreen)
    await deck.until(lambda: screen._is_painted)
    return screen


async def test_the_panes_cover_what_they_quote(keeping: Cockpit) -> None:
    keeping.agent.add(f"The staging token is {TOKEN} now.")
    keeping.take_in()
    async with wide(keeping) as deck:
        while deck.screen.items[deck.cursor].action != "add":
            await deck.press("j")
        panes = deck.screen.query_one(FactsView)
        assert "“The staging token is ••••••••" in str(panes.content)
        assert covers(str(panes.content))
        deck.screen.action_secrets()
        await deck.settle()
        assert not covers(str(panes.content))


async def test_the_summary_covers_its_diff_and_what_to_look_at_again(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        screen = await summary(deck)
        assert "LOOK AGAIN" in deck.shown()
        assert covers(deck.shown())
        assert SECRETS in [one.title for one in screen.palette_commands()]
        screen.action_secrets()
        await deck.settle()
        assert TOKEN in deck.shown()
        assert NEW in deck.shown()


async def test_a_lost_secret_is_covered_under_look_again(keeping: Cockpit) -> None:
    keeping.agent.memory("remove", old_text="staging token")
    keeping.take_in()
    async with wide(keeping) as deck:
        while deck.screen.items[deck.cursor].action != "remove":
            await deck.press("j")
        screen = await summary(deck)
        assert "- lost" in deck.line("warnings") and covers(deck.line("warnings"))
        screen.action_secrets()
        await deck.settle()
        assert TOKEN in "".join(deck.line("warnings").split())


async def test_what_is_written_is_not_covered(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        screen = await summary(deck)
        await deck.press("y")
        await deck.until(lambda: screen._report is not None)
    assert f"The staging token is {NEW}." in entries(keeping.home)


async def test_lane_2_covers_what_was_learnt(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        screen = await learn(deck)
        await deck.until(lambda: "staging token" in deck.shown())
        assert covers(deck.shown())
        screen.action_secrets()
        await deck.until(lambda: TOKEN in deck.shown())


async def test_documents_cover_their_texts_and_what_is_compared(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        screen = await browse(deck)
        await deck.until(lambda: "staging token" in deck.shown())
        assert covers(deck.shown())
        await deck.press("tab", "tab", "enter")
        await deck.until(lambda: isinstance(deck.app.screen, CompareScreen))
        await deck.until(lambda: "staging token" in deck.shown())
        assert covers(deck.shown())
        await deck.press("escape")
        screen.action_secrets()
        await deck.until(lambda: TOKEN in deck.shown())


async def test_entries_that_are_alike_are_covered(keeping: Cockpit) -> None:
    async with wide(keeping) as deck:
        await browse(deck)
        await deck.press("M")
        await deck.until(lambda: isinstance(deck.app.screen, ConsolidateScreen))
        await deck.until(lambda: "staging token" in deck.shown())
        assert covers(deck.shown())


async def test_the_evidence_of_a_merge_is_covered(cockpit: Cockpit) -> None:
    base = cockpit.agent.base_of(MEMORY)
    cockpit.agent.replace("staging host", f"The staging host takes {NEW}.", bases=base)
    found = list(entries(cockpit.home))
    found[1] = "The staging host is stg-3."
    set_entries(cockpit.home, *found)
    async with wide(cockpit) as deck:
        await deck.press("m")
        for _ in range(4):
            assert covers(deck.shown())
            await deck.press("E")


def test_the_deck_in_lines_covers_secrets_until_it_is_told_to_show_them(keeping: Cockpit) -> None:
    _, said = talk(keeping, "list", "show 1", "approve 1", "summary")
    assert "after: The staging token is ••••••••" in said
    assert "secrets shows them" in said
    assert covers(said)
    _, said = talk(keeping, "secrets", "show 1")
    assert f"after: The staging token is {NEW}." in said


def test_what_a_cut_leaves_of_a_secret_is_covered() -> None:
    redaction = Redaction([f"The token is {TOKEN}."])
    for cut in (f"The token is {TOKEN[:9]}", f"“The token is {TOKEN[:14]}…”"):
        assert TOKEN[4:9] not in redaction.text(cut)
    assert redaction.text("The token of ghp_ is old.") == "The token of ghp_ is old."


def test_cards_are_covered_over_many_lines_and_lose_no_others() -> None:
    key = [
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA",
        "-----END RSA PRIVATE KEY-----",
    ]
    cards = [Card(str(at), (Leaf(line),)) for at, line in enumerate(["x", *key, "y"])]
    shown = RedactedCards(cards, Redaction(["\n".join(["x", *key, "y"])]))
    assert len(shown) == len(cards)
    assert "MIIE" + "pAIB" not in str(list(shown))
    assert shown[0].leaves[0].text == "x"
    assert [card.id for card in shown] == [card.id for card in cards]


async def test_what_is_copied_is_covered_until_the_operator_asks(cockpit: Cockpit) -> None:
    id = cockpit.agent.add(f"The token is {TOKEN}.")
    path = cockpit.home / "pending" / "memory" / f"{id}.json"
    path.write_text(path.read_text("utf-8").replace("add something", f"add {TOKEN}"), "utf-8")
    cockpit.take_in()
    async with wide(cockpit) as deck:
        await deck.press("y")
        assert deck.cursor in deck.app.clipboard
        assert covers(deck.app.clipboard)
        assert "covered" in deck.strip
        deck.screen.action_secrets()
        await deck.press("y")
        assert TOKEN in deck.app.clipboard
        assert "covered" not in deck.strip


async def test_a_lesson_is_copied_as_it_is_shown(cockpit: Cockpit) -> None:
    cockpit.take_in()
    set_entries(cockpit.home, *entries(cockpit.home), f"The staging token is {TOKEN}.")
    cockpit.take_in()
    async with wide(cockpit) as deck:
        screen = await learn(deck)
        await deck.press("J", "j")
        await deck.until(lambda: screen.spot is not None and screen.spot.change is not None)
        await deck.press("y")
        assert "token" in deck.app.clipboard
        assert covers(deck.app.clipboard)
        screen.action_secrets()
        await deck.press("y")
        assert TOKEN in deck.app.clipboard
