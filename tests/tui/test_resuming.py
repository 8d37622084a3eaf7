"""A deck that died is taken up where it was; one that was left begins at its start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.kit import MEMORY
from tests.tui.kit_deck import Cockpit, Driver
from tests.working.kit import serving

from reviewdeck.compose import open_working
from reviewdeck.reviewer.conversing import Ending
from reviewdeck.reviewer.notebook import open_notebook
from reviewdeck_tui.board import Lane
from reviewdeck_tui.bookmark import Bookmark, bookmark_of, open_bookshelf
from reviewdeck_tui.columns import Sort
from reviewdeck_tui.panes import Pane

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*Bookmark().as_json(), "x"]), inner, max_size=8)
    ),
)


@pytest.fixture
def busy(cockpit: Cockpit) -> Cockpit:
    """Three proposals for one memory."""
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.replace("staging host", "The staging host is stg-4.")
    cockpit.agent.memory("remove", old_text="Tests run")
    return cockpit


async def keep(deck: Driver) -> None:
    """What the deck does each second."""
    deck.screen._keep_place()
    await deck.settle()


async def test_lane_filter_marks_and_cursor_are_found_after_a_crash(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("4", "s", "tab", "/", *"memory", "enter", "j", "space")
        cursor, marks = deck.cursor, deck.screen.queue.marked_ids
        shown = deck.ids
        assert marks
        await keep(deck)
    async with busy.open() as deck:
        await deck.until(lambda: deck.ids == shown)
        assert deck.screen.view.lane is Lane.ALL
        assert deck.screen.view.sort is Sort.NEWEST
        assert deck.screen.side is Pane.EVIDENCE
        assert deck.screen.wanted == "memory"
        assert (deck.cursor, deck.screen.queue.marked_ids) == (cursor, marks)
        assert "Back where you were" in deck.strip


async def test_who_left_by_themselves_begins_at_the_start(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("4", "/", *"memory", "enter")
        await keep(deck)
        deck.app.close_bench(left=True)
    async with busy.open() as deck:
        assert (deck.screen.view.lane, deck.screen.wanted) == (Lane.DECIDE, "")


async def test_a_place_that_was_kept_for_other_homes_is_not_taken(
    busy: Cockpit, tmp_path: Path
) -> None:
    other = replace(busy.settings, homes=(tmp_path / "elsewhere",))
    shelf = open_bookshelf(other, busy.clock)
    shelf.keep(Bookmark(lane=Lane.ALL))
    shelf.close()
    async with busy.open() as deck:
        assert deck.screen.view.lane is Lane.DECIDE


async def test_before_drafts_are_committed_a_checkpoint_is_kept(busy: Cockpit) -> None:
    before = (busy.home / MEMORY).read_bytes()
    async with busy.open() as deck:
        shelf = deck.screen.bench.bookshelf
        shown = deck.screen.bench.summary().summary
        deck.screen.bench.commit(shown, lambda done, all: None)
        (made,) = shelf._memory.checkpoints()
        assert made.description == "before a commit of drafts"
    assert (busy.home / MEMORY).read_bytes() == before


@pytest.mark.slow  # A real server is killed and started again.
async def test_without_its_server_the_deck_works_on_says_so_and_returns(
    busy: Cockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path / "valkey") as server:
        settings = replace(busy.settings, working=server.url)
        monkeypatch.setattr(Cockpit, "settings", settings)
        async with busy.open() as deck:
            await keep(deck)
            server.kill()
            await deck.press("4")
            await keep(deck)
            await deck.until(lambda: "does not answer" in str(deck.screen.standing_words()))
            server.start()
            await deck.press("3", "4", "s")
            await deck.until(lambda: not deck.screen._is_keeping)
            await deck.pilot.pause(1.1)
            await keep(deck)
            await deck.until(lambda: "does not answer" not in str(deck.screen.standing_words()))
        shelf = open_bookshelf(settings, busy.clock)
        found = shelf.load()
        shelf.close()
    assert found is not None
    assert (found.lane, found.sort) == (Lane.ALL, Sort.NEWEST)


async def test_a_review_that_runs_is_shown_until_it_ends(busy: Cockpit) -> None:
    storage = open_working(busy.settings, now=busy.clock)
    book = open_notebook(storage, str(busy.home), busy.clock)
    assert book is not None
    async with busy.open() as deck:
        book.begin("s-1")
        await keep(deck)
        await deck.until(lambda: "review of session s-1" in str(deck.screen.standing_words()))
        book.end(Ending.DONE)
        await keep(deck)
        await deck.until(lambda: "review" not in str(deck.screen.standing_words()))
    storage.close()


@given(JSON)
def test_whatever_was_kept_it_is_a_place_or_none(raw: object) -> None:
    found = bookmark_of(raw)
    assert found is None or bookmark_of(found.as_json()) == found


def test_a_place_survives_being_kept() -> None:
    place = Bookmark(Lane.DRAFTS, True, "home", Sort.OLDEST, "a b", "id", ("x", "y"), Pane.HISTORY)
    assert bookmark_of(place.as_json()) == place
