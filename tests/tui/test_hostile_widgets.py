"""Hostile text in both widgets: nothing breaks, and nothing that steers reaches a segment."""

from __future__ import annotations

import re

import pytest
from rich.segment import Segment
from tests.tui.kit_widgets import HOSTILE, TOGETHER, WidgetApp, hostile_document, row
from textual.color import Color

from reviewdeck_tui.safe import SafetyFilter, inert_line

STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def painted(app: WidgetApp) -> str:
    """Everything in the segments of the whole screen, before any filter."""
    widgets = (app.queue, app.diff)
    return "".join(
        segment.text
        for widget in widgets
        for y in range(widget.size.height)
        for segment in widget.render_line(y)
    )


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["split", "unified"])
async def test_hostile_text_is_painted_inert(layout: str) -> None:
    app = WidgetApp()
    async with app.run_test(size=(150, 30)) as pilot:
        app.diff.layout_mode = "split" if layout == "split" else "unified"
        for name, text in TOGETHER.items():
            app.queue.show([row(f"{number}{text}", text=text) for number in range(3)])
            app.diff.wrap = True
            app.diff.show(hostile_document(text))
            app.queue.move(1)
            await pilot.pause()
            seen = painted(app)
            app.diff.search(text)
            app.diff.toggle_fold()
            app.diff.scroll_to_finish()
            await pilot.pause()
            seen += painted(app)
            app.diff.wrap = False
            app.diff.scroll_columns(40)
            await pilot.pause()
            seen += painted(app)
            assert app.is_running, name
            assert not STEERING.search(seen), name
            lines = [app.diff.render_line(y) for y in range(app.diff.size.height)]
            measured = {sum(segment.cell_length for segment in line) for line in lines}
            assert measured == {app.diff.scrollable_content_region.width}, name


async def test_hostile_text_is_drawn_by_the_whole_screen_without_an_exception() -> None:
    app = WidgetApp()
    async with app.run_test(size=(120, 24)) as pilot:
        for name, text in TOGETHER.items():
            app.queue.show([row("a", text=text)])
            app.diff.show(hostile_document(text))
            await pilot.pause()
            drawn = app.export_screenshot()
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", drawn), name


def test_markup_stays_text() -> None:
    for text in ("a [/] b", "[@click=app.exit()]x[/]", "[red]z", "\\[x]"):
        assert inert_line(text) == text


def test_one_line_is_one_line() -> None:
    assert inert_line("  a\n\tb\r\nc\x1b[2J ") == "a b c␛[2J"


@pytest.mark.parametrize("name", HOSTILE)
def test_the_filter_alone_would_do(name: str) -> None:
    text = HOSTILE[name][:2_000]
    segments = [Segment("before "), Segment(text), Segment(" after")]
    filtered = SafetyFilter().apply(segments, Color.parse("black"))
    assert not STEERING.search("".join(segment.text for segment in filtered))
    assert sum(s.cell_length for s in filtered) == sum(s.cell_length for s in segments)
    assert [filtered[0].text, filtered[2].text] == ["before ", " after"]


def test_the_filter_leaves_ordinary_text_alone() -> None:
    segments = [Segment("plain"), Segment("日本語 👩‍👩‍👧 é"), Segment("│─↳")]
    assert SafetyFilter().apply(segments, Color.parse("black")) is segments
