"""The queue list: its cursor, its marks, its columns."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.style import Style
from tests.tui.kit_widgets import HOSTILE, WidgetApp, lines_of, row, rows

from reviewdeck_tui.theme import DARK
from reviewdeck_tui.widgets.palette import Palette
from reviewdeck_tui.widgets.queue_columns import columns_for, row_segments
from reviewdeck_tui.widgets.queue_list import QueueList


async def test_the_cursor_stays_on_its_proposal_when_others_arrive() -> None:
    app = WidgetApp(rows(range(100)))
    async with app.run_test(size=(100, 30)) as pilot:
        app.queue.move_to("50")
        await pilot.pause()
        at = app.queue.scroll_offset.y
        app.queue.show(rows(["new", "newer", *range(100)]))
        await pilot.pause()
        assert app.queue.cursor_id == "50"
        assert app.queue.scroll_offset.y == at + 2, "and on its line of the screen"


async def test_no_refresh_ever_moves_the_cursor_off_its_proposal() -> None:
    app = WidgetApp(rows(range(60)))
    chance = random.Random(7)  # noqa: S311  # a reproducible shuffle, not a secret
    async with app.run_test(size=(90, 20)) as pilot:
        for _ in range(40):
            ids = chance.sample(range(200), chance.randint(1, 150))
            app.queue.move(chance.randint(-30, 30))
            held = app.queue.cursor_id
            assert held is not None
            kept = [*map(str, ids), *([] if held in map(str, ids) else [held])]
            chance.shuffle(kept)
            app.queue.show(rows(kept))
            await pilot.pause()
            assert app.queue.cursor_id == held
            assert any(line.startswith(">") for line in lines_of(app.queue)), "and it is in sight"


async def test_a_proposal_that_goes_away_leaves_the_cursor_on_the_one_after_it() -> None:
    app = WidgetApp(rows("abcdef"))
    async with app.run_test() as pilot:
        app.queue.move_to("c")
        await pilot.pause()
        app.heard.clear()
        app.queue.show(rows("abf"))
        await pilot.pause()
        assert app.queue.cursor_id == "f"
        assert [(m.id, m.by_key) for m in app.heard if isinstance(m, QueueList.Moved)] == [
            ("f", False)
        ]


async def test_a_key_is_told_from_a_refresh() -> None:
    app = WidgetApp(rows("abc"))
    async with app.run_test() as pilot:
        app.queue.move(1)
        await pilot.pause()
        app.queue.move_to("c")
        await pilot.pause()
        moved = [(m.id, m.by_key) for m in app.heard if isinstance(m, QueueList.Moved)]
        assert moved == [("a", False), ("b", True), ("c", False)]


async def test_moving_stops_at_both_ends() -> None:
    app = WidgetApp(rows("abc"))
    async with app.run_test():
        app.queue.move(-5)
        assert app.queue.cursor_id == "a"
        app.queue.move(99)
        assert app.queue.cursor_id == "c"


async def test_an_empty_queue_takes_every_key() -> None:
    app = WidgetApp()
    async with app.run_test() as pilot:
        app.queue.move(1)
        app.queue.move_page(-1)
        app.queue.toggle_mark()
        app.queue.mark_range_to_cursor()
        await pilot.click(QueueList, offset=(3, 3))
        assert app.queue.cursor_id is None
        assert not app.queue.marked_ids
        assert not app.queue.move_to("a")


async def test_marks_and_ranges_are_kept_through_a_refresh() -> None:
    app = WidgetApp(rows("abcdef"))
    async with app.run_test() as pilot:
        app.queue.move_to("b")
        app.queue.toggle_mark()
        app.queue.move(2)
        app.queue.mark_range_to_cursor()
        assert list(app.queue.marked_ids) == ["b", "c", "d"]
        app.queue.show([*rows("fdcb"), row("z", marked=True)])
        await pilot.pause()
        assert list(app.queue.marked_ids) == ["d", "c", "b", "z"]
        assert [line[2] for line in lines_of(app.queue)[:5]] == [" ", "*", "*", "*", "*"]
        app.queue.clear_marks()
        assert not app.queue.marked_ids


async def test_a_click_moves_and_a_second_one_opens() -> None:
    app = WidgetApp(rows("abcdef"))
    async with app.run_test() as pilot:
        await pilot.click(QueueList, offset=(10, 3))
        assert app.queue.cursor_id == "d"
        await pilot.click(QueueList, offset=(10, 4), times=2)
        await pilot.pause()
        opened = [m.id for m in app.heard if isinstance(m, QueueList.Opened)]
        assert opened == ["e"]


async def test_the_cursor_is_always_in_sight() -> None:
    app = WidgetApp(rows(range(500)))
    async with app.run_test(size=(100, 24)) as pilot:
        for delta in (1, 30, 200, -3, -100, 500, -1, -500):
            app.queue.move(delta)
            await pilot.pause()
            assert sum(line.startswith(">") for line in lines_of(app.queue)) == 1
        await pilot.resize_terminal(100, 8)
        assert sum(line.startswith(">") for line in lines_of(app.queue)) == 1


@pytest.mark.parametrize(
    ("width", "origin"),
    [(80, []), (119, []), (120, ["review"])],
)
def test_where_there_is_room_the_origin_stands_in_the_row_and_else_the_gist_has_its_place(
    width: int, origin: list[str]
) -> None:
    said = "".join(
        segment.text
        for segment in row_segments(
            row("a", "staging host is stg-4"),
            columns_for(width, homes=False),
            Palette(DARK),
            Style(),
            cursor=True,
            marked=False,
        )
    )
    gist = ["staging", "host", "is", "stg-4"]
    assert said.split() == [">", "#", "replace", "MEMORY", *gist, *origin, "3", "alike", "6h"]
    assert cell_len(said) == width


@pytest.mark.parametrize(("kind", "said"), [("write_file", "write"), ("remove_file", "remove")])
def test_a_long_word_is_shortened_where_it_does_not_fit(kind: str, said: str) -> None:
    shown = replace(row("a"), kind=kind)
    for width, word in ((80, said), (140, kind)):
        columns = columns_for(width, homes=False)
        segments = row_segments(shown, columns, Palette(DARK), Style(), cursor=False, marked=False)
        assert f" {word} " in "".join(segment.text for segment in segments)


@pytest.mark.parametrize("width", [20, 30, 40, 58, 66, 80, 96, 110, 130, 200])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_line_is_exactly_as_wide_as_the_list(width: int, name: str) -> None:
    shown = row("a", text=HOSTILE[name])
    columns = columns_for(width, homes=bool(shown.home))
    segments = row_segments(shown, columns, Palette(DARK), Style(), cursor=False, marked=True)
    assert sum(cell_len(segment.text) for segment in segments) == width


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_every_line_of_the_screen_is_full_at_every_size(size: tuple[int, int]) -> None:
    app = WidgetApp([row(name, gist=text) for name, text in HOSTILE.items()])
    async with app.run_test(size=size):
        queue = app.queue
        assert {queue.render_line(y).cell_length for y in range(queue.size.height)} == {
            queue.size.width
        }


async def test_the_colours_follow_the_theme() -> None:
    app = WidgetApp(rows("abc"))
    async with app.run_test() as pilot:
        dark = [segment.style for segment in app.queue.render_line(1)]
        app.theme = "deck-light"
        await pilot.pause()
        light = [segment.style for segment in app.queue.render_line(1)]
        assert dark != light


async def test_another_theme_of_textual_can_be_used() -> None:
    app = WidgetApp(rows("abc"))
    async with app.run_test() as pilot:
        app.theme = "nord"
        await pilot.pause()
        assert "gist a" in app.queue.render_line(0).text
