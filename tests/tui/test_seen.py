"""Only text that was in sight counts as seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Event

import pytest
from tests.tui.kit_deck import Cockpit, Driver
from tests.tui.kit_widgets import WidgetApp, document, lines_of
from textual.app import App, ComposeResult
from textual.containers import Container
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Static

from reviewdeck.model import QueueItem
from reviewdeck_tui.proposal.diff_document import (
    DiffDocument,
    Notice,
    Section,
    SideBySide,
    SplitColumn,
    Tone,
)
from reviewdeck_tui.proposal.view import ProposalView
from reviewdeck_tui.widgets.diff_view import DiffView

LONG = " ".join(f"word{number}" for number in range(40))
WIDE = "日本語のテキスト" * 15


async def settle(pilot: Pilot[None]) -> None:
    """Lets everything be painted and reported."""
    for _ in range(3):
        await pilot.pause(0.01)


async def read_sideways(app: WidgetApp, pilot: Pilot[None]) -> None:
    """Scrolls from the first to the last column."""
    while True:
        at = app.diff.scroll_offset.x
        app.diff.scroll_columns(app.diff.sideways)
        await settle(pilot)
        if app.diff.scroll_offset.x == at:
            return


@pytest.mark.parametrize(
    "text",
    [LONG, WIDE, f"{LONG}\t{WIDE}", "\u202e\t" * 20],
    ids=["words", "wide", "both", "hidden"],
)
@pytest.mark.parametrize("layout", ["unified", "split"])
async def test_columns_out_of_sight_are_seen_once_they_were_scrolled_to(
    text: str, layout: str
) -> None:
    app = WidgetApp(shown=document("old\n", f"{text}\n"))
    async with app.run_test(size=(100, 20)) as pilot:
        app.diff.layout_mode = layout  # type: ignore[assignment]
        app.diff.wrap = False
        app.diff.show(document(f"{text} a\n", f"{text} b\n", path="other.md"))
        await settle(pilot)
        assert app.diff.fraction_seen == 0.0
        assert any("›" in line for line in lines_of(app.diff)), "a cut line says so"
        await read_sideways(app, pilot)
        assert app.diff.fraction_seen == 1.0
        assert any("‹" in line for line in lines_of(app.diff))
        assert not any("›" in line for line in lines_of(app.diff)), "nothing is cut at the end"


async def test_the_columns_in_between_count_too() -> None:
    app = WidgetApp(shown=document("", f"{LONG}\n"))
    async with app.run_test(size=(100, 20)) as pilot:
        app.diff.wrap = False
        app.diff.show(document("", f"{LONG} b\n"))
        await settle(pilot)
        app.diff.scroll_to(x=5_000, animate=False)
        await settle(pilot)
        assert "word39 b" in "\n".join(lines_of(app.diff))
        assert app.diff.fraction_seen == 0.0


async def test_the_middle_of_a_wrapped_line_counts_too() -> None:
    app = WidgetApp(shown=document("", " ".join(["word"] * 600) + "\n"))
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        app.diff.scroll_to_finish()
        await settle(pilot)
        assert app.diff.fraction_seen == 0.0
        while app.diff.scroll_offset.y > 0:
            app.diff.move_page(-1)
            await settle(pilot)
        assert app.diff.fraction_seen == 1.0


async def test_a_new_document_starts_at_its_first_column() -> None:
    app = WidgetApp(shown=document("", f"{LONG}\n"))
    async with app.run_test(size=(100, 20)) as pilot:
        app.diff.wrap = False
        await settle(pilot)
        app.diff.scroll_to(x=64, animate=False)
        await settle(pilot)
        app.diff.show(document("", "Every second Thursday\n", path="other.md"))
        await settle(pilot)
        assert app.diff.scroll_offset.x == 0
        assert any("Every second Thursday" in line for line in lines_of(app.diff))
        assert app.diff.fraction_seen == 1.0


async def test_what_was_read_at_two_widths_adds_up() -> None:
    text = " ".join(f"word{number}" for number in range(150))
    app = WidgetApp(shown=document("", f"{text}\n"))
    async with app.run_test(size=(100, 12)) as pilot:
        await settle(pilot)
        await pilot.resize_terminal(70, 12)
        await settle(pilot)
        assert app.diff.fraction_seen == 0.0
        app.diff.scroll_to_finish()
        await settle(pilot)
        while app.diff.scroll_offset.y > 0:
            app.diff.move(-3)
            await settle(pilot)
        assert app.diff.fraction_seen == 1.0


class Above(App[None]):
    """A diff with something over a part of it."""

    CSS = """
    Screen { layers: base top; }
    #over { layer: top; dock: top; height: 3; width: 12; }
    """

    def compose(self) -> ComposeResult:
        with Container():
            yield DiffView()
        yield Static("covered", id="over")


async def test_lines_below_an_overlay_are_not_seen() -> None:
    app = Above()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(document("", "first\nsecond\nthird\nfourth\n"))
        await settle(pilot)
        assert view.fraction_seen == pytest.approx(0.5), "the title and two lines are covered"
        app.query_one("#over").display = False
        await settle(pilot)
        assert view.fraction_seen == 1.0


async def test_nothing_is_seen_behind_a_dialog() -> None:
    app = WidgetApp(shown=document("", "one\n"))
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        dialog: ModalScreen[None] = ModalScreen()
        await app.push_screen(dialog)
        app.diff.show(document("", "two\n", path="other.md"))
        await settle(pilot)
        assert app.diff.fraction_seen == 0.0
        dialog.dismiss(None)
        await settle(pilot)
        assert app.diff.fraction_seen == 1.0


async def test_text_outside_of_its_container_is_not_seen() -> None:
    class Cut(App[None]):
        CSS = "Container { height: 4; overflow: hidden; } DiffView { height: 20; width: 200; }"

        def compose(self) -> ComposeResult:
            with Container():
                yield DiffView()

    app = Cut()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(document("", f"short\n{'x' * 100}\n" + "short\n" * 8))
        await settle(pilot)
        assert view.fraction_seen == pytest.approx(0.2), "two of the three lines, of ten"


def notices() -> Iterator[DiffDocument]:
    for aside in ("", "after: 1600/2200 characters, and 12 entries"):
        notice = Notice(f"LOST: {LONG} {LONG} {LONG}", Tone.LOST, aside)
        yield DiffDocument("one", "t", (Section("MEMORY.md", (notice,)),))


@pytest.mark.parametrize("shown", notices())
@pytest.mark.parametrize("wrap", [True, False])
async def test_a_notice_is_never_cut_and_is_seen_line_by_line(
    shown: DiffDocument, wrap: bool
) -> None:
    app = WidgetApp(shown=document("", "other\n"))
    async with app.run_test(size=(100, 10)) as pilot:
        app.diff.wrap = wrap
        app.diff.show(shown)
        await settle(pilot)
        assert app.diff.fraction_seen == 0.0
        for _ in range(60):
            app.diff.move(4)
            await settle(pilot)
            if app.diff.scroll_offset.y >= app.diff.max_scroll_y:
                break
        assert "word39" in "\n".join(lines_of(app.diff))
        assert app.diff.fraction_seen == 1.0


async def test_each_column_of_texts_side_by_side_has_to_be_seen() -> None:
    columns = tuple(SplitColumn(text) for text in ("base", LONG, "proposed"))
    shown = DiffDocument("one", "t", (Section("MEMORY.md", (SideBySide(columns),)),))
    app = WidgetApp(shown=document("", "other\n"))
    async with app.run_test(size=(160, 10)) as pilot:
        app.diff.wrap = False
        app.diff.show(shown)
        await settle(pilot)
        assert app.diff.fraction_seen == 0.0
        await read_sideways(app, pilot)
        assert app.diff.fraction_seen == 1.0


@pytest.mark.parametrize("width", (4, 6, 7, 8, 10))
async def test_wide_characters_that_do_not_fit_are_not_seen(width: int) -> None:
    """They are cut by the terminal, and push what follows out of its place."""
    app = WidgetApp(shown=document("", "日本\n"))
    async with app.run_test(size=(40, 10)) as pilot:
        app.diff.styles.width = width
        await settle(pilot)
        app.diff.show(document("", "日本語\n", path="other.md"))
        await settle(pilot)
        shown = (
            "".join(line[7:].strip() for line in lines_of(app.diff) if "+" in line),
            app.diff.fraction_seen,
        )
        is_readable = "日" in shown[0]
        assert (app.diff.fraction_seen == 1.0) <= is_readable


async def test_a_step_between_two_paints_counts_only_what_was_painted() -> None:
    """Keys that come faster than the screen is painted jump over lines."""
    text = "".join(f"line {number}\n" for number in range(100))
    app = WidgetApp(shown=document("", text))
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        for _ in range(8):  # in one breath, without a paint in between
            app.diff.move_page(1)
        await settle(pilot)
        seen = [float(message.fraction_seen) for message in app.painted()]
        assert all(before <= after for before, after in pairwise(seen))
        assert seen[-1] < 0.3


async def test_a_report_that_comes_late_says_so() -> None:
    app = WidgetApp(shown=document("", "one\n"))
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        assert app.painted()[-1].is_current
        app.diff.show(document("", "two\n"))
        assert not app.painted()[-1].is_current


async def test_the_deck_approves_together_only_what_was_in_sight(cockpit: Cockpit) -> None:
    long = "Errors are in Sentry, and " + "the runbook says what to do about each of them, " * 4
    first, second = cockpit.agent.add(f"{long}first."), cockpit.agent.add("Standup is at nine.")
    cockpit.take_in()
    cut, short = cockpit.ours(first), cockpit.ours(second)
    async with cockpit.open(size=(100, 30)) as deck:
        await deck.press("w")
        await deck.go_to(cut)
        await deck.press("l", "l")
        await deck.go_to(short)
        assert deck.screen.diff.scroll_offset.x == 0
        assert "Standup is at nine." in deck.shown()
        await deck.press("A", "y")
        assert set(deck.drafts) == {short}


@contextmanager
def late_looks(deck: Driver) -> Iterator[Event]:
    """No diff is read before the event is set."""
    engine, released = deck.screen.engine, Event()
    look = engine.look

    def look_late(item: QueueItem, is_cancelled: Callable[[], bool]) -> ProposalView | None:
        released.wait(60)
        return look(item, is_cancelled)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "look", look_late)
        try:
            yield released
        finally:
            released.set()


async def test_a_diff_that_comes_late_never_stands_under_another_title(cockpit: Cockpit) -> None:
    cockpit.agent.add("Standup is at nine.")
    cockpit.agent.memory("remove", old_text="Tests run")
    cockpit.take_in()
    async with cockpit.open(size=(100, 30)) as deck:
        before, (other,) = deck.cursor, [id for id in deck.ids if id != deck.cursor]
        deck.screen.guard._sightings.pop(other, None)
        title = deck.line("title")
        with late_looks(deck) as released:
            await deck.pilot.press("j" if deck.ids[0] == before else "k")
            await deck.pilot.pause()
            assert deck.cursor == other
            assert deck.line("title") == title, "of the diff that is still there"
            await deck.pilot.press("a")
            await deck.pilot.pause()
            assert not deck.drafts
            released.set()
            await deck.settle()
        assert deck.line("title") != title


async def test_a_diff_that_comes_behind_another_screen_is_not_on_the_screen(
    cockpit: Cockpit,
) -> None:
    cockpit.agent.add("Standup is at nine.")
    cockpit.agent.memory("remove", old_text="Tests run")
    cockpit.take_in()
    async with cockpit.open(size=(100, 30)) as deck:
        (other,) = [id for id in deck.ids if id != deck.cursor]
        guard = deck.screen.guard
        guard._sightings.pop(other, None)
        with late_looks(deck) as released:
            await deck.pilot.press("j" if deck.ids[1] == other else "k", "?")
            released.set()
            await deck.until(lambda: deck.screen.current_look is not None)
            await deck.settle()
            assert guard.coverage(other) is None
        await deck.press("escape")
        assert guard.coverage(other) == 1.0
