"""The six checks of a proposal, and skimming what waits only because of its origin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.engine.kit import entries, skill_text
from tests.origin.kit import Chat, Said, answer, memory_block, staged, tool
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck.model import (
    AutoApply,
    Check,
    CheckName,
    Currency,
    Freshness,
    Judgement,
    KnownBy,
    Origin,
    OriginClass,
    Seen,
    SeenBy,
    Utterance,
    Verb,
)
from reviewdeck_tui.proposal.checks import check_cards
from reviewdeck_tui.screens.checks import ChecksScreen
from reviewdeck_tui.screens.skim import SkimScreen
from reviewdeck_tui.screens.summary import SummaryScreen

PAGE = "https://harbour-tips.example/printers"
FACTS = ("The harbour office closes at six.", "Line 4 stops at Norrholm on Sundays.")


def propose(cockpit: Cockpit, *facts: str) -> None:
    """The agent proposes these after it had read a page; it saw the memory as it is."""
    agent, began = cockpit.agent, cockpit.clock()
    said: list[Said] = [
        "What do the printers need?",
        tool("web_extract", {"urls": [PAGE]}),
        answer("Noted."),
    ]
    prompt = memory_block(entries(cockpit.home))
    Chat("web", said=said, at=began, prompt=prompt).write(cockpit.home)
    agent.talks = False
    for fact in facts:
        agent.add(fact, session="web")


@pytest.fixture
def from_a_page(cockpit: Cockpit) -> Cockpit:
    """Two plain facts that the agent proposed after it had read a page."""
    propose(cockpit, *FACTS)
    return cockpit


async def held(deck: Driver) -> SkimScreen:
    """Opens the skim."""
    await deck.press("O")
    await deck.until(lambda: isinstance(deck.app.screen, SkimScreen))
    screen = deck.app.screen
    assert isinstance(screen, SkimScreen)
    await deck.until(lambda: screen.to_approve != ())
    await deck.pilot.pause()
    return screen


async def test_the_queue_marks_which_check_says_no(from_a_page: Cockpit) -> None:
    async with from_a_page.open() as deck:
        assert [row.checks for row in deck.screen.queue.rows] == [("origin",), ("origin",)]


async def test_i_opens_the_checks_on_the_first_that_says_no(from_a_page: Cockpit) -> None:
    async with from_a_page.open() as deck:
        await deck.press("i")
        screen = deck.app.screen
        assert isinstance(screen, ChecksScreen)
        assert screen.card_list.cursor_id == "origin"
        await deck.until(lambda: f"web_extract (untrusted) {PAGE}" in deck.shown())
        await deck.press("r")
        assert screen.card_list.cursor_id == "room"
        await deck.press("q")
        assert deck.app.screen is deck.screen


async def test_what_waits_only_for_its_origin_is_drafted_with_one_key(
    from_a_page: Cockpit,
) -> None:
    async with from_a_page.open() as deck:
        screen = await held(deck)
        assert all(fact in deck.shown() for fact in FACTS) and PAGE in deck.shown()
        assert len(screen.to_approve) == 2
        await deck.press("a")
        await deck.until(lambda: len(deck.drafts) == 2)
        assert {draft.verb for draft in deck.drafts.values()} == {Verb.APPROVE}
        await deck.press("ctrl+s")
        await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        await deck.press("y")
        await deck.until(lambda: all(fact in entries(from_a_page.home) for fact in FACTS))


async def test_enter_goes_to_one_of_the_skim_whatever_the_queue_shows(
    from_a_page: Cockpit,
) -> None:
    async with from_a_page.open() as deck:
        await deck.press("C")  # Conflicts alone: none of them is shown.
        screen = await held(deck)
        wanted = screen.card_list.cursor_id
        await deck.press("enter")
        await deck.until(lambda: deck.app.screen is deck.screen)
        assert deck.cursor == wanted


@pytest.mark.parametrize("width", [60, 80, 140])
async def test_how_many_the_key_takes_is_said_in_any_width(
    from_a_page: Cockpit, width: int
) -> None:
    async with from_a_page.open(size=(width, 24)) as deck:
        await held(deck)
        await deck.until(lambda: "a drafts " in deck.line("head"))


async def test_x_leaves_one_out_of_the_skim(from_a_page: Cockpit) -> None:
    async with from_a_page.open() as deck:
        screen = await held(deck)
        left_out = screen.card_list.cursor_id
        await deck.press("x", "a")
        await deck.until(lambda: len(deck.drafts) == 1)
        assert left_out not in deck.drafts


async def test_an_entry_that_does_not_fit_on_the_screen_is_not_taken(cockpit: Cockpit) -> None:
    propose(cockpit, "Line 4 stops at Norrholm, Vik, Skagen and Öja, and on Sundays at Hven too.")
    async with cockpit.open(size=(30, 7)) as deck:
        await deck.press("O")
        await deck.until(lambda: isinstance(deck.app.screen, SkimScreen))
        await deck.press("a")
        screen = deck.app.screen
        assert isinstance(screen, SkimScreen) and not screen.to_approve
        assert "None of these was shown in full" in deck.strip


async def test_a_new_skill_is_skimmed_and_taken_once_all_of_it_was_read(cockpit: Cockpit) -> None:
    cockpit.agent.skill("create", "tide-tables", content=skill_text("tide-tables"))
    cockpit.take_in()
    async with cockpit.open(size=(60, 14)) as deck:
        await deck.press("O")
        await deck.until(lambda: isinstance(deck.app.screen, SkimScreen))
        screen = deck.app.screen
        assert isinstance(screen, SkimScreen)
        assert "tide-tables/SKILL.md" in deck.shown() and not screen.to_approve
        await deck.press("space", "space", "a")
        await deck.until(lambda: len(deck.drafts) == 1)


TYPED = "I want the ferry horn tested on Mondays."
ENTRY = "The ferry horn is tested on Mondays at 12:00."


@pytest.fixture
def from_a_file(cockpit: Cockpit) -> Cockpit:
    """An addition that the agent proposed after a file was read, in other words than the user's."""
    cockpit.agent.talks = False
    id = cockpit.agent.add(ENTRY, session="files")
    read = tool("read_file", {"path": "ci.yaml"})
    said: list[Said] = [TYPED, read, staged(id)]
    began = cockpit.clock() - timedelta(seconds=4)
    prompt = memory_block(entries(cockpit.home))
    Chat("files", said=said, at=began, prompt=prompt).write(cockpit.home)
    cockpit.take_in()
    return cockpit


@pytest.mark.parametrize("keys", [("e",), ("O", "e")])
async def test_e_takes_the_users_own_sentence_instead_of_what_a_file_said(
    from_a_file: Cockpit, keys: tuple[str, ...]
) -> None:
    async with from_a_file.open() as deck:
        for key in keys:
            await deck.press(key)
            if key == "O":
                await deck.until(lambda: isinstance(deck.app.screen, SkimScreen))
                await deck.until(lambda: f"closest to it, you said: “{TYPED[:9]}" in deck.shown())
        await deck.until(lambda: len(deck.drafts) == 1)
        (draft,) = deck.drafts.values()
        assert draft.verb is Verb.MERGE and TYPED in (draft.text or "")
        assert ENTRY not in (draft.text or "")
        await deck.press("ctrl+s")
        await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        await deck.press("y")
        await deck.until(lambda: TYPED in entries(from_a_file.home))
    assert ENTRY not in entries(from_a_file.home)


async def test_a_queue_without_such_proposals_says_so(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open() as deck:
        await deck.press("O")
        await deck.until(lambda: "No addition waits only for its origin" in deck.strip)


def test_the_sentence_that_the_user_said_is_marked() -> None:
    said = "I always read diffs side by side."
    utterance = Utterance("s1", "user", f"Good morning.\n{said} Thank you.", is_typed=True)
    origin = Origin(OriginClass.USER, KnownBy.EXACT, "Only you spoke.", utterances=(utterance,))
    check = Check(CheckName.ORIGIN, True, "You said it.")
    (card,) = check_cards(Judgement(AutoApply("memory"), (check,), origin, said=said))
    leaf = card.leaves[-1]
    (mark,) = leaf.marks
    assert leaf.text[mark.start : mark.end] == said


@pytest.mark.parametrize("standing", Freshness)
def test_what_became_of_the_text_that_the_agent_read_is_said(standing: Freshness) -> None:
    seen = Seen("memories/MEMORY.md", "Uses tox.", SeenBy.PROMPT)
    check = Check(CheckName.CURRENT, False, "It is not what the agent read.")
    currency = (Currency("memories/MEMORY.md", standing, seen),)
    (card,) = check_cards(Judgement(AutoApply("memory"), (check,), currency=currency))
    path, words = card.leaves[-1].text.split(": ")
    assert path == "memories/MEMORY.md" and "the agent read" in words
    assert words.endswith(" (known from its system prompt)")
