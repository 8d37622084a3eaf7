"""The merge screen without its keys: what it is made of, and what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Input, Static

from reviewdeck.model import Draft, QueueItem
from reviewdeck_tui import bars, merge_bars
from reviewdeck_tui.board import Stock
from reviewdeck_tui.covering import covered, covered_line
from reviewdeck_tui.documents import DiffDocument
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.merge_bars import MergePane
from reviewdeck_tui.merge_checks import Checked, check
from reviewdeck_tui.merge_desk import OpenMerge
from reviewdeck_tui.merge_session import Session
from reviewdeck_tui.merge_sides import heads, sides_document
from reviewdeck_tui.panes import Line
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.frame import SAID_FOR, Bar
from reviewdeck_tui.screens.working import WorkingScreen
from reviewdeck_tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reviewdeck_tui.bench import Bench

ABREAST_FROM: Final = 108
"""Columns from which the three texts stand side by side."""


class MergeHost(Protocol):
    """The deck, as far as a merge needs it."""

    preferences: Preferences
    guard: Guard
    shows_secrets: bool

    def edit_text(self, text: str, document: str) -> str | None:
        """Lets the operator edit a text; None when there is no editor."""
        ...

    def neighbour(self, id: str, step: int) -> QueueItem | None:
        """The next conflict of the queue, or the one before."""
        ...

    def undrafted(self, id: str) -> QueueItem | None:
        """A conflict without a draft: the next one, else the first."""
        ...

    def giving_way(self, id: str) -> Sequence[str]:
        """The proposals that give way to the result of this one's merge."""
        ...

    def merged(self, draft: Draft, stock: Stock, said: str) -> None:
        """A result was drafted, or a rejection or deferral in its place."""
        ...

    def clock(self) -> datetime:
        """The time of day."""
        ...


class MergeFrame(WorkingScreen[str]):
    """Three texts above, the result below, and what is known of it. Ends with a word."""

    AUTO_FOCUS = "#sides"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (ABREAST_FROM, "-wide"), (170, "-vast")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    MergeFrame {
        #head { background: $panel; }
        #columns { display: none; width: 1fr; height: auto; }
        #sides { height: 8fr; min-height: 3; }
        #below { height: 9fr; layout: vertical; }
        #outcome { height: 1fr; }
        #aside { height: 4; }
        #pane { height: 1fr; scrollbar-size-vertical: 1; }
        #facts { width: 1fr; height: auto; }
        #search { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
        #search.-open { display: block; }
        #sides, #result, #pane {
            scrollbar-background: $background; scrollbar-background-hover: $background;
            scrollbar-color: $secondary 60%;
        }
        #picks, #keys { background: $panel; }
        &.-abreast #columns { display: block; }
        &.-high #aside { height: 9; }
        &.-high #sides { height: 1fr; }
        &.-high #below { height: 2fr; }
        &.-vast #below { layout: horizontal; }
        &.-vast #outcome { width: 2fr; height: 1fr; }
        &.-vast #aside { width: 1fr; height: 1fr; border-left: solid $panel; }
    }
    """

    in_result: reactive[bool] = reactive(False, init=False)
    """Which half the keys scroll."""

    def __init__(self, open_bench: Callable[[], Bench], host: MergeHost, shown: OpenMerge) -> None:
        super().__init__(open_bench)
        self.host = host
        self.session = Session(shown)
        self.pane = MergePane.ALONE
        self.checked: Checked = check(self.session.merging, shown.limit)
        self.is_painted = False
        """Whether the result, as it is now, is on the screen."""
        self.seen = 0.0
        """How much of the result has been, 0 to 1."""
        self.against = ""
        """Why nothing can be drafted any more; empty as long as it can."""
        self.abreast_wanted: bool | None = None
        self._says = Content("")
        self._shown_in: tuple[Size, ...] = ()

    def compose(self) -> ComposeResult:
        """Head, texts, result, panes, search, strip, keys."""
        yield Bar(id="head")
        yield Bar(id="texts")
        yield Static(id="columns", markup=False)
        yield DiffView(id="sides")
        with Container(id="below"):
            with Vertical(id="outcome"):
                yield Bar(id="title")
                yield DiffView(id="result")
            with Vertical(id="aside"):
                yield Bar(id="panes")
                with VerticalScroll(id="pane", can_focus=False):
                    yield Static(id="facts", markup=False)
        yield Input(id="search", placeholder="search the result")
        yield Bar(id="strip")
        yield Bar(id="picks")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Everything is shown once there is a width to show it in."""
        for view in (self.sides, self.result):
            view.layout_mode = "unified"
            view.wrap = self.host.preferences.wrap
        self.call_after_refresh(self.show_all)

    @property
    def sides(self) -> DiffView:
        """The three texts of the place."""
        return self.query_one("#sides", DiffView)

    @property
    def result(self) -> DiffView:
        """What the document becomes."""
        return self.query_one("#result", DiffView)

    @property
    def is_abreast(self) -> bool:
        """Whether the three texts stand side by side."""
        if self.abreast_wanted is not None:
            return self.abreast_wanted
        return self._width >= ABREAST_FROM

    @property
    def _width(self) -> int:
        return self.size.width or self.app.size.width

    def bar(self, id: str) -> Bar:
        """One of the lines."""
        return self.query_one(f"#{id}", Bar)

    def show_all(self) -> None:
        """Everything anew, from the place that is looked at."""
        self._shown_in = self._sizes
        self.show_sides()
        self.show_result()
        self.show_facts()

    def show_sides(self) -> None:
        """The texts of the place."""
        session = self.session
        self.set_class(self.is_abreast and bool(session.places), "-abreast")
        if not session.places:
            self.sides.clear()
        else:
            authors = session.shown.authors_of(session.places[session.at].ours)
            document = sides_document(session.merging, session.at, authors, abreast=self.is_abreast)
            document = self._covered(document)
            same_place = self.sides.document is not None and self.sides.document.id == document.id
            self.sides.show(document, keep_place=same_place)
            width = self.sides.scrollable_content_region.width or self._width
            columns = merge_bars.column_heads(heads(session.merging, session.at, authors), width)
            self.query_one("#columns", Static).update(columns)
        self.show_bars()

    def show_result(self, *, moved: bool = True) -> None:
        """The result; it follows the place when that is another one."""
        session = self.session
        self.checked = check(session.merging, session.shown.limit)
        document = self._covered(session.view.document(session.merging, session.at))
        self.is_painted = document == self.result.document and self.is_painted
        self.result.show(document, keep_place=True)
        self.result.show_conflict(session.at, only_when_hidden=not moved)
        self.show_bars()

    def _covered(self, document: DiffDocument) -> DiffDocument:
        """Without its secrets, until the operator asks to see them."""
        cover = self.session.shown.cover
        if cover is None or self.host.shows_secrets:
            return document
        return covered(document, cover)

    def show_bars(self) -> None:
        """The lines between."""
        session, width = self.session, self._width
        self.bar("head").show(merge_bars.head_line(session, width))
        words = "TEXTS side by side" if self.is_abreast else "TEXTS"
        front = not self.in_result
        self.bar("texts").show(merge_bars.title_line(words, Content(""), width, is_front=front))
        below = self.query_one("#outcome").size.width or width
        said = bars.styled(*self.checked.said)
        self.bar("title").show(
            merge_bars.title_line("RESULT", said, below, is_front=self.in_result)
        )
        aside = self.query_one("#aside").content_size.width or width
        self.bar("panes").show(merge_bars.pane_line(self.pane, session, aside))
        keymap = self.host.preferences.keys
        picks, keys = merge_bars.key_lines(session, self.checked, keymap, width)
        self.bar("picks").show(picks)
        self.bar("keys").show(keys)
        self.bar("strip").show(self._says if self._says else self._standing())

    def _standing(self) -> Content:
        if self.against:
            return bars.styled(f" {self.against}", "dangerous")
        return merge_bars.standing_words(self.session, self.checked)

    def show_facts(self) -> None:
        """The pane below the result, or beside it."""
        pane = self.query_one("#pane", VerticalScroll)
        width = pane.scrollable_content_region.width or self._width
        found = merge_bars.pane_lines(self.pane, self.session.shown, self.host.clock())
        if not self.host.shows_secrets:
            found = self._covered_lines(found)
        lines = [bars.hanging(line, width) for line in found]
        self.query_one("#facts", Static).update(Content("\n").join(lines))
        pane.scroll_home(animate=False)
        self.show_bars()

    def _covered_lines(self, found: Iterable[Line]) -> Iterator[Line]:
        shown = self.session.shown
        for line in found:
            told = covered_line(line, shown.told)
            yield covered_line(told, shown.cover) if shown.cover is not None else told

    def say(self, text: str, meaning: str = "text") -> None:
        """One line for the operator; it makes room again by itself."""
        said = self._says = bars.styled(f" {text}", meaning)
        self.bar("strip").show(said)

        def over() -> None:
            if self._says is said:
                self.hush()

        self.set_timer(SAID_FOR, over)

    def hush(self) -> None:
        """The strip says again what it says when nothing happens."""
        self.forget_words()
        self.show_bars()

    def forget_words(self) -> None:
        """What was said is over."""
        self._says = Content("")

    @on(DiffView.Painted, "#result")
    def _painted(self, event: DiffView.Painted) -> None:
        self.is_painted = True
        self.seen = event.fraction_seen

    def on_resize(self) -> None:
        """What is shown is made for a width."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self._shown_in != self._sizes:
            self.show_all()

    @property
    def _sizes(self) -> tuple[Size, ...]:
        """What everything is made for."""
        pane = self.query_one("#aside")
        return self.size, self.sides.size, self.result.size, pane.size

    def watch_in_result(self) -> None:
        """Focus follows what is in front."""
        (self.result if self.in_result else self.sides).focus()
        self.show_bars()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click brings to the front what it fell on."""
        if isinstance(event.widget, DiffView):
            self.in_result = event.widget.id == "result"

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()
