"""Size does not matter: bounds so wide that only a lost index or a lost cache breaks them."""

from __future__ import annotations

import time

import pytest
from tests.tui.kit_widgets import WidgetApp, rows

from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument

pytestmark = pytest.mark.slow


async def test_a_hundred_thousand_proposals_are_shown_and_moved_through_at_once() -> None:
    many = rows(range(100_000))
    app = WidgetApp()
    async with app.run_test(size=(160, 45)) as pilot:
        began = time.process_time()
        app.queue.show(many)
        assert time.process_time() - began < 0.5
        app.queue.move(99_999)
        began = time.process_time()
        for _ in range(100):
            app.queue.move(-1)
        assert time.process_time() - began < 0.5
        began = time.process_time()
        app.queue.show(many[500:])
        assert time.process_time() - began < 1.0
        assert app.queue.cursor_id == "99899"
        await pilot.pause()


async def test_fifty_thousand_long_lines_are_on_the_screen_before_they_are_measured() -> None:
    text = "".join(f"{number} " + "word " * 50 + "\n" for number in range(50_000))
    document = DiffDocument("1", "t", (section_of("a.md", None, text, None),))
    app = WidgetApp()
    async with app.run_test(size=(160, 45)) as pilot:
        began = time.process_time()
        app.diff.show(document)
        assert "0 word" in app.diff.render_line(1).text
        assert time.process_time() - began < 1.5
        assert not app.diff.is_measured
        began = time.process_time()
        app.diff.scroll_to_finish()
        assert "49999 word" in "".join(app.diff.render_line(y).text for y in range(45))
        assert time.process_time() - began < 1.0
        await pilot.pause()


async def test_one_endless_line_blocks_nothing() -> None:
    document = DiffDocument("1", "t", (section_of("a.md", None, "word " * 200_000, None),))
    app = WidgetApp()
    async with app.run_test(size=(160, 45)) as pilot:
        began = time.process_time()
        app.diff.show(document)
        for _ in range(10):
            app.diff.scroll_pages(1)
            app.diff.render_line(3)
        assert app.diff.search("word") == 1
        assert time.process_time() - began < 1.0
        await pilot.pause()
