"""The deck's screen without its keys: what it is made of, what it shows, who works for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from reviewdeck.model import Draft, QueueItem
from reviewdeck.ports import Clock
from reviewdeck_tui import bars
from reviewdeck_tui.board import Stock, View, arrange, rows_of
from reviewdeck_tui.covering import complaint
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.messages import Looked, Refused
from reviewdeck_tui.panes import Pane
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.screens.working import WorkingScreen
from reviewdeck_tui.vacancy import vacant, why_empty
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.facts_view import FactsView
from reviewdeck_tui.widgets.queue_list import QueueList

if TYPE_CHECKING:
    from reviewdeck_tui.bench import Bench
    from reviewdeck_tui.documents import DiffDocument
    from reviewdeck_tui.looking import Look

Editor: TypeAlias = Callable[[str, str], str | None]
"""Lets the operator edit a text; the second argument names the document. None: no editor."""

WELCOME: Final = "Nothing is written until ^s, then y. a approves, r rejects, m merges, ? helps."
SAID_FOR: Final = 6.0
"""Seconds for which a message stands in the strip."""


class Bar(Static):
    """One line that is rewritten without a new layout."""

    DEFAULT_CSS = "Bar { height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }"

    def show(self, content: Content) -> None:
        """Replaces the line, where it differs from what is there."""
        now = self.content
        if not (isinstance(now, Content) and now.is_same(content)):
            self.update(content, layout=False)


class Frame(WorkingScreen[None]):
    """Queue, diff and panes. Its state is the stock, the view and what is looked at."""

    AUTO_FOCUS = "#queue"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (140, "-wide"), (180, "-vast")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high"), (48, "-tall")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    Frame {
        #body { height: 1fr; layout: vertical; }
        #queue { height: 2fr; min-height: 3; }
        #look { height: 3fr; }
        #facts { height: 3; }
        #said { height: 1; overflow: hidden; }
        #filter { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
        #filter.-open { display: block; }
        #head, #lanes, #title { background: $panel; }
        #queue, #diff, #facts {
            scrollbar-background: $background; scrollbar-background-hover: $background;
            scrollbar-color: $secondary 60%;
        }
        #strip { color: $deck-quiet; }
        #keys { background: $panel; }
        &.-high #facts { height: 7; }
        &.-tall #facts { height: 12; }
        &.-stacked #queue.-aside { height: 3; }
        &.-wide, &.-vast {
            #body { layout: horizontal; }
            #queue { width: 62; height: 1fr; }
            #look { width: 1fr; height: 1fr; border-left: solid $panel; }
            #title { background: $surface; }
            #facts { height: 14; }
        }
        &.-wide.-tall #facts, &.-vast.-tall #facts { height: 22; }
        &.-vast #queue { width: 80; }
    }
    """

    in_diff: reactive[bool] = reactive(False, init=False, repaint=False)
    """Whether the diff is in front: keys then scroll it."""

    def __init__(
        self,
        open_bench: Callable[[], Bench],
        first: Stock,
        preferences: Preferences,
        *,
        edit: Editor,
        now: Clock,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(open_bench)
        self.stock = first
        self.preferences = preferences
        self.edit = edit
        self.now = now
        self.view = View()
        self.guard = Guard(tick)
        self.side = Pane.WHY
        self.wanted = ""
        """What the filter says."""
        self.items = arrange(first, self.view)
        """What the queue shows, in order."""
        self.look: Look | None = None
        self._looking: str | None = None
        self.shows_secrets = False
        self._next_look: QueueItem | None = None
        self._is_started = False
        self._said_until = 0.0
        self._tick = tick

    def compose(self) -> ComposeResult:
        """Head, lanes, queue and diff, filter, strip, keys."""
        yield Bar(id="head")
        yield Bar(id="lanes")
        with Container(id="body"):
            yield QueueList(id="queue")
            with Vertical(id="look"):
                yield Bar(id="title")
                yield DiffView(id="diff")
                yield Bar(id="panes")
                yield FactsView(id="facts")
        with Vertical(id="said"):  # One line: what is typed stands in the place of what is said.
            yield Input(id="filter", placeholder="words, or state:conflict kind:skills origin:chat")
            yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Shows the first page; everything else comes from workers."""
        self.diff.layout_mode = self.preferences.layout
        self.diff.wrap = self.preferences.wrap
        self.show_queue()

    @property
    def queue(self) -> QueueList:
        """The list."""
        return self.query_one(QueueList)

    @property
    def diff(self) -> DiffView:
        """The diff."""
        return self.query_one(DiffView)

    @property
    def current(self) -> QueueItem | None:
        """The proposal under the cursor."""
        return self.items.get(self.queue.cursor_id or "")

    def draft_of(self, id: str) -> Draft | None:
        """The draft of a proposal."""
        return self.stock.drafts.get(id)

    def bar(self, id: str) -> Bar:
        """One of the lines."""
        return self.query_one(f"#{id}", Bar)

    def show_queue(self) -> None:
        """Lays the queue out anew; the cursor stays on its proposal."""
        self.items = arrange(self.stock, self.view)
        self.queue.show(rows_of(self.items, self.stock, self.now()))
        self.show_bars()
        self.look_at(self.current)

    def show_bars(self) -> None:
        """Writes the lines around the queue and the diff."""
        width = self.size.width or self.app.size.width
        item = self.current
        drafts = len(self.stock.drafts) if self.stock.is_whole else self.stock.draft_count
        self.bar("head").show(bars.head_line(self.stock, self.view, width))
        self.bar("lanes").show(bars.lane_line(self.stock, self.view, self.wanted, width))
        keys = bars.key_line(
            item,
            drafts,
            self.preferences.keys,
            width,
            in_diff=self.in_diff,
            alike=self.items.alike(item.id) if item is not None else 1,
        )
        self.bar("keys").show(keys)
        self.show_title()
        if self._tick() >= self._said_until:
            self.bar("strip").show(self.standing_words())

    def standing_words(self) -> Content:
        """What the strip says when nothing else is to be said."""
        if not self.stock.is_whole:
            return bars.styled(" looking at the home ...", "quiet")
        if self.stock.is_first_run:
            return bars.styled(f" {WELCOME}", "heading")
        return Content("")

    def show_title(self) -> None:
        """Writes the line over the diff, and that over the panes."""
        width = self.query_one("#look").size.width or self.size.width
        item = self.current
        if item is None:
            why = why_empty(self.stock, self.view, self.wanted)
            self.bar("title").show(bars.styled(f" {why}", "strong"))
            self.bar("panes").show(Content(""))
            return
        draft, home = self.draft_of(item.id), self.stock.home_of(item)
        look = self.look
        again = look is not None and look.id == item.id and look.is_judged_again
        title = bars.title_line(item, draft, width, home, is_judged_again=again)
        self.bar("title").show(title)
        self.bar("panes").show(bars.pane_line(self.side, len(item.findings), width))

    def show_facts(self) -> None:
        """Writes the pane beside the diff."""
        facts = self.query_one(FactsView)
        width = facts.scrollable_content_region.width or self.size.width
        if self.look is None:
            facts.show([])
        else:
            facts.show(list(self._facts(self.look, width)), about=(self.look.id, self.side))

    def _facts(self, look: Look, width: int) -> Iterator[Content]:
        """One pane; where there is room beside the queue, all of them, this one first."""
        panes = [self.side]
        if not self.has_class("-stacked"):
            panes += [self.side.after(1), self.side.after(2)]
        for pane in panes:
            if pane is not self.side:
                yield Content.styled(f" {pane}", "bold $deck-heading")
            for line in look.lines(pane, self.now(), secrets=self.shows_secrets):
                yield bars.hanging(line, width)

    def say(self, text: str, meaning: str = "text") -> None:
        """One line for the operator; it makes room again by itself."""
        self._said_until = self._tick() + SAID_FOR
        self.bar("strip").show(bars.styled(f" {text}", meaning))
        self.set_timer(SAID_FOR + 0.1, self.show_bars)

    def hush(self) -> None:
        """The strip says again what it says when nothing happens."""
        self._said_until = 0.0
        self.show_bars()

    # Looking: the newest wish wins, and one is worked on at a time.

    def look_at(self, item: QueueItem | None) -> None:
        """Shows a proposal's diff as soon as it is worked out."""
        if item is None:
            self.look = None
            keymap = self.preferences.keys
            self.diff.show(vacant(self.stock, self.view, self.wanted, keymap))
            self.show_facts()
            return
        self._next_look = item
        if self._looking is None and self._is_started:
            self._start_look()

    def _start_look(self) -> None:
        item, self._next_look = self._next_look, None
        if item is None:
            return
        self._looking = item.id

        def job() -> Message | None:
            worker = get_current_worker()
            look = self.bench.look(item, lambda: worker.is_cancelled)
            return Looked(look) if look is not None else None

        self.work(job, group="look")

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        self._looking = None
        if self._next_look is not None:
            self._start_look()
        item = self.current
        if item is None or item.id != event.look.id:
            return
        before, self.look = self.look, event.look
        is_same = before is not None and before.id == item.id and before.digest == event.look.digest
        self.diff.show(self.shown_of(event.look), keep_place=is_same)
        self.show_title()
        self.show_facts()
        self.after_look()
        if (below := self.items.get(self.queue.next_id or "")) is not None:
            self.bench.prepare(below)  # while the operator reads this one

    def shown_of(self, look: Look) -> DiffDocument:
        """What the diff shows of a proposal."""
        return look.shown(secrets=self.shows_secrets)

    def after_look(self) -> None:
        """A diff is on the screen."""

    @on(DiffView.Painted)
    def _painted(self, event: DiffView.Painted) -> None:
        if self.look is not None and self.look.id == event.id:
            self.guard.painted(event.id, self.look.digest, event.fraction_seen)

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self.make_room)
        self.call_after_refresh(self.show_bars)
        self.call_after_refresh(self.show_facts)

    def make_room(self) -> None:
        """Where all stands in one column, the queue gives way to a diff that is in front."""
        # Elsewhere the class would change nothing, and cost a look at every style.
        self.queue.set_class(self.in_diff and self.has_class("-stacked"), "-aside")

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        if event.what == "look":
            self._looking = None
        self.say(complaint(event.error), "dangerous")

    def set_view(self, **changes: object) -> None:
        """Shows something else of the queue."""
        self.view = replace(self.view, **changes)  # type: ignore[arg-type]  # names of View's fields
        self.show_queue()
