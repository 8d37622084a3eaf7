"""The sections of the queue: headings, what is folded, and the cursor between them."""

from __future__ import annotations

import pytest
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.kit_widgets import WidgetApp, lines_of, rows

from reviewdeck.model import State
from reviewdeck_tui.widgets.queue_list import QueueList
from reviewdeck_tui.widgets.rows import Heading


@pytest.fixture
def mixed(cockpit: Cockpit) -> Cockpit:
    """Two that can be decided, and three that can no longer be applied."""
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.add("The office is on Pier 2.")
    for name in ("Jenkins", "Bamboo", "Travis"):
        cockpit.agent.replace(name, f"{name} builds nothing.")
    cockpit.take_in()
    return cockpit


def states(deck: Driver) -> list[State]:
    """The states of what the queue lists, in order."""
    return [deck.screen.items[id].state for id in deck.ids]


async def test_what_is_outdated_is_folded_until_a_key_shows_it(mixed: Cockpit) -> None:
    async with mixed.open() as deck:
        assert states(deck) == [State.READY, State.READY]
        assert "Outdated 3" in deck.shown()
        await deck.press("o")
        assert states(deck) == [State.READY] * 2 + [State.DEAD] * 3
        await deck.press("o")
        assert states(deck) == [State.READY, State.READY]


async def test_all_of_it_is_dismissed_while_it_is_folded(mixed: Cockpit) -> None:
    async with mixed.open() as deck:
        await deck.press("D", "y")
        assert len(deck.drafts) == 3


@pytest.mark.parametrize("keys", [("slash", *"jenkins", "enter"), ("s",), ("4",)])
async def test_a_filter_another_order_and_the_whole_ledger_fold_nothing(
    mixed: Cockpit, keys: tuple[str, ...]
) -> None:
    async with mixed.open() as deck:
        await deck.press(*keys)
        await deck.until(lambda: State.DEAD in states(deck))


async def test_the_cursor_stays_on_a_proposal_that_becomes_outdated(mixed: Cockpit) -> None:
    async with mixed.open() as deck:
        id = next(id for id in deck.ids if deck.screen.items[id].action == "replace")
        await deck.go_to(id)
        memory = mixed.home / "memories" / "MEMORY.md"
        memory.write_text("Tests run with tox.\n§\nDocs use sphinx.", "utf-8")
        await deck.refresh(force=True)
        await deck.until(lambda: deck.screen.items[id].state is State.DEAD)
        assert deck.cursor == id


async def test_the_head_counts_what_is_to_decide_and_a_draft_is_decided(mixed: Cockpit) -> None:
    async with mixed.open() as deck:
        assert "2 to decide" in deck.line("head")
        await deck.press("a")
        assert "1 to decide" in deck.line("head")


async def test_the_pane_in_front_has_the_sign(mixed: Cockpit) -> None:
    async with mixed.open() as deck:
        assert [deck.line(id)[0] for id in ("columns", "title")] == ["▸", " "]
        await deck.press("enter")
        assert [deck.line(id)[0] for id in ("columns", "title")] == [" ", "▸"]


async def test_the_cursor_skips_headings_and_they_are_in_sight_with_their_rows() -> None:
    app = WidgetApp()
    headings = [Heading(0, "First 2", "", "ready"), Heading(2, "Second 3", "", "ready")]
    headings.append(Heading(5, "Folded 4", "", "dead"))
    async with app.run_test(size=(90, 12)) as pilot:
        app.queue.show(rows("abcde"), headings)
        for id in "abcde":
            assert app.queue.cursor_id == id
            (line,) = (line for line in lines_of(app.queue) if line.startswith(">"))
            assert f"gist {id}" in line
            app.queue.move(1)
            await pilot.pause()
        shown = [line.split()[0] for line in lines_of(app.queue)[:8]]
        assert shown == ["First", "#", "#", "Second", "#", "#", ">", "Folded"]


async def test_a_click_on_a_heading_moves_nothing_and_is_told() -> None:
    app = WidgetApp()
    async with app.run_test(size=(90, 12)) as pilot:
        app.queue.show(rows("ab"), [Heading(0, "First 2", "", "ready")])
        await pilot.pause()
        await pilot.click(QueueList, offset=(3, 2))
        assert app.queue.cursor_id == "b"
        await pilot.click(QueueList, offset=(3, 0))
        assert app.queue.cursor_id == "b"
