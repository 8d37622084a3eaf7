"""The diff view: layouts, folds, jumps, search, what was seen."""

from __future__ import annotations

import pytest
from tests.tui.kit_widgets import WidgetApp, document, lines_of
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import Authors, DiffDocument, Line, Quote, Section
from reviewdeck_tui.widgets.diff_view import DiffView

OLD = "\n".join(f"line {number}" for number in range(1, 101)) + "\n"
NEW = OLD.replace("line 20\n", "line twenty\n").replace("line 80\n", "")


async def settle(pilot: Pilot[None], seconds: float = 0.05) -> None:
    """Lets messages and timers run."""
    await pilot.pause(seconds)
    await pilot.pause()


def text_of(view: DiffView) -> str:
    """What is on the screen."""
    return "\n".join(line.rstrip() for line in lines_of(view))


async def test_it_has_two_sides_where_there_is_room_and_one_where_there_is_not() -> None:
    app = WidgetApp(shown=document(OLD, NEW))
    async with app.run_test(size=(200, 30)) as pilot:
        assert app.diff.is_split is True
        wide = next(line for line in lines_of(app.diff) if "line twenty" in line)
        assert "line 20" in wide, "both sides in one line"
        await pilot.resize_terminal(120, 30)
        await pilot.pause()
        assert app.diff.size.width < 96
        shown = text_of(app.diff)
        assert "- line 20\n" in shown
        assert "+ line twenty\n" in shown
        app.diff.layout_mode = "split"
        await pilot.pause()
        assert any("line 20" in line and "twenty" in line for line in lines_of(app.diff))


async def test_unchanged_lines_are_folded_and_the_fold_opens_and_closes() -> None:
    app = WidgetApp(shown=document(OLD, NEW))
    async with app.run_test(size=(120, 40)) as pilot:
        assert "⋯ 16 lines unchanged" in text_of(app.diff)
        assert "line 5" not in text_of(app.diff)
        assert app.diff.toggle_fold()
        await pilot.pause()
        assert "line 5" in text_of(app.diff)
        assert app.diff.toggle_fold()
        await pilot.pause()
        assert "line 5" not in text_of(app.diff)


async def test_a_click_opens_a_fold() -> None:
    app = WidgetApp(shown=document(OLD, NEW))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.click(DiffView, offset=(8, 1))
        await pilot.pause()
        assert "line 5" in text_of(app.diff)


async def test_more_context_leaves_less_folded() -> None:
    app = WidgetApp(shown=document(OLD, NEW))
    async with app.run_test(size=(120, 40)) as pilot:
        before = app.diff.virtual_size.height
        app.diff.context = 8
        await pilot.pause()
        assert app.diff.virtual_size.height == before + 20
        assert "line 12" in text_of(app.diff)
        app.diff.context = 200
        await pilot.pause()
        assert "unchanged" not in text_of(app.diff)


async def test_a_change_that_long_lines_before_it_push_out_of_sight_is_shown_at_once() -> None:
    long = OLD.replace("\n", " and so on without an end" * 7 + "\n")
    app = WidgetApp(shown=document(long, long.replace("line 20 ", "line twenty ")))
    async with app.run_test(size=(120, 12)) as pilot:
        await settle(pilot)
        assert "line twenty" in text_of(app.diff)
        app.diff.move(-100)
        await settle(pilot)
        assert "unchanged" in text_of(app.diff), "only once: it is scrolled as any other"


async def test_jumping_goes_from_hunk_to_hunk_and_stops_at_the_last() -> None:
    spread = "".join(f"line {n}\n" for n in range(1, 400))
    changed = spread.replace("line 100\n", "x\n").replace("line 200\n", "y\n")
    app = WidgetApp(shown=document(spread, changed))
    async with app.run_test(size=(120, 12)) as pilot:
        app.diff.context = 50
        assert app.diff.jump_hunk(1)
        await pilot.pause()
        assert "+ x" in text_of(app.diff)
        assert app.diff.current_hunk == 0
        assert app.diff.jump_hunk(1)
        await pilot.pause()
        assert "+ y" in text_of(app.diff)
        assert not app.diff.jump_hunk(1)
        assert app.diff.jump_hunk(-1)
        await pilot.pause()
        assert "+ x" in text_of(app.diff)


async def test_hunks_that_share_the_last_screen_are_reached_one_by_one() -> None:
    app = WidgetApp(shown=document("a\nb\nc\nd\ne\n", "A\nb\nC\nd\nE\n"))
    async with app.run_test(size=(120, 40)):
        reached = []
        while app.diff.jump_hunk(1):
            reached.append(app.diff.current_hunk)
        assert reached == [0, 1, 2]


async def test_jumping_by_conflict_knows_each_place() -> None:
    place: tuple[Line, ...] = (Quote("base"), Authors("live", "proposed"))
    between: tuple[Line, ...] = (Quote("x"),) * 60
    section = Section("a", (*place, *between, *place), "# conflict", conflicts=(0, 62))
    app = WidgetApp(shown=DiffDocument("1", "t", (section,)))
    async with app.run_test(size=(120, 10)) as pilot:
        assert app.diff.jump_conflict(1)
        assert app.diff.scroll_offset.y == 0
        assert app.diff.jump_conflict(1)
        await pilot.pause()
        assert app.diff.scroll_offset.y > 40
        assert not app.diff.jump_conflict(1)


@pytest.mark.parametrize(("width", "split"), [(200, True), (100, False)])
async def test_who_wrote_what_is_never_cut(width: int, split: bool) -> None:
    who = "proposed: review, session 20261119_harbour_3, turn 9, 2026-11-19 02:14:33, model x-large"
    section = Section("a", (Authors(f"live: {who}", who), Quote("text")))
    app = WidgetApp(shown=DiffDocument("1", "t", (section,)))
    async with app.run_test(size=(width, 20)):
        assert app.diff.is_split is split
        lines = lines_of(app.diff)
        words = " ".join(" ".join(line.split("│")[-1] for line in lines).split())
        assert who in words
        assert [line for line in lines if "| text" in line], "and what follows is there"


async def test_a_search_marks_opens_folds_and_goes_round() -> None:
    app = WidgetApp(shown=document(OLD, NEW))
    async with app.run_test(size=(120, 14)) as pilot:
        assert app.diff.search("LINE 5") == 11, "5 and 50 to 59, whatever the case"
        await pilot.pause()
        assert "line 5" in text_of(app.diff)
        for _ in range(10):
            assert app.diff.next_match(1)
        await pilot.pause()
        assert "line 59" in text_of(app.diff)
        assert app.diff.next_match(1)
        await pilot.pause()
        assert "line 5\n" in text_of(app.diff)
        assert app.diff.search("nowhere") == 0
        assert not app.diff.next_match(1)
        assert app.diff.search("") == 0


async def test_long_lines_are_wrapped_with_their_sign_and_a_hook() -> None:
    app = WidgetApp(shown=document("a\n", "- " + "word " * 60 + "end\n"))
    async with app.run_test(size=(120, 20)) as pilot:
        lines = [line for line in lines_of(app.diff) if "word" in line]
        assert len(lines) > 3
        assert [line[4:8] for line in lines[:2]] == ["+ - ", "+↳  "], "under the item's own words"
        assert "end" in text_of(app.diff)
        app.diff.wrap = False
        await pilot.pause()
        assert "end" not in text_of(app.diff)
        app.diff.scroll_columns(1000)
        await pilot.pause()
        assert "end" in text_of(app.diff)


async def test_both_sides_scroll_sideways_together() -> None:
    app = WidgetApp(shown=document("x" * 300 + "left\n", "x" * 300 + "right\n"))
    async with app.run_test(size=(200, 20)) as pilot:
        app.diff.wrap = False
        await pilot.pause()
        app.diff.scroll_columns(260)
        await pilot.pause()
        line = next(line for line in lines_of(app.diff) if "left" in line)
        assert "right" in line


async def test_what_was_painted_is_told_with_how_much_was_seen() -> None:
    after = "".join(f"new {number}\n" for number in range(200))
    app = WidgetApp(shown=document("", after))
    async with app.run_test(size=(120, 21)) as pilot:
        await settle(pilot)
        first = app.painted()[0]
        assert first.first_paint
        assert first.id == "skills/a/SKILL.md"
        assert first.fraction_seen == pytest.approx(0.1)
        while app.diff.scroll_offset.y < app.diff.max_scroll_y:
            app.diff.move_page(1)
            await pilot.pause()
        await settle(pilot)
        assert app.painted()[-1].fraction_seen == 1.0
        assert [message.first_paint for message in app.painted()].count(True) == 1


async def test_what_is_jumped_over_was_not_seen() -> None:
    after = "".join(f"new {number}\n" for number in range(200))
    app = WidgetApp(shown=document("", after))
    async with app.run_test(size=(120, 21)) as pilot:
        app.diff.scroll_to_finish()
        await settle(pilot)
        assert "new 199" in text_of(app.diff)
        assert app.painted()[-1].fraction_seen < 0.25


async def test_a_line_that_is_cut_says_so_and_is_never_seen_in_full() -> None:
    app = WidgetApp(shown=document("", "x" * 12_000 + "\n"))
    async with app.run_test(size=(120, 40)) as pilot:
        app.diff.scroll_to_finish()
        await settle(pilot)
        assert "more characters are not shown" in text_of(app.diff)
        app.diff.move(-1_000_000)
        await settle(pilot)
        for _ in range(10):
            app.diff.move_page(1)
            await pilot.pause()
        assert app.diff.fraction_seen == 0.0


async def test_the_same_document_again_keeps_its_place_and_what_was_seen() -> None:
    after = "".join(f"new {number}\n" for number in range(200))
    app = WidgetApp(shown=document("", after))
    async with app.run_test(size=(120, 21)) as pilot:
        app.diff.move_page(1)
        await settle(pilot)
        seen, at = app.diff.fraction_seen, app.diff.scroll_offset.y
        app.diff.show(document("", after))
        await settle(pilot)
        assert (app.diff.fraction_seen, app.diff.scroll_offset.y) == (seen, at)
        assert app.painted()[-1].first_paint, "a new first paint is told"
        app.diff.show(document("", after + "more\n"))
        await settle(pilot)
        assert app.diff.scroll_offset.y == 0
        assert app.diff.fraction_seen < seen


async def test_what_was_seen_in_two_showings_adds_up() -> None:
    long = document("", "".join(f"new {number}\n" for number in range(40)))
    app = WidgetApp(shown=long)
    async with app.run_test(size=(120, 21)) as pilot:
        await settle(pilot)
        assert app.diff.fraction_seen < 1
        app.diff.show(document("", "other\n", path="skills/b/SKILL.md"))
        await settle(pilot)
        app.diff.show(long)
        app.diff.scroll_to_finish()
        await settle(pilot)
        assert app.painted()[-1].fraction_seen == 1.0


async def test_a_document_shown_before_there_is_a_screen_appears() -> None:
    class Early(App[None]):
        def compose(self) -> ComposeResult:
            view = DiffView()
            view.show(document("a\n", "b\n"))
            yield view

    app = Early()
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "+ b" in text_of(app.query_one(DiffView))


async def test_wrapped_lines_out_of_sight_are_measured_without_moving_what_is_in_sight() -> None:
    text = "".join(f"{number} " + "word " * 60 + "\n" for number in range(3_000))
    app = WidgetApp(shown=document("", text))
    async with app.run_test(size=(120, 30)) as pilot:
        app.diff.scroll_to(y=4_000, animate=False)
        await pilot.pause()
        before = app.diff.render_line(3).text
        for _ in range(60):
            await settle(pilot)
            assert app.diff.render_line(3).text == before
            if app.diff.is_measured:
                break
        assert app.diff.is_measured
        app.diff.scroll_to_finish()
        await pilot.pause()
        assert "2999 word" in text_of(app.diff)


async def test_several_documents_have_a_title_each() -> None:
    both = DiffDocument(
        "1",
        "t",
        (
            section_of("memories/MEMORY.md", "a", "b", 2200),
            section_of("skills/x/a.py", None, "1\n", None),
        ),
    )
    app = WidgetApp(shown=both)
    async with app.run_test(size=(120, 30)):
        shown = text_of(app.diff)
        assert "── memories/MEMORY.md ─" in shown
        assert "after: 1/2200" in shown
        assert "── skills/x/a.py ─" in shown
        assert "new" in shown


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
@pytest.mark.parametrize("theme", ["deck-dark", "deck-light", "nord"])
async def test_every_line_is_as_wide_as_the_view(size: tuple[int, int], theme: str) -> None:
    app = WidgetApp(shown=document("日本語 " * 60 + "\na\n", "日本 " * 70 + "\nb\n"), theme=theme)
    async with app.run_test(size=size):
        view = app.diff
        assert {view.render_line(y).cell_length for y in range(view.size.height)} == {
            view.scrollable_content_region.width
        }
