"""A deck that died is taken up where it was; one that was left begins at its start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.kit import MEMORY, entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver
from tests.working.kit import serving

from reviewdeck.bootstrap import open_working
from reviewdeck.errors import StorageUnavailable
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.review import open_notebook
from reviewdeck_tui.bookmark import Bookmark, BookmarkStore, bookmark_of, open_bookmarks
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.queue.items import Sort
from reviewdeck_tui.queue.selection import for_approval
from reviewdeck_tui.queue.view import Lane
from reviewdeck_tui.sightings import (
    MOST_SIGHTINGS,
    PaintedDiff,
    PaintedDiffs,
    as_json,
    sightings_of,
)

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
    await deck.until(lambda: not deck.screen.place.is_keeping)
    deck.screen.place.keep(deck.screen.bookmark)
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
        assert deck.screen.filter.words == "memory"
        assert (deck.cursor, deck.screen.queue.marked_ids) == (cursor, marks)
        assert "Back where you were" in deck.strip


async def test_a_place_that_was_refused_once_is_kept_the_next_time(busy: Cockpit) -> None:
    def refuse(*_: object) -> None:
        raise StorageUnavailable("It does not answer.")

    async with busy.open() as deck:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(BookmarkStore, "save", refuse)
            await deck.press("4")
            await keep(deck)
        await keep(deck)
    async with busy.open() as deck:
        await deck.until(lambda: deck.screen.view.lane is Lane.ALL)


async def test_who_left_by_themselves_begins_at_the_start(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("4", "/", *"memory", "enter")
        await keep(deck)
        deck.app.close_engine(is_exit=True)
    async with busy.open() as deck:
        assert (deck.screen.view.lane, deck.screen.filter.words) == (Lane.DECIDE, "")


def kept_by(cockpit: Cockpit) -> PaintedDiffs:
    """What the deck kept of what was painted."""
    store = open_bookmarks(cockpit.settings, cockpit.clock)
    try:
        return store.sightings()
    finally:
        store.close()


def forget_this_session(deck: Driver, earlier: PaintedDiffs) -> None:
    """Forgets what this session painted, and knows only what earlier ones did."""
    deck.screen.guard = Guard(lambda: 0.0)
    deck.screen.guard.add_earlier(earlier)


async def test_what_was_seen_stays_seen_also_for_who_left_by_themselves(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("j")
        seen, unseen = deck.ids[:2], deck.ids[2]
        deck.app.exit(0)
    earlier = kept_by(busy)
    assert set(earlier) == set(seen)
    async with busy.open() as deck:
        forget_this_session(deck, earlier)
        items = {id: deck.screen.items[id] for id in deck.ids}
        guard = deck.screen.guard
        assert all(guard.is_seen(id, items[id].digest) for id in seen)
        assert guard.coverage(seen[0]) == 1.0
        assert not guard.is_seen(unseen, items[unseen].digest)


async def test_after_a_crash_what_was_painted_is_seen_and_can_be_approved(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("j", "j", "g")
        safe = [row.id for row in deck.screen.queue.rows if not row.dangerous]
        await keep(deck)
        deck.screen.place.stop_saving_painted()  # What is killed keeps nothing more.
    earlier = kept_by(busy)
    async with busy.open() as deck:
        forget_this_session(deck, earlier)
        items = [deck.screen.items[id] for id in deck.ids]
        choice = for_approval(items, deck.screen.guard, by_mark=True)
        assert [item.id for item in choice.items] == safe
        await deck.pilot.press("a")
        await deck.until(lambda: len(deck.drafts) == 1)


async def test_what_changed_since_counts_as_not_seen(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("j", "j")
        before = {id: deck.screen.items[id].digest for id in deck.ids}
        await keep(deck)
    set_entries(busy.home, *entries(busy.home), "Another one, by hand.")
    earlier = kept_by(busy)
    async with busy.open() as deck:
        forget_this_session(deck, earlier)
        guard, items = deck.screen.guard, deck.screen.items
        assert before.keys() < {*deck.ids}  # What was written by hand waits too.
        assert any(items[id].digest not in (None, digest) for id, digest in before.items())
        for id in before:
            assert guard.is_seen(id, before[id])
            assert guard.is_seen(id, items[id].digest) == (items[id].digest == before[id])


async def test_a_deck_that_ends_before_it_looked_takes_nothing_away(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("j", "j")
    before = kept_by(busy)
    assert len(before) == 3
    async with busy.open() as deck:
        deck.screen.place.stop_saving_painted()  # As before the working memory was asked.
    assert kept_by(busy) == before


def test_seen_in_part_twice_is_not_seen_whole() -> None:
    guard = Guard(lambda: 0.0)
    guard.note_painted("one", "d1", 0.5)
    guard.note_painted("two", "new", 0.2)
    guard.add_earlier({"one": PaintedDiff("d1", 0.6), "two": PaintedDiff("old", 1.0)})
    assert guard.coverage("one") == 0.6
    assert (guard.coverage("two"), guard.is_seen("two", "old")) == (0.2, False)


def test_only_the_newest_sightings_with_a_digest_are_kept() -> None:
    many: PaintedDiffs = {
        **{str(n): PaintedDiff("d", 1.0) for n in range(MOST_SIGHTINGS + 5)},
        "conflict": PaintedDiff(None, 1.0),
    }
    found = sightings_of(as_json(many))
    assert list(found) == [str(n) for n in range(5, MOST_SIGHTINGS + 5)]


@pytest.mark.parametrize(
    "odd",
    [
        ["a", "d", 2],
        ["a", "d", -0.1],
        ["a", "d", float("nan")],
        ["a", "d", True],
        ["a", "d", "1"],
        ["a", None, 1.0],
        ["a", "", 1.0],
        ["a", 1, 1.0],
        [1, "d", 1.0],
        ["a", "d"],
        ["a", "d", 1.0, 1.0],
        "ad1",
        {"a": "d"},
        None,
    ],
)
def test_an_odd_sighting_counts_as_not_seen(odd: object) -> None:
    assert list(sightings_of([odd, ["b", "d", 1]])) == ["b"]
    assert sightings_of(odd) == {}


def test_what_was_kept_twice_counts_as_not_seen() -> None:
    assert sightings_of([["a", "d", 1], ["a", "e", 1]]) == {}


@given(JSON)
def test_whatever_was_kept_it_is_sightings_or_none(raw: object) -> None:
    found = sightings_of([raw])
    assert sightings_of(as_json(found)) == found


async def test_a_place_that_was_kept_for_other_homes_is_not_taken(
    busy: Cockpit, tmp_path: Path
) -> None:
    other = replace(busy.settings, homes=(tmp_path / "elsewhere",))
    store = open_bookmarks(other, busy.clock)
    store.save(Bookmark(lane=Lane.ALL))
    store.close()
    async with busy.open() as deck:
        assert deck.screen.view.lane is Lane.DECIDE


async def test_before_drafts_are_committed_a_checkpoint_is_kept(busy: Cockpit) -> None:
    before = (busy.home / MEMORY).read_bytes()
    async with busy.open() as deck:
        store = deck.screen.engine.bookmarks
        shown = deck.screen.engine.summary().summary
        deck.screen.engine.commit(shown, lambda done, all: None, lambda id: None)
        (made,) = store._memory.checkpoints()
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
            await keep(deck)
            while "does not answer" in str(deck.screen.standing_words()):
                await keep(deck)
        store = open_bookmarks(settings, busy.clock)
        found = store.load()
        store.close()
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
        book.end(ExchangeEnd.DONE)
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
