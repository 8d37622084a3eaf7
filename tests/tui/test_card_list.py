"""The roll of cards: the cursor, what stands aside, and text that cannot be trusted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rich.style import Style
from tests.tui.kit_widgets import HOSTILE
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from reviewdeck.text.inert import visible
from reviewdeck.text.words import Mark
from reviewdeck_tui.theme import THEMES
from reviewdeck_tui.widgets.card_list import CardList
from reviewdeck_tui.widgets.card_paint import Sheet, height_of, paint
from reviewdeck_tui.widgets.cards import Card, Cards, Leaf
from reviewdeck_tui.widgets.palette import Palette


class RollApp(App[None]):
    """Nothing but a roll."""

    def __init__(self, cards: Cards) -> None:
        super().__init__()
        self.cards = cards

    def compose(self) -> ComposeResult:
        """The roll."""
        yield CardList(id="roll")

    def on_mount(self) -> None:
        """Shows the cards in our colours."""
        self.register_theme(THEMES[0])
        self.theme = THEMES[0].name
        self.query_one(CardList).show(self.cards)


@asynccontextmanager
async def rolled(cards: Cards, size: tuple[int, int] = (60, 10)) -> AsyncIterator[CardList]:
    """A roll on a screen."""
    app = RollApp(cards)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield app.query_one(CardList)


async def settled(pilot: Pilot[None]) -> None:
    """Everything is laid out and painted."""
    await pilot.pause()
    await pilot.pause()


def cards(*names: str) -> tuple[Card, ...]:
    """A heading that the cursor passes by, then one card for each name."""
    return (Card("", (Leaf("heading"),)), *(Card(name, (Leaf(name),)) for name in names))


def sheet(width: int) -> Sheet:
    """A sheet in our colours."""
    return Sheet(width, Palette(THEMES[0]), Style.null())


def lines(card: Card, width: int) -> list[str]:
    """A card as plain text."""
    strips = paint(card, sheet(width), cursor=False, focused=False)
    assert len(strips) == height_of(card, sheet(width))
    assert all(strip.cell_length == width for strip in strips)
    return [strip.text.rstrip() for strip in strips]


async def test_the_cursor_passes_headings_by() -> None:
    async with rolled(cards("a", "b")) as card_list:
        assert card_list.cursor_id == "a"
        card_list.move(1)
        assert card_list.cursor_id == "b"
        card_list.move(-5)
        assert card_list.cursor_id == "a"


async def test_the_cursor_stays_on_its_card_when_others_come_and_go() -> None:
    async with rolled(cards("a", "b", "c")) as card_list:
        card_list.move(1)
        card_list.show(cards("new", "a", "b"))
        assert card_list.cursor_id == "b"
        card_list.show(cards("new", "c"))
        assert card_list.cursor_id == "c"
        card_list.show(())
        assert card_list.cursor_id == ""
        card_list.move(1)
        card_list.move_page(0.5)


async def test_the_card_under_the_cursor_is_in_sight() -> None:
    names = [f"card {number}" for number in range(200)]
    async with rolled(cards(*names)) as card_list:
        card_list.move(150)
        top = card_list.scroll_offset.y
        assert top <= 151 < top + 10
        card_list.move(-500)
        assert card_list.scroll_offset.y == 0
        card_list.move_page(2.0)
        assert card_list.cursor_id != "card 0"
        assert card_list.move_to("card 99") and not card_list.move_to("nowhere")


async def test_cards_of_something_else_are_shown_from_the_first() -> None:
    async with rolled(cards(*"abcdefghijklmnopqrstuvwxyz")) as card_list:
        card_list.move(20)
        card_list.show(cards(*"abcdefghijklmnopqrstuvwxyz"), is_other=True)
        assert card_list.cursor_id == "a"
        assert card_list.scroll_offset.y == 0


def test_what_stands_aside_is_beside_where_there_is_room_and_below_where_not() -> None:
    card = Card("x", (Leaf("The linter is ruff.", sign="+"),), (Leaf("by a rule"), Leaf("2h ago")))
    assert lines(card, 60) == ["  + The linter is ruff.", "      by a rule · 2h ago"]
    (wide,) = lines(card, 120)
    assert wide.startswith("  + The linter is ruff.") and wide.endswith("by a rule · 2h ago")


def test_long_text_hangs_behind_its_sign_and_can_be_cut() -> None:
    text = "one two three four five six seven eight nine ten"
    assert lines(Card("x", (Leaf(text, sign="~"),)), 30)[1].startswith("    ")
    (cut,) = lines(Card("x", (Leaf(text, most=1),)), 30)
    assert cut.endswith("…")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_card_of_hostile_text_is_painted_as_harmless_cells(name: str) -> None:
    bad = HOSTILE[name]
    leaf = Leaf(bad, marks=(Mark(0, 5),), mark="added-mark", lead=bad, sign="+")
    card = Card("x", (leaf, Leaf(bad, most=2)), (Leaf(bad), Leaf(bad)), rule="─", gap=True)
    for width in (16, 40, 120, 200):
        for line in lines(card, width):
            assert visible(line, keep="") == line


def test_nothing_of_a_text_is_read_as_markup() -> None:
    assert lines(Card("x", (Leaf("[bold]b[/] [@click=app.exit()]x[/]"),)), 60) == [
        "    [bold]b[/] [@click=app.exit()]x[/]"
    ]
