"""Lane 2: what the agent learned, who let it in, and taking it back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, OPERATOR, entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck.bootstrap import open_engine
from reviewdeck.model import State
from reviewdeck.model.changes import DocumentChanges
from reviewdeck.presentation.situation import home_statuses
from reviewdeck_tui.queue.view import Lane
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.deck import DeckScreen


@pytest.fixture
def taught(cockpit: Cockpit) -> Cockpit:
    """A rule let one fact in, the operator another, somebody wrote a third by hand."""
    deck = cockpit.engine()
    deck.intake()
    cockpit.agent.add("The linter is ruff.")
    deck.auto()
    id = cockpit.agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    deck.approve(id, deck.get(id).digest or "")
    set_entries(cockpit.home, *entries(cockpit.home), "Ask Ana for access.")
    deck.intake()
    deck.close()
    return cockpit


async def learn(deck: Driver) -> ChangesScreen:
    """Opens lane 2 and waits for it."""
    await deck.press("2")
    await read(deck)
    return front(deck)


def front(deck: Driver) -> ChangesScreen:
    """Lane 2, in front."""
    screen = deck.app.screen
    assert isinstance(screen, ChangesScreen)
    return screen


async def read(deck: Driver) -> None:
    """Waits until what was learnt is on the screen."""
    await deck.until(
        lambda: isinstance(deck.app.screen, ChangesScreen) and bool(front(deck).changes)
    )


async def go_to(deck: Driver, text: str) -> None:
    """Moves the cursor by keys to the lesson with a text."""
    screen = front(deck)
    for _ in range(len(screen.listing.spots)):
        spot = screen.spot
        if spot and spot.change and any(text in one for one in spot.change.after):
            return
        await deck.press("j")
    raise AssertionError(f"{text!r} is not there")


def unseen(cockpit: Cockpit) -> tuple[DocumentChanges, ...]:
    """What a second program says was learnt."""
    engine = cockpit.engine()
    try:
        return engine.since()
    finally:
        engine.close()


async def test_every_line_says_who_let_it_in_and_when(taught: Cockpit) -> None:
    async with taught.open(size=(120, 40)) as deck:
        await learn(deck)
        shown = deck.shown()
        assert "2 new facts, 1 changed; 1 by you, 1 automatic, 1 outside review" in shown
        assert "+ The linter is ruff." in shown and "automatic, memory-addition" in shown
        assert (
            "~ The staging host is stg-4." in shown and "was: The staging host is stg-2." in shown
        )
        assert "outside review" in shown
        assert "approved by you" in shown


async def test_the_tab_counts_what_nobody_has_seen(taught: Cockpit) -> None:
    async with taught.open() as deck:
        assert "2 Applied 1 without you" in deck.line("lanes")  # the other one waits in Decide
        await learn(deck)
        assert "[2 Applied 1 without you]" in deck.line("lanes")


async def test_what_a_colleague_approved_is_not_counted_as_applied_without_the_operator(
    taught: Cockpit,
) -> None:
    otto = replace(taught.settings, actor=replace(OPERATOR, name="otto"))
    engine = open_engine(otto, now=taught.clock)
    id = taught.agent.replace("mkdocs", "Docs use zensical.")
    engine.intake()
    engine.approve(id, engine.get(id).digest or "")
    (status,) = home_statuses(engine, "", taught.clock())
    engine.close()
    assert status.unseen == 1
    async with taught.open() as deck:
        assert "2 Applied 1 without you" in deck.line("lanes")
        assert "1 applied" in deck.line("head")


async def test_a_revert_is_a_draft_and_writes_nothing_before_the_summary(taught: Cockpit) -> None:
    before = (taught.home / MEMORY).read_bytes()
    async with taught.open() as deck:
        await learn(deck)
        await go_to(deck, "ruff")
        await deck.press("r", "1")
        await read(deck)
        await deck.until(lambda: len(deck.drafts) == 1)
        assert "R drafted: wrong" in deck.shown()
        assert (taught.home / MEMORY).read_bytes() == before
        await deck.write_drafts()
        assert "The linter is ruff." not in entries(taught.home)
        assert "The staging host is stg-4." in entries(taught.home)


async def test_what_was_reverted_is_held_when_it_is_proposed_again(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await go_to(deck, "ruff")
        await deck.press("r", "1")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.write_drafts()
    taught.agent.add("The linter is ruff.")
    engine = taught.engine()
    report = engine.auto()
    (held,) = engine.pending((State.READY,))
    engine.close()
    assert not report.applied
    assert "like-rejected" in {one.code for one in held.findings}


async def test_a_revert_without_a_reason_is_none(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await go_to(deck, "ruff")
        await deck.press("r", "enter", "escape")
        await read(deck)
        assert not deck.drafts


async def test_a_heading_reverts_the_whole_document(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await deck.press("r")
        assert "Revert all 3 changes of the document because they are" in deck.shown()
        await deck.press("2")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.write_drafts()
    assert entries(taught.home) == [
        "Tests run with tox.",
        "The staging host is stg-2.",
        "Docs use mkdocs.",
    ]


async def test_the_only_change_of_a_document_is_reverted_as_one(cockpit: Cockpit) -> None:
    engine = cockpit.engine()
    engine.intake()
    cockpit.agent.add("The linter is ruff.")
    engine.auto()
    engine.close()
    async with cockpit.open() as deck:
        await learn(deck)
        await deck.press("r")
        assert "Revert this because it is" in deck.shown()


async def test_a_draft_is_dropped_where_it_was_made(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await go_to(deck, "ruff")
        await deck.press("r", "1")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.press("u")
        await deck.until(lambda: not deck.drafts)
        assert "R drafted" not in deck.shown()


async def test_the_whole_operation_can_be_undone_from_its_line(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await go_to(deck, "stg-4")
        await deck.press("z")
        await deck.until(lambda: len(deck.drafts) == 1)
        assert "R drafted: undo of" in deck.shown()
        await deck.write_drafts()
    assert "The staging host is stg-2." in entries(taught.home)


async def test_what_came_from_outside_has_no_operation_to_undo(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await go_to(deck, "Ana")
        await deck.press("z")
        assert not deck.drafts
        assert "r reverts it" in deck.line("strip")


async def test_seen_is_kept_over_a_restart(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await deck.press("space")
        await deck.until(lambda: not front(deck).listing.spots)
        assert "you have seen everything" in deck.shown()
        assert "without you" not in deck.line("lanes")
    assert unseen(taught) == ()
    async with taught.open() as deck:
        assert "without you" not in deck.line("lanes")


async def test_a_mark_can_be_taken_back_and_looking_sets_none(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await deck.press("A")
        await deck.until(lambda: not front(deck).listing.spots)
        await deck.press("U")
        await deck.until(lambda: bool(front(deck).listing.spots))
    assert [one.document for one in unseen(taught)] == [MEMORY]


async def test_s_looks_further_back(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await deck.press("A")
        await deck.until(lambda: not front(deck).listing.spots)
        await deck.press("s", "s", "s")
        await deck.until(lambda: bool(front(deck).listing.spots))
        assert "all time" in deck.line("gist")


async def test_digits_lead_to_the_other_lanes_and_escape_back(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        await deck.press("4")
        assert isinstance(deck.app.screen, DeckScreen)
        assert deck.screen.view.lane is Lane.ALL
        await learn(deck)
        await deck.press("escape")
        assert "[1 Decide" in deck.line("lanes")


async def test_enter_opens_a_lesson_and_decides_nothing(taught: Cockpit) -> None:
    async with taught.open(size=(120, 40)) as deck:
        await learn(deck)
        await go_to(deck, "ruff")
        await deck.press("enter")
        assert "operation " in deck.shown()
        assert not deck.drafts


async def test_pasted_text_is_never_a_command(taught: Cockpit) -> None:
    from textual import events

    async with taught.open() as deck:
        screen = await learn(deck)
        screen.post_message(events.Paste("r1A"))
        await deck.settle()
        assert not deck.drafts
        assert unseen(taught)


async def test_hostile_text_is_harmless(cockpit: Cockpit, tmp_path: Path) -> None:
    deck_engine = cockpit.engine()
    deck_engine.intake()
    bad = "\x1b]0;owned\x07 [bold red]red[/] \u202eevil\u200b $(touch x) [@click=app.quit]x[/]"
    set_entries(cockpit.home, *entries(cockpit.home), bad)
    deck_engine.intake()
    deck_engine.close()
    async with cockpit.open(size=(120, 40)) as deck:
        await learn(deck)
        shown = deck.shown()
        assert "[bold red]red[/]" in shown
        assert not set("\x1b\x07\u202e\u200b") & set(shown)
        await go_to(deck, "red")
        await deck.press("r", "7")
        await deck.until(lambda: len(deck.drafts) == 1)
        await deck.write_drafts()
    assert bad not in entries(cockpit.home)


async def test_a_change_elsewhere_shows_up_by_itself(taught: Cockpit) -> None:
    async with taught.open() as deck:
        await learn(deck)
        engine = taught.engine()
        id = taught.agent.add("Never push on Friday.")
        engine.intake()
        engine.approve(id, engine.get(id).digest or "")
        engine.close()
        await deck.until(lambda: "Never push on Friday." in deck.shown())


async def test_several_homes_are_told_apart_and_can_be_had_alone(
    taught: Cockpit, tmp_path: Path
) -> None:
    other = tmp_path / "work" / taught.home.name  # Both are "default".
    for folder in ("memories", "pending/memory"):
        (other / folder).mkdir(parents=True)
    set_entries(other, "Works from Oslo.")
    taught.homes = (taught.home, other)
    engine = taught.engine()
    engine.intake()
    set_entries(other, "Works from Oslo.", "Likes fjords.")
    engine.intake()
    engine.close()
    async with taught.open(size=(120, 50)) as deck:
        await learn(deck)
        assert "work/home: MEMORY.md" in deck.shown() and "ruff" in deck.shown()
        await deck.press("H", "H")
        await deck.until(lambda: "ruff" not in deck.shown())
        assert "+ Likes fjords." in deck.shown()
        await deck.press("A")
        await deck.until(lambda: not front(deck).listing.spots)
    assert [one.document for one in unseen(taught)] == [MEMORY]


async def test_a_skill_that_the_curator_archived_is_no_red_deletion(cockpit: Cockpit) -> None:
    deck = cockpit.engine()
    deck.intake()
    skill = next((cockpit.home / "skills").rglob("SKILL.md")).parent
    archive = cockpit.home / "skills/.archive"
    archive.mkdir()
    skill.rename(archive / skill.name)
    deck.intake()
    deck.close()
    async with cockpit.open(size=(120, 40)) as driver:
        screen = await learn(driver)
        assert f"archived to skills/.archive/{skill.name}: nothing of it is lost" in driver.shown()
        leaves = [leaf for card in screen.listing.cards for leaf in card.leaves]
        assert "removed" not in {leaf.tone for leaf in leaves}
