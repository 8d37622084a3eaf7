"""The deck's screen: the queue, the diff of a proposal, and what is known of it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from textual import events, on
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input
from textual.worker import get_current_worker

from reviewdeck.model import SENT_BACK, Draft, QueueItem, State, Verb
from reviewdeck.policy.redact import redact
from reviewdeck.ports import Clock
from reviewdeck.presentation.proposal_words import finding_count, gist, undone_words, wanted
from reviewdeck.presentation.words import count
from reviewdeck_tui.bookmark import Bookmark, bookmark_at
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.controllers.filter import QueueFilter
from reviewdeck_tui.controllers.merges import ALL_BACK, Merges, others_words
from reviewdeck_tui.controllers.parts import Dropped, PartPicker, Picked
from reviewdeck_tui.controllers.place import KEEP, PlaceKeeper
from reviewdeck_tui.controllers.preview import Preview
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.keys import ACTIONS, SECRETS, bindings
from reviewdeck_tui.messages import (
    Clustered,
    Filtered,
    Looked,
    MergeOpened,
    Opened,
    PlaceKept,
    Refused,
    Resumed,
    Stocked,
    Summed,
)
from reviewdeck_tui.preferences import LAYOUTS, Preferences
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.proposal.redaction import STILL_COVERED, complaint
from reviewdeck_tui.proposal.skim import MOST, HeldByOrigin, is_held_by_origin, read_held
from reviewdeck_tui.queue import bars, selection
from reviewdeck_tui.queue.columns import Sort
from reviewdeck_tui.queue.empty import vacant, why_empty
from reviewdeck_tui.queue.selection import Choice, left_words
from reviewdeck_tui.queue.view import Lane, QueueView, Stock, arrange, rows_of, warm
from reviewdeck_tui.screens.base import SAID_FOR, EngineScreen
from reviewdeck_tui.screens.dialogs import SEND_BACK, ReasonDialog, SureDialog, WordsDialog
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.facts_view import FactsView
from reviewdeck_tui.widgets.laid_out import SIDEWAYS
from reviewdeck_tui.widgets.queue_list import QueueList

if TYPE_CHECKING:
    from reviewdeck_tui.engine import Engine
    from reviewdeck_tui.merge.cluster import ClusterChoice
    from reviewdeck_tui.proposal.own_text import OwnText
    from reviewdeck_tui.proposal.view import ProposalView
    from reviewdeck_tui.screens.merge import MergeScreen
    from reviewdeck_tui.screens.skim import Skimmed

Editor: TypeAlias = Callable[[str, str], str | None]
"""Lets the operator edit a text; the second argument names the document. None: no editor."""

WELCOME: Final = "Nothing is written until ^s, then y. a approves, r rejects, m merges, ? helps."
POLL: Final = 1.0
"""Seconds between two looks at the stamp of each home."""


@dataclass
class HeldRead(Message):
    """What waits only because of its origin is read."""

    held: tuple[HeldByOrigin, ...]


@dataclass
class SelectionMade(Message):
    """A worker went through all that is shown."""

    choice: Choice
    then: Callable[[Choice], None]


class DeckScreen(EngineScreen[None], inherit_bindings=False):
    """What an operator lives in. Its state is the stock, the view and what is looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    OFFERED = ACTIONS
    AUTO_FOCUS = "#queue"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (140, "-wide"), (180, "-vast")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high"), (48, "-tall")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    DeckScreen {
        #body { height: 1fr; layout: vertical; }
        #queue { height: 2fr; min-height: 3; }
        #look { height: 3fr; }
        #diff { height: auto; max-height: 65%; }
        #facts { height: 1fr; }
        #said { height: 1; overflow: hidden; }
        #filter { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
        #filter.-open { display: block; }
        #head, #lanes, #title { background: $panel; }
        #queue, #diff, #facts {
            scrollbar-background: $background; scrollbar-background-hover: $background;
            scrollbar-color: $secondary 60%;
        }
        #look:focus-within #title { background: $primary 25%; }
        #strip { color: $deck-quiet; }
        #keys { background: $panel; }
        &.-high #diff { max-height: 60%; }
        &.-stacked #queue.-aside { height: 3; }
        &.-wide, &.-vast {
            #body { layout: horizontal; }
            #queue { width: 52%; height: 1fr; }
            #look { width: 1fr; height: 1fr; border-left: solid $panel; }
            #look:focus-within { border-left: solid $primary; }
            #title { background: $surface; }
            #look:focus-within #title { background: $primary 25%; }
        }
        &.-vast #queue { width: 44%; }
    }
    """

    in_diff: reactive[bool] = reactive(False, init=False, repaint=False)
    """Whether the diff is in front: keys then scroll it."""

    def __init__(
        self,
        open_bench: Callable[[], Engine],
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
        self.view = QueueView()
        self.guard = Guard(tick)
        self.side = Pane.WHY
        self.items = arrange(first, self.view)
        """What the queue shows, in order."""
        self.look: ProposalView | None = None
        self.shows_secrets = False
        self.drafts = DraftController(self)
        self.filter = QueueFilter()
        self.place = PlaceKeeper(self, self.guard)
        self.parts = PartPicker(self, self.drafts)
        self.merges = Merges(self, self.drafts, self._restock)
        self.preview = Preview(self._start_look)
        self._merge: MergeScreen | None = None
        self._is_polling = False
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
        """The first page is on the screen; now the ORM loads and the homes are taken in."""
        self.diff.layout_mode = self.preferences.layout
        self.diff.wrap = self.preferences.wrap
        self.show_queue()
        for problem in self.preferences.problems:
            self.say(problem, "flag")
        # Loading the engine keeps the interpreter busy: the first page is painted before that.
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        gc.freeze()
        self.preview.open()
        self.look_at(self.current)
        self.refresh_stock(force=True)
        self.set_interval(POLL, self.refresh_stock)

    def on_unmount(self) -> None:
        """What was painted in the last second stays seen, however the deck ends by itself."""
        self.place.keep_seen()

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

    @property
    def wanted(self) -> str:
        """What the filter says."""
        return self.filter.words

    def bar(self, id: str) -> Bar:
        """One of the lines."""
        return self.query_one(f"#{id}", Bar)

    # The queue and the lines around it.

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
        self.bar("head").show(bars.head_line(self.stock, self.view, width, self.now()))
        self.bar("lanes").show(bars.lane_line(self.stock, self.view, self.wanted, width))
        keys = bars.key_line(
            item,
            drafts,
            self.preferences.keys,
            width,
            in_diff=self.in_diff,
            alike=self.items.alike(item.id) if item is not None else 1,
            undo=self._next_undo(item),
        )
        self.bar("keys").show(keys)
        self.show_title()
        if self._tick() >= self._said_until:
            self.bar("strip").show(self.standing_words())

    def _next_undo(self, item: QueueItem | None) -> str:
        """What `z` would take back here."""
        if item is not None and item.state is State.APPLIED and not self.in_diff:
            return f"what '{gist(item) or item.action}' wrote"
        return self.drafts.next_undo

    def standing_words(self) -> Content:
        """What the strip says when nothing else is to be said."""
        if (words := self.place.words) is not None:
            text, meaning = words
            return bars.styled(f" {text}", meaning)
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
        draft, home = self.drafts.of(item.id), self.stock.home_of(item)
        look = self.look
        again = look is not None and look.id == item.id and look.is_judged_again
        undone = undone_words(item, self.now())
        title = bars.title_line(item, draft, width, home, undone=undone, is_judged_again=again)
        self.bar("title").show(title)
        self.bar("panes").show(bars.pane_line(self.side, finding_count(item.findings), width))

    def show_facts(self) -> None:
        """Writes the pane beside the diff."""
        facts = self.query_one(FactsView)
        width = facts.scrollable_content_region.width or self.size.width
        if self.look is None:
            facts.show([])
        else:
            facts.show(list(self._facts(self.look, width)), about=(self.look.id, self.side))

    def _facts(self, look: ProposalView, width: int) -> Iterator[Content]:
        """One pane; where there is room for more, all of them, this one first."""
        panes = [self.side]
        if not (self.has_class("-stacked") and self.has_class("-low")):
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

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self.make_room)
        self.call_after_refresh(self.show_bars)
        self.call_after_refresh(self.show_facts)

    def make_room(self) -> None:
        """Where all stands in one column, the queue gives way to a diff that is in front."""
        # Elsewhere the class would change nothing, and cost a look at every style.
        self.queue.set_class(self.in_diff and self.has_class("-stacked"), "-aside")

    def set_view(self, **changes: object) -> None:
        """Shows something else of the queue."""
        self.view = replace(self.view, **changes)  # type: ignore[arg-type]  # names of View's fields
        self.show_queue()

    # Looking at a proposal.

    def look_at(self, item: QueueItem | None) -> None:
        """Shows a proposal's diff as soon as it is worked out."""
        if item is None:
            self.look = None
            keymap = self.preferences.keys
            self.diff.show(vacant(self.stock, self.view, self.wanted, keymap))
            self.show_facts()
            return
        self.preview.wish(item)

    def _start_look(self, item: QueueItem) -> None:
        def job() -> Message | None:
            worker = get_current_worker()
            look = self.engine.look(item, lambda: worker.is_cancelled)
            return Looked(look) if look is not None else None

        self.work(job, group="look")

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        self.preview.done()
        item = self.current
        if item is None or item.id != event.look.id:
            return
        before, self.look = self.look, event.look
        is_same = before is not None and before.id == item.id and before.digest == event.look.digest
        self._show_look(event.look, keep_place=is_same)
        self.show_title()
        self.show_facts()
        self._look_for_parts()
        if (below := self.items.get(self.queue.next_id or "")) is not None:
            self.engine.prepare(below)  # while the operator reads this one

    def _show_look(self, look: ProposalView, *, keep_place: bool = False) -> None:
        document = self.parts.document_of(look, secrets=self.shows_secrets)
        self.diff.show(document, keep_place=keep_place)

    @on(DiffView.Painted)
    def _painted(self, event: DiffView.Painted) -> None:
        if self.look is not None and self.look.id == event.id:
            self.guard.painted(event.id, self.look.digest, event.fraction_seen)

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        if event.what == "look":
            self.preview.failed()
        self.say(complaint(event.error), "dangerous")

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again: on every screen."""
        self.shows_secrets = not self.shows_secrets
        if self.look is not None:
            self._show_look(self.look)
            self.show_facts()
        self.say("Secrets are shown." if self.shows_secrets else "Secrets are covered.")

    # The queue as others change it.

    def refresh_stock(self, *, force: bool = False) -> None:
        """Asks a worker whether anything moved. One at a time."""
        if self._is_polling:
            return
        self._is_polling = True

        def job() -> Message | None:
            try:
                stock = self.engine.refresh(force=force)
            finally:
                self._is_polling = False
            return Stocked(stock) if stock is not None else None

        self.work(job, group="poll")

    @on(Stocked)
    def _stocked(self, event: Stocked) -> None:
        before, item = self.stock, self.current
        self.stock = event.stock
        now = event.stock.shelf.by_id.get(item.id) if item is not None else None
        if item is not None and now is not None and item.digest != now.digest:
            self.guard.hold(item.id)
            self.say(
                "This proposal changed just now: look again, then move a key to go on.", "flag"
            )
        elif event.said:
            self.say(event.said, "draft")
        elif before.is_whole:
            self._say_news(before, event.stock)
        self.show_queue()
        if not event.said and self._merge is not None:
            self._merge.look_again()
        if event.stock.is_whole and not before.is_whole:
            self.place.find(self.bookmark)
        if before.shelf is not event.stock.shelf:
            self._warm(event.stock)

    def _restock(self, stock: Stock, said: str) -> None:
        """The queue with other drafts; what comes next reads them already."""
        self.post_message(Stocked(stock, said))
        self.stock = stock

    def _warm(self, stock: Stock) -> None:
        """Works out beforehand what sorting and filtering will need."""

        def run() -> None:
            worker = get_current_worker()
            warm(stock, lambda: worker.is_cancelled)
            # What is loaded by now stays: looking through it for garbage stops a key for 0.1 s.
            gc.freeze()

        self.run_worker(run, thread=True, group="warm", exclusive=True)

    def _say_news(self, before: Stock, now: Stock) -> None:
        if before.shelf is now.shelf:
            return
        new = now.shelf.columns.newer_than(before.shelf.columns)
        if new:
            self.say(f"{new} new arrived; your place is kept.", "heading")

    def action_reload(self) -> None:
        """Looks at everything again."""
        self.refresh_stock(force=True)
        self.app.refresh(layout=True)  # also what another program wrote over
        self.say("Looked again.")

    # The operator's place.

    @property
    def bookmark(self) -> Bookmark:
        """Where the operator is now."""
        queue = self.queue
        return bookmark_at(self.view, self.wanted, queue.cursor_id, queue.marked_ids, self.side)

    @on(Resumed)
    def _resumed(self, event: Resumed) -> None:
        place = self.place.resumed(event, self.bookmark)
        self.set_interval(KEEP, lambda: self.place.keep(self.bookmark))
        if place is not None:
            self._go_to(place)

    def _go_to(self, place: Bookmark) -> None:
        home = place.home if place.home in self.stock.homes else None
        self.side = place.side
        self.set_view(
            lane=place.lane, conflicts_only=place.conflicts_only, home=home, sort=place.sort
        )
        if place.cursor is not None:
            self.queue.move_to(place.cursor)
        self.queue.restore_marks(place.marks)
        if place.wanted:
            self.filter_for(place.wanted)
        self.say(f"Back where you were: {place.words}. Nothing was lost.", "heading")

    @on(PlaceKept)
    def _place_kept(self, event: PlaceKept) -> None:
        if self.place.kept(event):
            self.show_bars()

    # Keys that move and look.

    def action_down(self) -> None:
        """Next proposal, or one line down."""
        self._vertically(1)

    def action_up(self) -> None:
        """Previous proposal, or one line up."""
        self._vertically(-1)

    def _vertically(self, step: int) -> None:
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_lines(step)
        else:
            self.queue.move(step)

    def action_top(self) -> None:
        """First proposal, or the top of the diff."""
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_to_start()
        else:
            self.queue.move(-len(self.items))

    def action_bottom(self) -> None:
        """Last proposal, or the end of the diff."""
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_to_finish()
        else:
            self.queue.move(len(self.items))

    def action_page_down(self) -> None:
        """Half a page down."""
        self._by_page(0.5)

    def action_page_up(self) -> None:
        """Half a page up."""
        self._by_page(-0.5)

    def _by_page(self, pages: float) -> None:
        self.guard.moved()
        if self.in_diff:
            self.diff.scroll_pages(pages)
        else:
            self.queue.move_page(pages)

    def action_open(self) -> None:
        """The diff comes to the front. Never decides."""
        if self.current is not None:
            self.in_diff = True

    def action_back(self) -> None:
        """Back to the queue; there, the filter and the marks go."""
        if self.in_diff:
            self.in_diff = False
        elif self.wanted or self.view.conflicts_only:
            self.drop_filter()
        else:
            self.queue.clear_marks()

    def watch_in_diff(self, in_diff: bool) -> None:
        """Focus follows what is in front."""
        if not in_diff:
            self.diff.by_lines = False
        self.make_room()
        self._focus_front()
        self.show_bars()

    def _focus_front(self) -> None:
        """Textual's own `focus` of a widget paints all of it."""
        self.set_focus(self.diff if self.in_diff else self.queue, scroll_visible=False)

    def action_next_proposal(self) -> None:
        """Next proposal, whatever is in front."""
        self.guard.moved()
        self.queue.move(1)

    def action_previous_proposal(self) -> None:
        """Previous proposal, whatever is in front."""
        self.guard.moved()
        self.queue.move(-1)

    def action_next_hunk(self) -> None:
        """Next change of the diff."""
        self.diff.jump_hunk(1)

    def action_previous_hunk(self) -> None:
        """Previous change of the diff."""
        self.diff.jump_hunk(-1)

    def action_next_conflict(self) -> None:
        """Next place of a conflict."""
        self.diff.jump_conflict(1)

    def action_previous_conflict(self) -> None:
        """Previous place of a conflict."""
        self.diff.jump_conflict(-1)

    def action_mark(self) -> None:
        """Marks and goes down; in the diff, a page down."""
        if self.in_diff:
            self._by_page(1.0)
        else:
            self.queue.toggle_mark()
            self._vertically(1)

    def action_mark_range(self) -> None:
        """Marks from the last mark to here."""
        self.queue.mark_range_to_cursor()

    # Lanes, order, what the diff shows.

    def action_lane_decide(self) -> None:
        """What waits."""
        self.set_view(lane=Lane.DECIDE)

    def action_lane_drafts(self) -> None:
        """What is decided and not written."""
        self.set_view(lane=Lane.DRAFTS)

    def action_lane_all(self) -> None:
        """Everything."""
        self.set_view(lane=Lane.ALL)

    def action_conflicts(self) -> None:
        """Conflicts only, or everything again."""
        self.set_view(conflicts_only=not self.view.conflicts_only)

    def action_home(self) -> None:
        """The next home; after the last, all of them."""
        names: list[str | None] = [None, *self.stock.homes]
        if len(names) <= 2:
            self.say("There is one home here.")
            return
        self.set_view(home=names[(names.index(self.view.home) + 1) % len(names)])

    def action_style(self) -> None:
        """Another order of the queue; in the diff, another layout."""
        if self.in_diff:
            now = LAYOUTS.index(self.diff.layout_mode)
            self.diff.layout_mode = LAYOUTS[(now + 1) % len(LAYOUTS)]
            self.say(f"Layout: {self.diff.layout_mode}.")
        else:
            orders = list(Sort)
            self.set_view(sort=orders[(orders.index(self.view.sort) + 1) % len(orders)])

    def action_lines(self) -> None:
        """Line by line in the diff, or change by change again."""
        if not self.in_diff:
            self.say("enter first: X goes line by line through the diff.")
            return
        self.diff.by_lines = not self.diff.by_lines
        if self.diff.by_lines:
            self.say("Line by line: . and , go to another line, x drops it or takes it in.")
        else:
            self.say("Change by change again.")

    def action_wrap(self) -> None:
        """Long lines wrap, or not."""
        self.diff.wrap = not self.diff.wrap

    def action_left(self) -> None:
        """Scrolls the diff sideways, where lines do not wrap."""
        self._sideways(-SIDEWAYS)

    def action_right(self) -> None:
        """The same, to the right."""
        self._sideways(SIDEWAYS)

    def _sideways(self, columns: int) -> None:
        if self.diff.wrap:
            self.say("Lines wrap here: w turns that off, and then h and l scroll sideways.")
        self.diff.scroll_columns(columns)

    def action_more_context(self) -> None:
        """More unchanged lines."""
        self.diff.context += 3

    def action_less_context(self) -> None:
        """Fewer unchanged lines."""
        self.diff.context = max(0, self.diff.context - 3)

    def action_fold(self) -> None:
        """Opens or closes unchanged text."""
        self.diff.toggle_fold()

    def action_evidence(self) -> None:
        """Why, Evidence, History, in turn."""
        self.side = self.side.after()
        self.show_title()
        self.show_facts()

    def action_more_evidence(self) -> None:
        """The next lines of the pane beside the diff; after the last ones, the first again."""
        pane = self.query_one(FactsView)
        if pane.scroll_offset.y >= pane.max_scroll_y:
            pane.scroll_home(animate=False)
        else:
            pane.scroll_page_down(animate=False)

    def action_next_match(self) -> None:
        """Next match of the search."""
        self.diff.next_match(1)

    def action_previous_match(self) -> None:
        """Previous match of the search."""
        self.diff.next_match(-1)

    def action_copy(self) -> None:
        """Puts the proposal into the clipboard of the terminal."""
        if (item := self.current) is not None:
            is_here = self.look is not None and self.look.id == item.id
            said = self.look.facts.request() if self.look is not None and is_here else item.gist
            text = f"{item.id} {said}"
            copied = text if self.shows_secrets else f"{item.id} {redact(said)}"
            more = STILL_COVERED if copied != text else ""
            self.copy(copied, f"Copied: its id and what it wants.{more}", self.say)

    # The filter: letters show at once, a worker goes through the proposals in steps.

    def action_filter(self) -> None:
        """Opens the line for filter or search."""
        line = self.query_one("#filter", Input)
        line.add_class("-open")
        line.value = "" if self.in_diff else self.wanted
        self.set_focus(line)  # at once: what follows in the same breath is no command

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        if not self.query_one("#filter").has_class("-open"):
            return
        if self.in_diff:
            self.diff.search(event.value)
            return
        self.filter.words = event.value.strip()
        if not self.wanted:
            self.workers.cancel_group(self, "filter")
            self.set_view(matches=None)
            return
        self.filter_for(self.wanted)

    def filter_for(self, wanted: str) -> None:
        """Narrows the lane to what these words find."""
        self.filter.words = wanted
        search = self.filter.search(self.stock)

        def run() -> None:
            worker = get_current_worker()
            if (found := search(lambda: worker.is_cancelled)) is not None:
                self.post_message(found)

        self.run_worker(run, thread=True, group="filter", exclusive=True)

    @on(Filtered)
    def _filtered(self, event: Filtered) -> None:
        if (matches := self.filter.matches(event)) is not None:
            self.set_view(matches=matches)

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self.close_filter()

    def close_filter(self) -> None:
        """The filter stays, its line goes."""
        self.query_one("#filter", Input).remove_class("-open")
        self._focus_front()

    def drop_filter(self) -> None:
        """Everything of the lane again; in the diff, no marks of a search."""
        if self.in_diff:
            self.diff.search("")
            return
        self.workers.cancel_group(self, "filter")
        self.filter.words = ""
        self.set_view(matches=None, conflicts_only=False)

    def on_key(self, event: events.Key) -> None:
        """In the line of the filter, escape drops it and the arrows leave it."""
        line = self.query_one("#filter", Input)
        if not line.has_focus:
            return
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.close_filter()
            self.drop_filter()
        elif event.key in ("down", "up"):
            event.stop()
            self.close_filter()

    # What the widgets say.

    @on(QueueList.Moved)
    def _moved(self, event: QueueList.Moved) -> None:
        if event.by_key:
            self.guard.moved()
        self.show_bars()
        self.look_at(self.current)

    @on(QueueList.Opened)
    def _opened(self) -> None:
        self.action_open()

    async def on_click(self, event: events.Click) -> None:
        """A click on a lane opens it; one on the panes' names goes on to the next."""
        widget = event.widget
        if widget is self.bar("lanes"):
            lane = bars.lane_at(self.stock, event.x)
            if lane is not None:
                await self.run_action(f"lane_{lane.lower()}")
        elif widget is self.bar("panes"):
            self.action_evidence()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click brings to the front what it fell on."""
        if isinstance(event.widget, DiffView):
            self.in_diff = True
        elif isinstance(event.widget, QueueList):
            self.in_diff = False

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()

    # Keys that draft decisions. None of them writes to a home.

    def action_decide(self, name: str) -> None:
        """Every decision key comes through here: some presses are not meant, or come too soon."""
        item = self.current
        if not self.stock.is_whole:
            self.say("A moment: the home is still being looked at.")
        elif self.guard.is_repeat(name):
            return
        elif item is not None and self.guard.is_held(item.id):
            self.say("It changed: look again, then move a key to go on.", "flag")
        else:
            getattr(self, f"decide_{name}")()

    @property
    def chosen(self) -> tuple[list[QueueItem], bool]:
        """What a decision is about: the marked ones, else the one under the cursor."""
        marked = [self.items[id] for id in self.queue.marked_ids if id in self.items]
        if marked and not self.in_diff:
            return marked, True
        return ([self.current] if self.current is not None else []), False

    def decide_approve(self) -> None:
        """Drafts an approval of exactly what was painted."""
        items, by_mark = self.chosen
        choice = selection.for_approval(items, self.guard, by_mark=by_mark)
        drafts = [self.drafts.new(item, Verb.APPROVE, digest=item.digest) for item in choice.taken]
        self._store(drafts, choice, "approval", by_mark=by_mark)

    def decide_claim(self) -> None:
        """Drafts that what is live already, exactly as it was painted, is the operator's own."""
        items, by_mark = self.chosen
        choice = selection.for_claim(items, self.guard, by_mark=by_mark)
        drafts = [self.drafts.new(item, Verb.CLAIM, digest=item.digest) for item in choice.taken]
        self._store(drafts, choice, "claim", by_mark=by_mark)

    def decide_defer(self) -> None:
        """Drafts a deferral."""
        items, by_mark = self.chosen
        choice = selection.for_rejection(items, by_mark=by_mark)
        drafts = [self.drafts.new(item, Verb.DEFER) for item in choice.taken]
        self._store(drafts, choice, "deferral", by_mark=by_mark)

    def decide_reject(self) -> None:
        """Drafts a rejection; the reason is asked for, and kept."""
        items, by_mark = self.chosen
        choice = selection.for_rejection(items, by_mark=by_mark)
        if choice.taken:
            self._ask_reason(choice, by_mark=by_mark)
        else:
            self._say_why(choice)

    def _ask_reason(self, choice: Choice, *, by_mark: bool) -> None:
        """Asks why; the answer drafts the rejections."""

        def answered(reason: str | None) -> None:
            if reason is not None:
                new = self.drafts.new
                drafts = [new(item, Verb.REJECT, reason=reason) for item in choice.taken]
                self._store(drafts, choice, "rejection", by_mark=by_mark)

        amount = len(choice.taken)
        what = "this" if amount == 1 else f"these {amount}"
        self.app.push_screen(ReasonDialog(what), answered)

    def decide_send_back(self) -> None:
        """Drafts a rejection whose reason is a note to the agent."""
        items, by_mark = self.chosen
        choice = selection.for_rejection(items, by_mark=by_mark)
        if not choice.taken:
            self._say_why(choice)
            return

        def answered(note: str | None) -> None:
            if note is not None:
                reason = f"{SENT_BACK}{note}"
                drafts = [
                    self.drafts.new(item, Verb.REJECT, reason=reason) for item in choice.taken
                ]
                self._store(drafts, choice, "rejection with a note", by_mark=by_mark)

        self.app.push_screen(WordsDialog(SEND_BACK), answered)

    def _store(self, drafts: list[Draft], choice: Choice, noun: str, *, by_mark: bool) -> None:
        """Keeps drafts, says so, and goes on to the next proposal."""
        if not drafts:
            self._say_why(choice)
            return
        said = f"{count(len(drafts), noun)} drafted, nothing is written."
        self.drafts.put(drafts, f"{said} {left_words(choice)}".strip())
        if by_mark:
            self.queue.clear_marks()
        else:
            self.advance()

    def _say_why(self, choice: Choice) -> None:
        if choice.only is not None:
            self.say(selection.why_not(*choice.only), "flag")
        elif choice.left_out:
            self.say(left_words(choice), "flag")

    def _say_closed(self, item: QueueItem | None, otherwise: str) -> None:
        """Says what a record that cannot be read still takes; of anything else, that it is over."""
        is_unreadable = item is not None and item.state is State.QUARANTINED
        said = selection.why_not(item, "") if item is not None and is_unreadable else otherwise
        self.say(said, "flag" if is_unreadable else "text")

    def advance(self) -> None:
        """On to the next one without a draft; after the last one, to the first that was passed."""
        ids = self.items.ids
        here = self.items.place_of(self.queue.cursor_id or "") or 0
        after = (ids[place] for place in chain(range(here + 1, len(ids)), range(here)))
        if (id := next((one for one in after if one not in self.stock.drafts), None)) is not None:
            self.queue.move_to(id, by_key=True)

    # Decisions on everything that is shown: a worker goes through it, and a question comes first.

    def decide_reject_all(self) -> None:
        """Drafts the rejection of everything that is shown."""
        self._gather(lambda items: selection.for_rejection(items, by_mark=True), self._ask_why_all)

    def decide_approve_all(self) -> None:
        """Drafts everything shown that is ready, unflagged and seen; says what it leaves out."""

        def sure(choice: Choice) -> None:
            self._if_sure(choice, "approval", "draft them", Verb.APPROVE, "")

        self._gather(lambda items: selection.for_wide_approval(items, self.guard), sure)

    def decide_dismiss_dead(self) -> None:
        """Drafts the dismissal of everything that cannot be applied any more."""
        reason = "it cannot be applied any more"

        def sure(choice: Choice) -> None:
            self._if_sure(choice, "dismissal", "dismiss them", Verb.REJECT, reason)

        self._gather(selection.for_dismissal, sure)

    def _gather(
        self, choose: Callable[[Iterator[QueueItem]], Choice], then: Callable[[Choice], None]
    ) -> None:
        drafts, shown = self.stock.drafts, self.items

        def job() -> Message:
            undrafted = (item for item in shown.stream() if item.id not in drafts)
            return SelectionMade(choose(undrafted), then)

        self.work(job, group="gather")

    @on(SelectionMade)
    def _gathered(self, event: SelectionMade) -> None:
        event.then(event.choice)

    def _ask_why_all(self, choice: Choice) -> None:
        if choice.taken:
            self._ask_reason(choice, by_mark=True)
        else:
            self.say("Nothing here can be turned down together. " + left_words(choice))

    def _if_sure(self, choice: Choice, noun: str, yes: str, verb: Verb, reason: str) -> None:
        if not choice.taken:
            self.say(left_words(choice, lead="Nothing taken") or "There is nothing for that here.")
            return

        def answered(is_sure: bool | None) -> None:
            if is_sure:
                drafts = [
                    self.drafts.new(
                        item,
                        verb,
                        digest=item.digest if verb is Verb.APPROVE else None,
                        reason=reason,
                    )
                    for item in choice.taken
                ]
                self._store(drafts, choice, noun, by_mark=True)

        asked = SureDialog(selection.question(choice, noun), yes, selection.sample(choice))
        self.app.push_screen(asked, answered)

    # The operator's own text, whole or in parts.

    def decide_own_text(self) -> None:
        """Opens the operator's editor; of a conflict, in its merge, where open places are kept."""
        item = self.current
        if item is None or not item.state.is_open or item.state is State.QUARANTINED:
            self._say_closed(item, "There is nothing to write for here.")
        elif item.state is State.CONFLICT:
            self.work(lambda: MergeOpened(self.engine.open_merge(item.id), to_write=True))
        else:
            self.work(lambda: Opened(self.engine.own_text(item)))

    @on(Opened)
    def _edit(self, event: Opened) -> None:
        own = event.own
        edited = self.edit(own.text, own.document)
        if edited is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        elif edited == own.text:
            self.say("You changed nothing: nothing is drafted.")
        else:
            self._draft_own(own, edited)

    def _draft_own(self, own: OwnText, text: str) -> None:
        item = self.items.get(own.proposal)
        if item is None:
            return
        draft = Draft(
            own.proposal, Verb.MERGE, own.digest, self.now(), text=text, document=own.document
        )
        self._store([draft], Choice((item,)), "own text", by_mark=False)

    def decide_pick(self) -> None:
        """Drops the change that is looked at, or takes it in again."""
        item, change = self.current, self.diff.current_change
        if item is None or not self.in_diff:
            self.say("enter first: x drops one change of the diff, and X goes line by line.")
        elif item.state not in selection.APPROVABLE or change is None:
            self.say("There is nothing to take apart here: m merges, e writes your own version.")
        elif not self.guard.is_seen(item.id, item.digest):
            self.say("It was not seen as it is now.", "flag")
        else:
            path = self._paths[change.section]
            self.parts.take_apart(item, path, change.section, change.numbers)

    @on(Picked)
    def _picked(self, event: Picked) -> None:
        self.parts.pick(event, self.diff.changed_lines_in(event.section))

    @property
    def _paths(self) -> list[str]:
        document = self.diff.document
        return [section.title for section in document.sections] if document is not None else []

    def _look_for_parts(self) -> None:
        """What the draft leaves out is struck through in the diff."""
        item = self.current
        draft = self.drafts.of(item.id) if item is not None else None
        path, text = (draft.document, draft.text) if draft is not None else (None, None)
        paths = self._paths
        if (
            item is None
            or path not in paths
            or text is None
            or item.state not in selection.APPROVABLE
        ):
            self.parts.show(None)
            self.diff.mark_dropped(0, ())
            return
        self.parts.look_up(item, path, text, paths.index(path))

    @on(Dropped)
    def _show_dropped(self, event: Dropped) -> None:
        if self.look is not None and self.look.id == event.item:
            self.parts.show(event)
            self._show_look(self.look, keep_place=True)
            self.diff.mark_dropped(event.section, event.numbers)

    # Merges and clusters.

    def decide_merge(self) -> None:
        """The merge of a conflict; for a dead one, at its likely new place."""
        item = self.current
        if item is None or not item.state.is_open or item.state is State.QUARANTINED:
            self._say_closed(item, "There is nothing to merge here.")
            return
        self.work(lambda: MergeOpened(self.engine.open_merge(item.id)))

    @on(MergeOpened)
    def _open_merge(self, event: MergeOpened) -> None:
        from reviewdeck_tui.screens.merge import MergeScreen

        if self.app.screen is not self:
            return  # Something else came to the front while it was worked out.
        screen = self._merge = MergeScreen(self, event.shown, to_write=event.to_write)
        self.app.push_screen(screen, self._merge_ended)

    def _merge_ended(self, word: str | None) -> None:
        screen, self._merge = self._merge, None
        item = self.items.get(screen.session.shown.id) if screen is not None else None
        if item is None:
            return
        self.queue.move_to(item.id, by_key=True)
        if word == "summary":
            self.call_later(self.run_action, "summary")
        elif word == "drafted":
            self.advance()

    def decide_cluster(self) -> None:
        """Shows all that waits about the same thing."""
        item = self.current
        if item is None or not item.state.is_open or item.state is State.QUARANTINED:
            self._say_closed(item, "There is nothing to decide here.")
            return
        self.work(lambda: Clustered(item.id, self.engine.cluster(item.id)))

    @on(Clustered)
    def _clustered(self, event: Clustered) -> None:
        from reviewdeck_tui.screens.cluster import ClusterScreen

        if self.app.screen is not self:
            return
        if len(event.members) < 2:
            self.say("Nothing else that waits is about the same thing.")
            return
        screen = ClusterScreen(
            self.open_bench,
            event.members,
            event.here,
            self.guard,
            self.now,
            secrets=self.shows_secrets,
        )
        self.app.push_screen(screen, self._cluster_ended)

    def _cluster_ended(self, taken: ClusterChoice | None) -> None:
        if taken is None:
            return
        if taken.to_merge:
            self.merges.for_cluster(taken.winner, taken.gives_way)
            self.work(lambda: MergeOpened(self.engine.open_merge(taken.winner.id)))
            return
        from reviewdeck_tui.merge.cluster import drafts_of

        drafts = drafts_of(taken, self.now())
        self.drafts.put(
            drafts, f"One wording drafted, {others_words(taken.gives_way)} it. {ALL_BACK}"
        )

    def decide_requeue(self) -> None:
        """Takes rejections back: what was rejected or dismissed waits again."""
        items, by_mark = self.chosen
        ids = [item.id for item in items if item.state is State.REJECTED]
        if not ids:
            self.say("Only what was rejected or dismissed is reopened: lane 4 has it.")
            return

        def job() -> Message:
            stock, amount, refused = self.engine.reopen(ids)
            if not amount and refused is not None:
                return Refused(refused)
            left = f" {len(ids) - amount} left: {refused.message}" if refused else ""
            wait = "waits" if amount == 1 else "wait"
            return Stocked(stock, f"{count(amount, 'proposal')} reopened: {wait} again.{left}")

        if by_mark:
            self.queue.clear_marks()
        self.work(job)

    # Taking drafts back, and notes.

    def action_clear(self) -> None:
        """Drops the draft of this proposal, or of the marked ones."""
        items, _ = self.chosen
        drafted = [item.id for item in items if self.drafts.of(item.id) is not None]
        if drafted:
            self.drafts.drop(self.drafts.with_followers(drafted), "Draft dropped.")
        else:
            self.say("There is no draft here.")

    def action_undo(self) -> None:
        """Takes the last draft back; after a commit, drafts its undo."""
        item = self.current
        if item is not None and item.state is State.APPLIED and not self.in_diff:
            self.drafts.undo_applied(item.id)
        else:
            self.drafts.undo()

    def action_redo(self) -> None:
        """Does again what was undone last."""
        self.drafts.redo()

    def action_note(self) -> None:
        """Keeps a note in the log."""
        item = self.current
        if item is None:
            return

        def answered(words: str | None) -> None:
            if words is not None:
                self.work(lambda: self.engine.note(item, words))
                self.say("The note is in the log.")

        self.app.push_screen(WordsDialog("A note for the log:"), answered)

    # Other screens.

    def offers(self) -> Iterator[SystemCommand]:
        """The actions, and what is rarely wanted."""
        yield from super().offers()
        yield SystemCommand(SECRETS, "secrets", self.action_secrets)

    def action_quit(self) -> None:
        """Back from the diff; else out, and says what is not written."""
        if self.in_diff:
            self.in_diff = False
        else:
            self.app.exit(len(self.stock.drafts) if self.stock.is_whole else 0)

    def action_lane_applied(self) -> None:
        """What the agent learnt: a screen of its own."""
        from reviewdeck_tui.screens.changes import ChangesScreen

        def ended(lane: Lane | None) -> None:
            if lane is not None and lane is not Lane.APPLIED:
                self.set_view(lane=lane)

        self.app.push_screen(ChangesScreen(self), ended)

    def action_documents(self) -> None:
        """The documents of the homes."""
        from reviewdeck_tui.screens.documents import DocumentsScreen

        item, at = self.current, ""
        if item is not None and self.look is not None and self.look.document.sections:
            at = f"{item.home}\n{self.look.document.sections[0].title}"
        self.app.push_screen(DocumentsScreen(self, at))

    def action_checks(self) -> None:
        """The six checks of this proposal, each with its evidence."""
        from reviewdeck_tui.screens.checks import ChecksScreen

        item, look = self.current, self.look
        judgement = look.facts.judgement if look is not None else None
        if item is None or look is None or judgement is None or look.id != item.id:
            self.say("No checks were made here.")
        else:
            self.app.push_screen(ChecksScreen(self, wanted(item), look, judgement))

    def action_skim(self) -> None:
        """Everything that waits only because of its origin, to be read in a row."""
        drafts, shelf, order = (
            self.stock.drafts,
            self.stock.shelf,
            self.stock.shelf.order(Sort.RISK),
        )

        def job() -> Message:
            ids = list(shelf.columns.ids.of(order))
            held = (one for one in shelf.stream(ids) if is_held_by_origin(one))
            items = [one for one in islice(held, MOST) if one.id not in drafts]
            return HeldRead(self.engine.with_deck(lambda deck: read_held(deck, items)))

        self.work(job, group="skim")

    @on(HeldRead)
    def _skim(self, event: HeldRead) -> None:
        from reviewdeck_tui.screens.skim import SkimScreen

        if self.app.screen is not self:
            return
        if not event.held:
            self.say("Nothing waits only because of its origin.")
            return
        self.app.push_screen(SkimScreen(self, event.held, self.guard), self._skimmed)

    def _skimmed(self, left: Skimmed | None) -> None:
        if left is None:
            return
        if left.opened:
            self.drop_filter()  # It may be none of those that are shown.
            self.set_view(lane=Lane.DECIDE, conflicts_only=False, home=None)
            self.queue.move_to(left.opened, by_key=True)
        drafts = [self.drafts.new(one, Verb.APPROVE, digest=one.digest) for one in left.taken]
        if drafts:
            self._store(drafts, Choice(left.taken), "approval", by_mark=True)

    def action_insights(self) -> None:
        """Pictures of the queue over time; a proposal of theirs is opened here."""
        from reviewdeck_tui.screens.insights import InsightsScreen

        def ended(id: str | None) -> None:
            if id is not None:
                self.drop_filter()
                self.set_view(lane=Lane.ALL, home=None)
                self.queue.move_to(id, by_key=True)

        self.app.push_screen(InsightsScreen(self), ended)

    def action_help(self) -> None:
        """The keys."""
        from reviewdeck_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.preferences.keys))

    def action_summary(self) -> None:
        """What all drafts come to together."""
        if self.stock.is_whole and not self.stock.drafts:
            self.say("There are no drafts: a, r and d make them.")
            return
        self.say("Working the drafts out together ...")
        self.work(lambda: Summed(self.engine.summary()))

    @on(Summed)
    def _summed(self, event: Summed) -> None:
        from reviewdeck_tui.screens.summary import SummaryScreen

        def ended(operations: tuple[str, ...] | None) -> None:
            if screen.stock is not None:
                self._stocked(Stocked(screen.stock))
            if operations:
                self.drafts.wrote(operations)
                self.say("Written. z drafts the undo.", "ready")
            self.refresh_stock(force=True)

        screen = SummaryScreen(
            self.open_bench,
            event.shown,
            self.guard.coverage,
            self.stock.homes,
            secrets=self.shows_secrets,
        )
        self.app.push_screen(screen, ended)
