"""A screen takes the same steps whatever the size, and all the rest is gone through once."""

from __future__ import annotations

from functools import partial

import pytest
from tests.steps import LINEAR, steps_of
from tests.tui.kit_widgets import WidgetApp, rows

from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument

pytestmark = pytest.mark.slow
ABOUT_THE_SAME = 1.2


async def test_a_hundred_thousand_proposals_are_shown_and_moved_through() -> None:
    many = rows(range(100_000))
    app = WidgetApp()
    async with app.run_test(size=(160, 45)) as pilot:
        app.queue.show(many)
        app.queue.move(99_999)
        for _ in range(100):
            app.queue.move(-1)
        app.queue.show(many[500:])
        assert app.queue.cursor_id == "99899"
        await pilot.pause()


async def test_twice_as_many_proposals_take_twice_the_steps_and_a_move_takes_no_more() -> None:
    async def steps(count: int) -> tuple[int, int, int]:
        many = rows(range(count))
        app = WidgetApp()
        async with app.run_test(size=(160, 45)) as pilot:
            shown = steps_of(lambda: app.queue.show(many))
            app.queue.move(count - 1)
            moved = steps_of(partial(app.queue.move, -1))
            again = steps_of(lambda: app.queue.show(many[500:]))
            await pilot.pause()
        return shown, moved, again

    await steps(100)
    (shown, moved, again), twice = await steps(10_000), await steps(20_000)
    assert twice[0] < LINEAR * shown
    assert twice[1] < ABOUT_THE_SAME * moved
    assert twice[2] < LINEAR * again


def long_lines(count: int) -> DiffDocument:
    text = "".join(f"{number} " + "word " * 50 + "\n" for number in range(count))
    return DiffDocument("1", "t", (section_of("a.md", None, text, None),))


async def test_fifty_thousand_long_lines_are_on_the_screen_before_they_are_measured() -> None:
    document = long_lines(50_000)
    app = WidgetApp()
    async with app.run_test(size=(160, 45)) as pilot:
        app.diff.show(document)
        assert "0 word" in app.diff.render_line(1).text
        assert not app.diff.is_measured
        app.diff.scroll_to_finish()
        assert "49999 word" in "".join(app.diff.render_line(y).text for y in range(45))
        await pilot.pause()


async def test_twice_as_many_lines_take_twice_the_steps_and_their_beginning_takes_no_more() -> None:
    async def steps(count: int) -> tuple[int, int, int]:
        document = long_lines(count)
        app = WidgetApp()
        async with app.run_test(size=(160, 45)) as pilot:
            shown = steps_of(lambda: app.diff.show(document))
            first = steps_of(lambda: app.diff.render_line(1))
            app.diff.scroll_to_finish()
            last = steps_of(lambda: app.diff.render_line(44))
            await pilot.pause()
        return shown, first, last

    await steps(100)
    (shown, first, last), twice = await steps(5_000), await steps(10_000)
    assert twice[0] < LINEAR * shown
    assert twice[1] < ABOUT_THE_SAME * first
    assert twice[2] < LINEAR * last


async def test_an_endless_line_takes_the_steps_of_a_long_one() -> None:
    async def steps(words: int) -> int:
        section = section_of("a.md", None, "word " * words, None)
        app = WidgetApp()
        async with app.run_test(size=(160, 45)) as pilot:
            app.diff.show(DiffDocument("1", "t", (section,)))

            def look() -> None:
                for _ in range(10):
                    app.diff.move_page(1)
                    app.diff.render_line(3)
                assert app.diff.search("word") == 1

            found = steps_of(look)
            await pilot.pause()
        return found

    long = await steps(10_000)
    assert await steps(50_000) < ABOUT_THE_SAME * long
