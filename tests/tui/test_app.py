"""Opening, moving, looking, narrowing: nothing here decides anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from tests.engine.kit import Agent, set_entries, skill_text
from tests.tui.kit_deck import Cockpit
from textual import events
from textual.widgets import Input

from reviewdeck.model import Kind, QueueItem, State
from reviewdeck_tui.app import open_app
from reviewdeck_tui.home_names import distinct_names
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.queue.bars import lane_line
from reviewdeck_tui.queue.items import Sort
from reviewdeck_tui.queue.view import Backlog, Lane, QueueView
from reviewdeck_tui.screens.help import HelpScreen
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.laid_out import SIDEWAYS


@pytest.fixture
def busy(cockpit: Cockpit) -> Cockpit:
    """Four things that wait: a replacement, another one, a removal, an addition that says hello."""
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.replace("staging host", "The staging host is stg-4.", target="memory")
    cockpit.agent.memory("remove", old_text="Tests run")
    cockpit.agent.replace("short answers", "Prefers long answers.", target="user")
    cockpit.take_in()
    return cockpit


async def test_the_first_page_needs_no_worker(busy: Cockpit) -> None:
    app = open_app(busy.settings, Preferences())
    assert len(app._first.store) == 4
    assert not app._first.is_complete


async def test_a_ledger_that_is_not_there_yet_is_made_and_filled(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open() as deck:
        assert len(deck.ids) == 1


async def test_the_riskiest_stands_first(busy: Cockpit) -> None:
    async with busy.open() as deck:
        assert deck.screen.items[deck.ids[0]].action == "remove"


async def test_the_diff_shows_without_opening_anything(busy: Cockpit) -> None:
    async with busy.open(size=(80, 24)) as deck:
        shown = deck.shown()
        assert "Tests run with tox." in shown
        assert "remove" in deck.line("title")


async def test_keys_move_the_cursor(busy: Cockpit) -> None:
    async with busy.open() as deck:
        for key, place in (("j", 1), ("j", 2), ("k", 1), ("G", 3), ("g", 0)):
            await deck.press(key)
            assert deck.ids.index(deck.cursor) == place, key


async def test_half_pages_move_the_cursor(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("ctrl+d")
        assert deck.ids.index(deck.cursor) > 0
        await deck.press("ctrl+u")
        assert deck.ids.index(deck.cursor) == 0


async def test_enter_brings_the_diff_to_the_front_and_escape_the_queue(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("enter")
        assert deck.screen.in_diff
        assert deck.screen.diff.has_focus
        await deck.press("escape")
        assert deck.screen.queue.has_focus


async def test_the_next_proposal_comes_without_leaving_the_diff(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("enter", "J")
        assert deck.ids.index(deck.cursor) == 1
        assert deck.screen.in_diff
        await deck.press("K")
        assert deck.ids.index(deck.cursor) == 0


async def test_in_the_diff_the_same_keys_scroll(cockpit: Cockpit) -> None:
    text = "\n".join(f"line {number}" for number in range(200))
    cockpit.agent.skill(
        "write_file", "release-notes", file_path="references/long.md", file_content=text
    )
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    async with cockpit.open(size=(80, 24)) as deck:
        place = next(id for id, item in deck.screen.items.items() if item.action == "write_file")
        await deck.go_to(place)
        await deck.press("enter", "j", "j")
        assert deck.screen.diff.scroll_offset.y == 2
        await deck.press("G")
        assert "line 199" in deck.shown()
        await deck.press("g")
        assert deck.screen.diff.scroll_offset.y == 0
        await deck.press("space")
        assert deck.screen.diff.scroll_offset.y > 2
        assert deck.cursor == place


async def test_hunks_and_layouts_and_context_have_keys(busy: Cockpit) -> None:
    async with busy.open() as deck:
        diff = deck.screen.diff
        await deck.press(
            "enter", "right_square_bracket", "left_square_bracket", "full_stop", "comma"
        )
        await deck.press("s")
        assert diff.layout_mode == "split"
        before = diff.context
        await deck.press("plus")
        assert diff.context > before
        await deck.press("minus")
        assert diff.context == before
        await deck.press("w")
        assert not diff.wrap
        await deck.press("o", "right_curly_bracket", "left_curly_bracket")


async def test_lanes_have_numbers(busy: Cockpit) -> None:
    async with busy.open() as deck:
        for key, lane, amount in (
            ("3", Lane.DRAFTS, 0),
            ("4", Lane.ALL, 4),
        ):
            await deck.press(key)
            assert deck.screen.view.lane is lane
            assert len(deck.ids) == amount
        await deck.press("1")
        assert len(deck.ids) == 4
        assert "[1 Decide 4]" in deck.line("lanes")


async def test_lanes_and_panes_can_be_clicked(busy: Cockpit) -> None:
    async with busy.open() as deck:
        column = deck.line("lanes").index("4 All")
        await deck.pilot.click("#lanes", offset=(column, 0))
        await deck.settle()
        assert "[4 All" in deck.line("lanes")
        await deck.pilot.click("#lanes", offset=(deck.line("lanes").index("Decide"), 0))
        await deck.settle()
        assert "[1 Decide" in deck.line("lanes")
        await deck.pilot.click("#panes", offset=(3, 0))
        assert deck.screen.side is Pane.EVIDENCE


async def test_conflicts_can_be_had_alone(busy: Cockpit) -> None:
    base = busy.agent.base_of("memories/MEMORY.md")
    busy.agent.replace("staging host", "The staging host is stg-9.", bases=base)
    set_entries(busy.home, "Tests run with tox.", "The staging host is stg-3.", "Docs use mkdocs.")
    async with busy.open() as deck:
        await deck.press("C")
        states = {deck.screen.items[id].state for id in deck.ids}
        assert states == {State.CONFLICT}
        await deck.press("C")
        assert len(deck.ids) == 6  # with what was written by hand


def test_that_not_everything_is_shown_outranks_the_order() -> None:
    backlog = Backlog(draft_count=3, unseen=13)
    narrowed = QueueView(conflicts_only=True)
    for width in (80, 100, 200):
        assert "# conflicts only" in str(lane_line(backlog, narrowed, "", width))
        assert "/ staging" in str(lane_line(backlog, QueueView(), "staging", width))
    assert "sort: risk" in str(lane_line(backlog, narrowed, "", 200))
    assert lane_line(backlog, narrowed, "an endless filter " * 9, 80).cell_length <= 80


async def test_orders_follow_one_another(busy: Cockpit) -> None:
    async with busy.open() as deck:
        seen = []
        for _ in range(4):
            await deck.press("s")
            seen.append(deck.screen.view.sort)
        assert seen == [Sort.NEWEST, Sort.OLDEST, Sort.TARGET, Sort.RISK]


async def test_a_filter_narrows_with_each_letter_and_escape_drops_it(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("slash", *"sphinx")
        assert deck.screen.query_one("#filter", Input).value == "sphinx"
        assert len(deck.ids) == 1
        assert deck.line("keys").split() == ["enter", "keep", "esc", "clear"]
        await deck.press("enter")
        assert "approve" in deck.line("keys")
        assert deck.app.focused is deck.screen.queue
        assert len(deck.ids) == 1
        await deck.press("escape")
        assert len(deck.ids) == 4


async def test_a_filter_forgives_a_slip_and_knows_facets(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("slash", *"sphynx")
        assert len(deck.ids) == 1
        await deck.press("escape", "slash", *"action:remove")
        assert len(deck.ids) == 1
        await deck.press("escape")
        assert len(deck.ids) == 4


FACETS: Mapping[str, Callable[[QueueItem], bool]] = {
    "state:dea": lambda item: item.state is State.DEAD,
    "kind:skills": lambda item: item.kind is Kind.SKILLS,
    "origin:review": lambda item: item.origin == "background_review",
    "session:41c2": lambda item: "tabs" in item.summary,
    "target:memory": lambda item: item.target == "memory",
    "action:replace": lambda item: item.action == "replace",
}


async def test_every_facet_narrows(busy: Cockpit) -> None:
    busy.agent.add("Prefers tabs.", session="41c2-9f")
    busy.agent.replace("nowhere at all", "Nothing.")
    busy.agent.skill("create", "letters", content=skill_text("letters"))
    async with busy.open() as deck:
        everything = dict(deck.screen.items.items())
        for wanted, is_meant in FACETS.items():
            await deck.press_fast("slash", *wanted, "enter")
            meant = {id for id, item in everything.items() if is_meant(item)}
            assert set(deck.ids) == meant != set(), wanted
            await deck.press("escape")


async def test_tab_goes_through_why_evidence_and_history(busy: Cockpit) -> None:
    async with busy.open() as deck:
        assert "[Why" in deck.line("panes")
        await deck.press("tab")
        assert "pending/memory" in deck.line("facts")
        seen = [deck.screen.side]
        for _ in range(2):
            await deck.press("tab")
            seen.append(deck.screen.side)
        assert seen == [Pane.EVIDENCE, Pane.HISTORY, Pane.WHY]


async def test_a_search_in_the_diff_goes_from_match_to_match(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("enter", "slash", *"tox", "enter", "n", "N")
        assert deck.app.focused is deck.screen.diff
        assert len(deck.ids) == 4


async def test_the_help_lists_the_keys_and_goes_away(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("question_mark")
        assert isinstance(deck.app.screen, HelpScreen)
        assert "draft an approval" in str(deck.line("text"))
        box = deck.app.screen.query_one("#box")
        await deck.press("G")
        await deck.until(lambda: box.scroll_y == box.max_scroll_y > 0)
        await deck.press("g")
        await deck.until(lambda: box.scroll_y == 0)
        await deck.press("escape")
        assert len(deck.app.screen_stack) == 1


async def test_copying_puts_the_id_into_the_clipboard(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("y")
        assert deck.app.clipboard.startswith(deck.cursor)


async def test_a_terminal_that_takes_no_text_is_told_of(
    busy: Cockpit, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with busy.open() as deck:
        for name, value, why in (
            ("TERM", "linux", "a terminal of type linux has no clipboard"),
            ("TERM", "screen-256color", "set-clipboard on"),
            ("TERM_PROGRAM", "Apple_Terminal", "Apple's Terminal ignores copying"),
            ("TMUX", "/nowhere,1,0", "The clipboard may be empty: "),
        ):
            with monkeypatch.context() as patched:
                patched.setenv(name, value)
                deck.screen.clear_message()
                await deck.press("y")
                assert why in deck.strip, value


async def test_what_does_not_wrap_is_scrolled_sideways(busy: Cockpit) -> None:
    words = " ".join(f"word-{number}" for number in range(60))
    busy.agent.replace("mkdocs", f"Docs: {words}.")
    busy.take_in()
    async with busy.open() as deck:
        diff = deck.screen.diff
        await deck.go_to(next(i for i in deck.ids if "word-1" in deck.screen.items[i].summary))
        await deck.press("enter", "l")
        assert "w turns that off" in deck.strip
        await deck.press("w", "l", "right")
        assert diff.scroll_offset.x == 2 * SIDEWAYS
        await deck.press("h", "left", "h")
        assert diff.scroll_offset.x == 0
        for event in (events.MouseScrollDown, events.MouseScrollRight):
            shift = event is events.MouseScrollDown
            diff.post_message(event(diff, 5, 2, 0, 0, 0, shift, False, False))
            await deck.until(lambda: diff.scroll_offset.x > 0)
            diff.scroll_columns(-1_000)


async def test_a_note_goes_into_the_log(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("c", *"ask", "enter")
    engine = busy.engine()
    assert [event.detail for event in engine.log() if event.name == "note"] == [{"text": "ask"}]
    engine.close()


async def test_new_records_appear_and_the_cursor_stays(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("j", "j")
        here = deck.cursor
        busy.agent.memory("remove", old_text="Name: Dana.", target="user")
        await deck.until(lambda: len(deck.ids) == 5)
        assert deck.cursor == here
        assert "1 new arrived" in deck.strip


async def test_a_new_record_that_the_filter_matches_is_listed(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("slash", *"zeppelin", "enter")
        assert deck.ids == []
        busy.agent.add("The zeppelin lands at noon.")
        await deck.until(lambda: len(deck.ids) == 1)


async def test_what_another_program_decides_leaves_the_queue(busy: Cockpit) -> None:
    async with busy.open() as deck:
        engine = busy.engine()
        engine.reject(deck.ids[-1], "not now")
        engine.close()
        await deck.until(lambda: len(deck.ids) == 3)


async def test_a_reading_that_is_wanted_meanwhile_begins_when_the_one_before_is_shown(
    busy: Cockpit, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with busy.open() as deck:
        await deck.refresh()
        await deck.settle()
        begun: list[tuple[Callable[[], object], Callable[[object], None]]] = []
        monkeypatch.setattr(deck.screen, "work", lambda job, then, group: begun.append((job, then)))
        deck.screen.refresh_backlog()
        ((read, show),) = begun
        news = read()
        deck.screen.refresh_backlog(force=True)
        assert len(begun) == 1
        show(news)
        assert len(begun) == 2


async def test_looking_again_takes_a_key(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("ctrl+r")
        assert len(deck.ids) == 4


async def test_several_homes_stand_in_one_deck_and_can_be_had_alone(
    busy: Cockpit, tmp_path: Path
) -> None:
    other = tmp_path / "profiles" / "work"
    (other / "memories").mkdir(parents=True)
    (other / "pending" / "memory").mkdir(parents=True)
    set_entries(other, "Works from Oslo.")
    Agent(other, busy.clock).replace("Oslo", "Works from Bergen.")
    busy.homes = (busy.home, other)
    async with busy.open(size=(120, 40)) as deck:
        assert len(deck.ids) == 5
        assert "all 2 homes" in deck.line("head")
        await deck.press("H")
        assert len(deck.ids) == 4
        await deck.press("H")
        assert len(deck.ids) == 1
        assert "home work 2/2" in deck.line("head")
        await deck.press("H")
        assert len(deck.ids) == 5


async def test_the_home_is_always_in_sight(busy: Cockpit, tmp_path: Path) -> None:
    other = tmp_path / "profiles" / "work"
    for folder in ("memories", "pending/memory"):
        (other / folder).mkdir(parents=True)
    set_entries(other, "Works from Oslo.")
    Agent(other, busy.clock).replace("Oslo", "Works from Bergen.")
    busy.homes = (busy.home, other)
    async with busy.open() as deck:
        await deck.go_to(
            next(i for i, item in deck.screen.items.items() if item.home == str(other))
        )
        for width in (80, 120, 160):
            await deck.pilot.resize_terminal(width, 40)
            await deck.settle()
            assert "in work" in deck.line("title")
            (row,) = (line for line in deck.shown().splitlines() if line.startswith(">"))
            assert " work " in row, width


async def test_a_backlog_that_was_read_before_takes_no_place_of_a_newer_one(busy: Cockpit) -> None:
    reached, released = Event(), Event()

    def end_words() -> str:
        reached.set()
        released.wait(60)
        return ""

    async with busy.open() as deck:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(deck.screen.poll, "_end_words", end_words)
            await deck.refresh(force=True)
            await deck.until(reached.is_set)
        before = len(deck.ids)
        busy.agent.add("Standup is at nine.")
        deck.screen.refresh_backlog(force=True)
        await deck.until(lambda: sum(not one.is_finished for one in deck.app.workers) == 1)
        released.set()
        await deck.settle()
        await deck.refresh()
        await deck.settle()
        assert len(deck.ids) == before + 1


async def test_the_lines_over_the_diff_follow_its_pane_however_late_a_breakpoint_moves_it(
    busy: Cockpit,
) -> None:
    async with busy.open(size=(200, 50)) as deck:
        beside = deck.line("title")
        deck.screen.remove_class("-vast")
        await deck.settle()
        assert deck.line("title") != beside
        deck.screen.add_class("-vast")
        await deck.settle()
        assert deck.line("title") == beside


def test_homes_of_one_name_are_told_apart_by_their_folders() -> None:
    names = {"/a/one": "default", "/b/two": "default", "/c/work": "work"}
    assert list(distinct_names(names).values()) == ["one", "two", "work"]
    same = {"/a/home": "default", "/b/home": "default"}
    assert list(distinct_names(same).values()) == ["a/home", "b/home"]


async def test_leaving_says_how_many_drafts_are_not_written(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("j", "d", "q")
    assert deck.app.return_value == 1


async def test_q_leaves_the_diff_first(busy: Cockpit) -> None:
    async with busy.open() as deck:
        await deck.press("enter", "q")
        assert not deck.screen.in_diff
        assert deck.app.is_running


async def test_the_strip_explains_until_the_first_decision(busy: Cockpit) -> None:
    async with busy.open(size=(80, 24)) as deck:
        assert "Nothing is saved until" in deck.strip
        await deck.press("j", "d")
    async with busy.open(size=(80, 24)) as deck:
        assert "Nothing is saved until" not in deck.strip


async def test_wide_the_queue_stands_beside_the_diff(busy: Cockpit) -> None:
    async with busy.open(size=(160, 45)) as deck:
        assert deck.screen.diff.region.x > deck.screen.queue.region.right - 2
    async with busy.open(size=(80, 24)) as deck:
        assert deck.screen.diff.region.y > deck.screen.queue.region.y


async def test_ages_are_those_of_the_operators_clock(busy: Cockpit) -> None:
    moment = busy.clock.moment + timedelta(hours=5)
    busy.now = lambda: moment
    async with busy.open() as deck:
        assert deck.screen.queue.rows[0].age == "5h"


async def test_of_an_unreadable_record_no_age_is_made_up(busy: Cockpit) -> None:
    (busy.home / "pending" / "memory" / "broken.json").write_text("{", "utf-8")
    async with busy.open() as deck:
        await deck.press("G", "tab")
        assert deck.screen.items[deck.cursor].state is State.QUARANTINED
        assert "from" in deck.line("facts")
        assert "ago" not in deck.line("facts")


async def test_a_screen_that_goes_takes_no_call_of_another_one_with_it(cockpit: Cockpit) -> None:
    cockpit.agent.add("The linter is ruff.")
    async with cockpit.open() as deck:
        await deck.press("question_mark")
        front, called, is_over = deck.app.screen, asyncio.Event(), asyncio.Event()
        front.call_later(is_over.wait)  # It has no time for calls.
        deck.screen.diff.call_after_refresh(called.set)
        while not front._callbacks:  # noqa: ASYNC110 - Textual has no event for it
            await asyncio.sleep(0)
        front.dismiss(None)
        is_over.set()
        await deck.settle()
        assert deck.app.screen is deck.screen
        assert called.is_set()


async def test_what_a_screen_has_to_show_after_it_was_left_ends_nothing(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        await deck.press("2")
        front, is_over = deck.app.screen, asyncio.Event()
        assert isinstance(front, SecondaryScreen)
        deck.screen.call_later(is_over.wait)  # Its next refresh is when that screen has gone.
        front.dismiss(None)
        front.call_after_refresh(front.show_bars)
        while front.children:  # noqa: ASYNC110 - Textual has no event for it
            await asyncio.sleep(0)
        is_over.set()
        await deck.settle()
        assert deck.app.screen is deck.screen


async def test_what_a_screen_has_to_show_while_the_deck_is_closed_is_no_crash(
    cockpit: Cockpit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def show_late() -> None:
        ran.append(len(deck.screen.children))
        deck.screen._unless_left(deck.screen.show_bars)

    async with cockpit.open() as deck:
        monkeypatch.setattr(deck.screen.place, "save_painted", show_late)
    assert ran == [0]
