"""The screen of documents: blame, history, comparing, restoring, merging entries."""

from __future__ import annotations

import pytest
from tests.engine.kit import MEMORY, USER, entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck.errors import BadInput
from reviewdeck_tui.documents.consolidation import Memories, MemoryEntry, merge_entries, rewrite
from reviewdeck_tui.screens.compare import CompareScreen
from reviewdeck_tui.screens.consolidate import ConsolidateScreen
from reviewdeck_tui.screens.dialogs import SureDialog
from reviewdeck_tui.screens.documents import DocumentsScreen

SKILL = "skills/dev/release-notes/SKILL.md"


@pytest.fixture
def lived(cockpit: Cockpit) -> Cockpit:
    """A memory with three revisions: first seen, by a rule, by the operator."""
    deck = cockpit.engine()
    deck.intake()
    cockpit.agent.add("The linter is ruff.")
    deck.auto()
    id = cockpit.agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.approve(id, deck.get(id).digest or "")
    deck.close()
    return cockpit


async def browse(deck: Driver) -> DocumentsScreen:
    """Opens the documents and waits for the first of them."""
    await deck.press("B")
    await deck.until(lambda: isinstance(deck.app.screen, DocumentsScreen))
    screen = front(deck)
    await deck.until(lambda: screen.page is not None)
    return screen


def front(deck: Driver) -> DocumentsScreen:
    """The documents, in front."""
    screen = deck.app.screen
    assert isinstance(screen, DocumentsScreen)
    return screen


async def merging(deck: Driver) -> ConsolidateScreen:
    """Opens the merging of entries."""
    await browse(deck)
    await deck.press("M")
    await deck.until(lambda: isinstance(deck.app.screen, ConsolidateScreen))
    screen = deck.app.screen
    assert isinstance(screen, ConsolidateScreen)
    await deck.until(lambda: bool(screen.memories.entries))
    return screen


async def test_memories_and_skills_are_listed_with_budget_age_and_what_waits(
    lived: Cockpit,
) -> None:
    lived.agent.replace("mkdocs", "Docs use sphinx.")
    async with lived.open(size=(120, 40)) as deck:
        screen = await browse(deck)
        paths = [one.path for one in screen.library.documents]
        assert paths == [MEMORY, USER, SKILL]
        shown = deck.shown()
        assert "/2200" in shown and "1 waiting" in shown and "release-notes" in shown


async def test_an_entry_says_who_brought_it(lived: Cockpit) -> None:
    async with lived.open(size=(120, 40)) as deck:
        await browse(deck)
        shown = deck.shown()
        assert "• The linter is ruff." in shown
        assert "automatic, memory-addition" in shown and "approved by you" in shown
        assert "first seen" in shown


async def test_a_skill_is_shown_line_by_line_with_blame_in_the_margin(lived: Cockpit) -> None:
    async with lived.open(size=(120, 40)) as deck:
        screen = await browse(deck)
        await deck.press("J", "J")
        await deck.until(lambda: screen.page is not None and screen.page.document.path == SKILL)
        assert "name: release-notes" in deck.shown()
        assert "first seen" in deck.shown()


async def test_two_revisions_are_compared_side_by_side(lived: Cockpit) -> None:
    async with lived.open(size=(140, 40)) as deck:
        await browse(deck)
        await deck.press("tab", "tab", "space", "G", "space", "enter")
        await deck.until(lambda: isinstance(deck.app.screen, CompareScreen))
        await deck.until(lambda: "ruff" in deck.shown())
        shown = deck.shown()
        assert "stg-2" in shown and "stg-4" in shown and "beside" in shown
        await deck.press("escape")
        assert isinstance(deck.app.screen, DocumentsScreen)


async def test_a_revision_is_restored_through_a_draft_and_its_summary(lived: Cockpit) -> None:
    now = entries(lived.home)
    async with lived.open() as deck:
        await browse(deck)
        await deck.press("tab", "tab", "G", "r")
        await deck.until(lambda: len(deck.drafts) == 1)
        assert entries(lived.home) == now
        await deck.write_drafts()
    assert entries(lived.home) == [
        "Tests run with tox.",
        "The staging host is stg-2.",
        "Docs use mkdocs.",
    ]


async def test_the_live_revision_is_not_restored(lived: Cockpit) -> None:
    async with lived.open() as deck:
        await browse(deck)
        await deck.press("tab", "tab", "r")
        await deck.until(lambda: "already" in deck.line("strip"))
        assert not deck.drafts


async def test_a_document_can_be_written_anew_as_a_draft(lived: Cockpit) -> None:
    lived.write = lambda text: text.replace("stg-4", "stg-9")
    async with lived.open() as deck:
        await browse(deck)
        await deck.press("e")
        await deck.until(lambda: len(deck.drafts) == 1)
        assert "stg-9" not in (lived.home / MEMORY).read_text("utf-8")
        await deck.write_drafts()
    assert "The staging host is stg-9." in entries(lived.home)


async def test_enter_and_space_decide_nothing_and_escape_leads_back(lived: Cockpit) -> None:
    async with lived.open() as deck:
        await browse(deck)
        await deck.press("enter", "space", "enter", "tab", "space", "escape", "escape")
        assert not deck.drafts
        assert deck.app.screen is deck.screen


async def test_entries_that_are_alike_stand_together_and_are_merged(cockpit: Cockpit) -> None:
    set_entries(
        cockpit.home,
        "Tests run with tox.",
        "Run the tests with tox, never with pytest alone.",
        "Docs use mkdocs.",
    )
    async with cockpit.open(size=(120, 40)) as deck:
        screen = await merging(deck)
        assert [len(group) for group in screen.memories.groups] == [2]
        assert "2 entries alike" in deck.shown()
        await deck.press("j", "a")
        assert isinstance(deck.app.screen, SureDialog)
        assert "Nothing is lost" in deck.shown()
        await deck.press("y")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.write_drafts()
    assert entries(cockpit.home) == [
        "Run the tests with tox, never with pytest alone.",
        "Docs use mkdocs.",
    ]


async def test_what_would_be_lost_is_named_before_it_is_drafted(cockpit: Cockpit) -> None:
    set_entries(
        cockpit.home, "Tests run with tox.", "Run the tests with tox, never with pytest alone."
    )
    async with cockpit.open(size=(120, 40)) as deck:
        await merging(deck)
        await deck.press("a")
        assert "LOST" in deck.shown() and "never with pytest alone" in deck.shown()
        await deck.press("escape")
        assert not deck.drafts
        await deck.press("a", "y")
        await deck.until(lambda: len(deck.drafts) == 1)
        (draft,) = deck.drafts.values()
        assert "LOST" in draft.reason


async def test_one_text_for_all_is_written_in_the_editor(cockpit: Cockpit) -> None:
    cockpit.write = lambda text: "Tests run with tox; the docs are built with mkdocs.\n"
    async with cockpit.open() as deck:
        await merging(deck)
        await deck.press("space", "j", "space", "e")
        assert cockpit.writes[0][0] == "Tests run with tox.\nDocs use mkdocs.\n"
        await deck.press("y")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.write_drafts()
    assert len(entries(cockpit.home)) == 2
    assert "Tests run with tox; the docs are built with mkdocs." in entries(cockpit.home)


async def test_a_duplicate_in_two_memories_is_kept_in_one(cockpit: Cockpit) -> None:
    set_entries(cockpit.home, "Prefers short answers.", "Docs use mkdocs.")
    async with cockpit.open() as deck:
        await merging(deck)
        await deck.press("a", "y")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.write_drafts()
    assert entries(cockpit.home) == ["Prefers short answers.", "Docs use mkdocs."]
    assert entries(cockpit.home, USER) == ["Name: Dana."]


async def test_one_entry_alone_is_not_merged(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        await merging(deck)
        await deck.press("a")
        assert "Mark the entries" in deck.line("strip")


async def test_hostile_entries_are_harmless(cockpit: Cockpit) -> None:
    bad = "\x1b]0;owned\x07 [bold red]x[/] \u202eevil\u200b [@click=app.quit]q[/]"
    set_entries(cockpit.home, bad, bad + " again", "Docs use mkdocs.")
    async with cockpit.open(size=(120, 40)) as deck:
        await browse(deck)
        assert not set("\x1b\x07\u202e\u200b") & set(deck.shown())
        assert "[bold red]" in deck.shown()
        await deck.press("M")
        await deck.settle()
        assert not set("\x1b\x07\u202e\u200b") & set(deck.shown())


def test_a_merge_leaves_every_other_entry_where_it_was() -> None:
    texts = ["one", "two", "three", "four"]
    memories = Memories(
        "home", tuple(MemoryEntry(MEMORY, at, text) for at, text in enumerate(texts))
    )
    made = merge_entries(memories, (1, 3), 3, "two and four\n")
    assert rewrite(made, memories, MEMORY, "one\r\n§\r\ntwo") == (
        "one\r\n§\r\nthree\r\n§\r\ntwo and four"
    )
    with pytest.raises(BadInput):
        merge_entries(memories, (1, 3), 3, "two\n§\nfour")


async def test_lane_two_leads_to_the_document_under_its_cursor(lived: Cockpit) -> None:
    engine = lived.engine()
    set_entries(lived.home, "Name: Dana.", "Lives in Lisbon.", document=USER)
    engine.intake()
    engine.close()
    async with lived.open() as deck:
        await deck.press("2")
        await deck.until(lambda: "Lives in Lisbon." in deck.shown())
        await deck.press("J", "B")
        await deck.until(lambda: isinstance(deck.app.screen, DocumentsScreen))
        screen = front(deck)
        await deck.until(lambda: screen.page is not None and screen.page.document.path == USER)
