"""Which live lines a sentence comes from, asked in the deck; taking one back by a key."""

from __future__ import annotations

import pytest
from tests.engine.kit import MEMORY, entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.documents import DocumentsScreen
from reviewdeck_tui.screens.why import WhyScreen

FACT = "The linter is ruff, version 12."
SENTENCE = "I ran ruff, as the linter should be version 12."


@pytest.fixture
def taught(cockpit: Cockpit) -> Cockpit:
    """A home whose agent learned one fact automatically."""
    deck = cockpit.engine()
    deck.intake()
    cockpit.agent.add(FACT)
    deck.auto()
    deck.close()
    return cockpit


async def asked(deck: Driver, sentence: str) -> WhyScreen:
    """Asks about a sentence from the queue, and waits for the lines."""
    await deck.press("W", *sentence, "enter")
    return await shown(deck)


async def shown(deck: Driver) -> WhyScreen:
    await deck.until(lambda: isinstance(deck.app.screen, WhyScreen))
    screen = deck.app.screen
    assert isinstance(screen, WhyScreen)
    await deck.until(lambda: screen.view is not None)
    return screen


async def test_a_sentence_finds_the_entry_and_says_who_taught_it(taught: Cockpit) -> None:
    async with taught.open(size=(120, 30)) as deck:
        screen = await asked(deck, SENTENCE)
        assert screen.source is not None and screen.source.line.text == FACT
        said = deck.shown()
        assert FACT in said and MEMORY in said and "automatic" in said and "ruff" in said
        await deck.press("escape")
        assert deck.app.screen is deck.screen


async def test_one_key_drafts_the_revert_and_the_summary_writes_it(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await asked(deck, SENTENCE)
        await deck.press("r", "1")
        await deck.until(lambda: bool(deck.drafts))
        assert FACT in entries(taught.home), "a draft writes nothing"
        await deck.press("escape")
        await deck.write_drafts()
        assert FACT not in entries(taught.home)


async def test_without_a_match_it_says_so_and_another_sentence_can_be_asked(
    taught: Cockpit,
) -> None:
    async with taught.open() as deck:
        screen = await asked(deck, "Bananas!")
        assert "Nothing that is live" in deck.shown()
        await deck.press("r")
        assert "nothing to revert" in deck.strip
        await deck.press("slash", *SENTENCE, "enter")
        await deck.until(lambda: screen.source is not None)
        assert FACT in deck.shown()


async def test_enter_opens_the_document_of_the_line(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await asked(deck, SENTENCE)
        await deck.press("enter")
        await deck.until(lambda: isinstance(deck.app.screen, DocumentsScreen))
        screen = deck.app.screen
        assert isinstance(screen, DocumentsScreen)
        await deck.until(lambda: screen.document is not None and screen.document.path == MEMORY)


async def test_the_key_asks_about_the_line_under_the_cursor_on_other_screens(
    taught: Cockpit,
) -> None:
    async with taught.open() as deck:
        await deck.press("2")
        await deck.until(lambda: isinstance(deck.app.screen, ChangesScreen))
        changes = deck.app.screen
        assert isinstance(changes, ChangesScreen)
        await deck.until(lambda: changes.changes is not None)
        await deck.press("W")
        assert "cursor on a change" in deck.strip
        await deck.press("j", "W")
        screen = await shown(deck)
        assert screen.source is not None and screen.source.line.text == FACT
        await deck.press("escape", "B")
        await deck.until(lambda: isinstance(deck.app.screen, DocumentsScreen))
        documents = deck.app.screen
        assert isinstance(documents, DocumentsScreen)
        await deck.until(lambda: documents.page is not None)
        await deck.press("W")
        assert "line under the cursor there" in deck.strip
        await deck.press("enter", "W")
        first = await shown(deck)
        assert first.source is not None and first.source.line.text == entries(taught.home)[0]


async def test_in_the_diff_the_key_asks_about_the_text_of_the_proposal(taught: Cockpit) -> None:
    taught.agent.replace("linter", "The linter is ruff, version 13.")
    async with taught.open() as deck:
        await deck.press("enter", "W")
        screen = await shown(deck)
        assert screen.source is not None and screen.source.line.text == FACT


async def test_a_secret_is_covered_in_the_question_and_in_the_lines(cockpit: Cockpit) -> None:
    word = "marmalade" + "pier"
    wifi = f'The Wi-Fi at the cabin opens with "{word}".'
    cockpit.take_in()
    set_entries(cockpit.home, *entries(cockpit.home), wifi)
    async with cockpit.open(size=(120, 30)) as deck:
        await asked(deck, wifi)
        await deck.until(lambda: "••••••••" in deck.shown())
        assert word not in deck.shown()


async def test_hostile_text_in_a_line_is_shown_inert(cockpit: Cockpit) -> None:
    evil = "The harbour tariff \x1b[31mis[/] [bold]412[/bold] \u202etxt."
    cockpit.take_in()
    set_entries(cockpit.home, *entries(cockpit.home), evil)
    async with cockpit.open(size=(120, 30)) as deck:
        await asked(deck, "The harbour tariff is 412.")
        said = deck.shown()
        assert "[bold]412[/bold]" in said and "\x1b" not in said and "\u202e" not in said
