"""The deck's screen: the queue, the diff of a proposal, and the evidence for it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.css.scalar import Scalar
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input
from textual.worker import get_current_worker

from reviewdeck.errors import LedgerUnavailable, ReviewdeckError
from reviewdeck.model import QueueItem, State
from reviewdeck.ports import Clock
from reviewdeck.presentation.proposal_words import (
    finding_count,
    gist,
    undone_words,
)
from reviewdeck.presentation.words import count
from reviewdeck.text.redact import redact
from reviewdeck_tui.bookmark import Bookmark, bookmark_at
from reviewdeck_tui.controllers import other_screens
from reviewdeck_tui.controllers.decisions import Decisions
from reviewdeck_tui.controllers.drafts import DraftController
from reviewdeck_tui.controllers.filtering import QueueFilter
from reviewdeck_tui.controllers.merges import Merges
from reviewdeck_tui.controllers.other_screens import NO_PROPOSAL
from reviewdeck_tui.controllers.parts import DroppedLines, PartPicker
from reviewdeck_tui.controllers.place import KEEP, EarlierDeck, PlaceKeeper
from reviewdeck_tui.controllers.poll import BacklogPoll
from reviewdeck_tui.controllers.preview import Preview
from reviewdeck_tui.controllers.programs import Programs
from reviewdeck_tui.controllers.rules import RuleOffers
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.keys import ACTIONS, Action, key_of, own_actions
from reviewdeck_tui.preferences import LAYOUTS, Preferences
from reviewdeck_tui.proposal.panes import Pane
from reviewdeck_tui.proposal.redaction import STILL_COVERED, error_words
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.empty import empty_document, why_empty
from reviewdeck_tui.queue.items import Sort
from reviewdeck_tui.queue.view import (
    Backlog,
    Lane,
    QueueView,
    arrange,
    counted_in,
    headings_of,
    rows_of,
    warm,
)
from reviewdeck_tui.screens.base import NO_WORDS, Editor, EngineScreen, Movable, Room, after
from reviewdeck_tui.screens.dialogs import (
    LinesDialog,
)
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.facts_view import FactsView
from reviewdeck_tui.widgets.queue_list import QueueList
from reviewdeck_tui.widgets.search_line import SEARCH_KEYS, SearchLine

if TYPE_CHECKING:
    from reviewdeck_tui.engine import EngineWorker
    from reviewdeck_tui.proposal.view import ProposalView

WELCOME: Final = "Nothing is saved until ^s, then y · a approve · r reject · q quit · ? help"
GLANCE: Final = 6
"""Lines of each pane behind the one in front."""
FILTER: Final = "words, or state:conflict severity:high age:>3d check:origin · NOT, OR"
SEARCH: Final = "search this diff"
POLL: Final = 1.0
"""Seconds between two looks at the stamp of each home."""
_WAY: Final = ("above", "below")


@dataclass
class Arrived(Message):
    """Proposals arrived since the queue was read: the app may give a notice."""

    amount: int


class DeckScreen(EngineScreen[None], inherit_bindings=False):
    """The operator's main screen. Its state is the backlog, the view of it and the open diff."""

    KEYS = PALETTE_ACTIONS = ACTIONS
    AUTO_FOCUS = "#queue"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (140, "-wide"), (180, "-vast")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (16, "-low"), (32, "-high"), (48, "-tall")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    DeckScreen {
        #body { height: 1fr; layout: vertical; }
        #waiting { height: 2fr; min-height: 3; }
        #look { height: 3fr; }
        #diff { height: auto; max-height: 65%; }
        #facts { height: 1fr; }
        #said { height: 1; overflow: hidden; }
        #head, #lanes, #title, #columns { background: $panel; }
        #columns.-front, #title.-front { background: $primary 45%; }
        &.-tiny #columns { display: none; }
        #queue, #diff, #facts {
            scrollbar-background: $background; scrollbar-background-hover: $background;
            scrollbar-color: $secondary 60%;
        }
        #strip { color: $deck-quiet; }
        #keys { background: $panel; }
        &.-high #diff { max-height: 60%; }
        &.-stacked #waiting.-aside { height: 4; }
        &.-tiny #waiting.-aside { height: 1; min-height: 1; }
        &.-tiny #diff { height: 1fr; max-height: 100%; }
        &.-tiny #panes, &.-tiny #facts { display: none; }
        &.-wide, &.-vast {
            #body { layout: horizontal; }
            #waiting { width: 52%; height: 1fr; }
            #look { width: 1fr; height: 1fr; border-left: solid $panel; }
            #look:focus-within { border-left: solid $primary; }
        }
        &.-vast #waiting { width: 1fr; }
        &.-vast #look { width: 50%; min-width: 101; }
    }
    """

    in_diff: reactive[bool] = reactive(False, init=False, repaint=False)
    """Whether the diff is in front: keys then scroll it."""

    def __init__(
        self,
        open_engine: Callable[[], EngineWorker],
        first: Backlog,
        preferences: Preferences,
        *,
        edit: Editor,
        now: Clock,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(open_engine)
        self.backlog = first
        self.preferences = preferences
        self.edit = edit
        self.now = now
        self.view = QueueView()
        self.guard = Guard(tick)
        self.side = Pane.WHY
        self.items = arrange(first, self.view)
        """The proposals that the queue lists, in order."""
        self.look: ProposalView | None = None
        self.shows_secrets = False
        self.drafts = DraftController(self)
        self.filter = QueueFilter(self)
        self.place = PlaceKeeper(self, self.guard)
        self.decisions = Decisions(self, self.drafts)
        self.parts = PartPicker(self, self.drafts)
        self.merges = Merges(self, self.drafts, self._replace_backlog)
        self.preview = Preview(self._start_look)
        self.rules = RuleOffers(self)
        self.programs = Programs(self)
        self._not_done = NO_WORDS
        """The message that something was not done, as the hub does not answer."""
        self.poll = BacklogPoll(self, tick)

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield Bar(id="lanes")
        with Container(id="body"):
            with Vertical(id="waiting"):
                yield Bar(id="columns", classes="-front")
                yield QueueList(id="queue")
            with Vertical(id="look"):
                yield Bar(id="title")
                yield DiffView(id="diff")
                yield Bar(id="panes")
                yield FactsView(id="facts")
        with Vertical(id="said"):  # One line: the filter's input takes the place of the message.
            yield SearchLine(id="filter")
            yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Shows the first page; then the engine loads and the homes are taken in."""
        self.diff.layout_mode = self.preferences.layout
        self.diff.wrap = self.preferences.wrap
        self.show_queue()
        # Loading the engine keeps the interpreter busy, so the first page is painted first.
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        gc.freeze()
        self.preview.open()
        self.look_at(self.current)
        self.refresh_backlog(force=True)
        self.set_interval(POLL, self.refresh_backlog)
        if problems := self.preferences.problems:
            title = "The deck goes on without these settings:"
            self.app.push_screen(LinesDialog(title, problems, meaning="flag", by_any_key=True))

    def on_unmount(self) -> None:
        """Saves what was painted in the last second, and ends programs that still run."""
        self.place.save_painted()
        self.programs.end()

    @property
    def queue(self) -> QueueList:
        return self.query_one(QueueList)

    @property
    def search_line(self) -> SearchLine:
        return self.query_one(SearchLine)

    @property
    def in_front(self) -> Movable:
        """The diff, or the list."""
        return self.diff if self.in_diff else self.queue

    @property
    def current(self) -> QueueItem | None:
        """The proposal under the cursor."""
        return self.items.get(self.queue.cursor_id or "")

    @property
    def current_look(self) -> ProposalView | None:
        """What is shown of the proposal under the cursor; None until that is read."""
        item, look = self.current, self.look
        return look if item is not None and look is not None and look.id == item.id else None

    # The queue and the lines around it.

    def show_queue(self) -> None:
        """Lays the queue out again; the cursor stays on its proposal."""
        self.items = arrange(self.backlog, self.view)
        key = partial(key_of, keymap=self.preferences.keys)
        headings = headings_of(self.items, self.backlog, self.view, key)
        self.queue.show(rows_of(self.items, self.backlog, self.now()), headings)
        self.fit_queue()
        self.show_bars()
        self.look_at(self.current)

    def show_bars(self) -> None:
        """Writes the lines around the queue and the diff."""
        width = self.width
        item = self.current
        counted = counted_in(self.backlog, self.view.home)
        self.bar("head").show(bars.head_line(counted, self.view, width, self.now()))
        self.bar("lanes").show(bars.lane_line(counted, self.view, self.filter.words, width))
        keys = bars.key_line(
            item,
            self.backlog.applicable_count,
            self.preferences.keys,
            width,
            in_diff=self.in_diff,
            cluster_size=self.backlog.store.cluster_size(item.id) if item is not None else 1,
            undo=self._next_undo(item),
            drops=self._drops(item) if item is not None else "",
            is_on=self.is_on,
        )
        self.bar("keys").show(bars.key_words(SEARCH_KEYS) if self.search_line.is_open else keys)
        columns = bars.columns_line(self.queue.columns, is_in_front=not self.in_diff)
        self.bar("columns").show(columns)
        self.show_title()
        self.show_strip()

    def _drops(self, item: QueueItem) -> str:
        """What `u` is good for: a draft that somebody else overtook, or the own vote."""
        if self.drafts.of(item.id) is not None:
            return "drop draft" if item.id in self.backlog.people.overtaken else ""
        return "withdraw vote" if item.id in self.backlog.people.own else ""

    def _next_undo(self, item: QueueItem | None) -> str:
        """The words for what `z` would undo at the cursor."""
        if item is not None and item.state is State.APPLIED and not self.in_diff:
            return f"write of '{gist(item) or item.action}'"
        return self.drafts.next_undo

    def standing_words(self) -> Content:
        """The strip's words when there is no message."""
        if self.poll.is_cut_off:
            return bars.styled(f" {self.poll.silence_words}", "dangerous")
        if (words := self.place.words) is not None:
            text, meaning = words
            return bars.styled(f" {text}", meaning)
        if not self.backlog.is_complete:
            return bars.styled(" Loading proposals…", "quiet")
        if self.backlog.notice:
            return bars.styled(f" {self.backlog.notice}", "flag")
        if self.backlog.is_first_run:
            return bars.styled(f" {WELCOME}", "heading")
        if self.rules.words:
            offer = (
                f" {self.rules.words} {key_of('rule', self.preferences.keys)} makes a rule of it."
            )
            return bars.styled(offer, "heading")
        return Content("")

    @property
    def _shown_item(self) -> QueueItem | None:
        """The proposal whose diff is shown: until another one is read, the title is its title."""
        item, look = self.current, self.look
        is_behind = item is not None and look is not None and look.id != item.id
        return (self.backlog.store.get(look.id) if look and is_behind else None) or item

    def show_title(self) -> None:
        """Writes the line over the diff, and that over the panes."""
        width = self.query_one("#look").size.width or self.size.width
        item = self._shown_item
        if item is None:
            why = why_empty(self.backlog, self.view, self.filter.words)
            self.bar("title").show(bars.styled(f" {why}", "strong"))
            self.bar("panes").show(Content(""))
            return
        draft, home = self.drafts.of(item.id), self.backlog.home_of(item)
        look = self.look
        again = look is not None and look.id == item.id and look.is_judged_again
        undone = undone_words(item, self.now())
        people = self.backlog.people
        title = bars.title_line(
            item,
            None if item.id in people.overtaken else draft,
            width,
            home,
            undone=undone,
            is_judged_again=again,
            is_in_front=self.in_diff,
            people=people.title(item.id, draft, self.now()),
            sight=bars.sight_words(
                self.backlog.sights.get(item.home), self.backlog.workers, self.now()
            ),
        )
        self.bar("title").show(title)
        amounts = {Pane.WHY: finding_count(item.findings)}
        self.bar("panes").show(bars.pane_line(self.side, amounts, width))

    def show_facts(self) -> None:
        """Writes the pane beside the diff."""
        facts = self.query_one(FactsView)
        width = facts.scrollable_content_region.width or self.size.width
        if self.look is None:
            facts.show([])
        else:
            facts.show(list(self._facts(self.look, width)), about=(self.look.id, self.side))

    def _facts(self, look: ProposalView, width: int) -> Iterator[Content]:
        """The lines of one pane; if there is room, of all panes, this one first."""
        panes = [self.side]
        if not self.has_class("-stacked") or self.has_class("-high") or self.has_class("-tall"):
            panes += [after(self.side, Pane, step) for step in (1, 2)]
        for pane in panes:
            votes = self.backlog.people.said.get(look.id, "")
            if look.id in self.backlog.people.texts:
                votes += f"; {key_of('own_text', self.preferences.keys)} opens that text"
            lines = [*look.lines(pane, self.now(), secrets=self.shows_secrets, votes=votes)]
            if pane is self.side:
                yield from (bars.wrap_hanging(line, width) for line in lines)
                continue
            yield Content.styled(f" {pane}", "bold $deck-heading")
            # The panes behind are a glance: the diff above is what is decided on.
            yield from (bars.wrap_hanging(bars.quieted(line), width) for line in lines[:GLANCE])
            if (more := len(lines) - GLANCE) > 0:
                yield bars.styled(f"  … {count(more, 'more line')}: tab", "quiet")

    @property
    def room(self) -> Room:
        facts = self.query_one(FactsView).scrollable_content_region.width
        return *super().room, self.query_one("#look").size, facts

    def redraw(self) -> None:
        self.fit_queue()
        self.show_bars()
        self.show_facts()

    def fit_queue(self) -> None:
        """In the one-column layout, shrinks the queue while the diff is in front."""
        # In other layouts the class has no effect, and setting it would restyle everything.
        waiting, is_stacked = self.query_one("#waiting"), self.has_class("-stacked")
        waiting.set_class(self.in_diff and is_stacked, "-aside")
        # A few proposals leave their room to the diff.
        most = Scalar.from_number(self.queue.virtual_size.height + 1) if is_stacked else None
        if waiting.styles.max_height != most:
            waiting.styles.max_height = most

    def set_view(self, **changes: object) -> None:
        self.view = replace(self.view, **changes)  # type: ignore[arg-type]  # fields of QueueView
        self.show_queue()

    # Looking at a proposal.

    def look_at(self, item: QueueItem | None) -> None:
        """Shows a proposal's diff as soon as a worker has it."""
        if item is None:
            self.look = None
            keymap = self.preferences.keys
            counted = counted_in(self.backlog, self.view.home)
            self.diff.show(empty_document(counted, self.view, self.filter.words, keymap))
            self.show_facts()
            return
        self.preview.request(item)

    def _start_look(self, item: QueueItem) -> None:
        def job() -> ProposalView | None:
            worker = get_current_worker()
            return self.engine.look(item, lambda: worker.is_cancelled)

        self.work(job, self._show_loaded, group="look")

    def _show_loaded(self, look: ProposalView) -> None:
        self.preview.finish()
        item = self.current
        if item is None or item.id != look.id:
            return
        before, self.look = self.look, look
        is_same = before is not None and before.id == item.id and before.digest == look.digest
        self._show_look(look, keep_place=is_same)
        self.show_title()
        self.show_facts()
        self.parts.show_current()
        if (below := self.items.get(self.queue.next_id or "")) is not None:
            self.engine.prepare(below)  # while the operator reads this one

    def _show_look(self, look: ProposalView, *, keep_place: bool = False) -> None:
        document = self.parts.document_of(look, secrets=self.shows_secrets)
        self.diff.show(document, keep_place=keep_place)

    @on(DiffView.Painted)
    def _note_painted(self, event: DiffView.Painted) -> None:
        if event.is_current and self.look is not None and self.look.id == event.id:
            self.guard.note_painted(event.id, self.look.digest, event.fraction_seen)

    def show_refusal(self, error: ReviewdeckError, group: str) -> None:
        if group == "look":
            self.preview.fail()
        if group == "poll":
            self.poll.end()
        if type(error) is not LedgerUnavailable or not self.backlog.hosts:
            self.say(error_words(error), "dangerous")
            return
        self.poll.is_cut_off = True
        if group == "look":
            self.look = None  # Below the cursor no other proposal's text is shown.
            self.diff.clear()
            self.show_facts()
        if group in ("look", "poll", "place"):
            self.show_bars()
        else:
            self.say("Not done: the hub does not answer. Do it again when it does.", "dangerous")
            self._not_done = self._message

    def action_secrets(self) -> None:
        self.shows_secrets = not self.shows_secrets
        if self.look is not None:
            self._show_look(self.look)
            self.show_facts()
        self.say("Secrets are shown." if self.shows_secrets else "Secrets are covered.")

    # The queue as other programs change it.

    def refresh_backlog(self, *, force: bool = False) -> None:
        """Starts a worker that reads the backlog if anything changed. One at a time."""
        self.poll.start(force=force)

    @property
    def is_telling(self) -> bool:
        """Whether a message is shown, other than that something was not done."""
        return bool(self._message) and self._message is not self._not_done

    def show_backlog(self, backlog: Backlog, report: str = "") -> None:
        """Shows a backlog that was read again, and a line for the operator, if there is one."""
        before, item = self.backlog, self.current
        self.backlog = backlog
        item_now = backlog.store.get(item.id) if item is not None else None
        if item_now is not None and item_now.state is State.DEAD:
            self.view = replace(self.view, unfolds=True)  # The cursor stays on its proposal.
        if item is not None and item_now is not None and item.digest != item_now.digest:
            self.guard.hold(item.id)
            self.say(
                "This proposal changed just now: read it again, then press a movement key.", "flag"
            )
        elif report:
            self.say(report, "draft")
        elif words := self._overtaken_words(before, backlog, item):
            self.say(words, "flag")
        elif before.is_complete:
            self._say_news(before, backlog)
        self.show_queue()
        if not report and self.merges.screen is not None:
            self.merges.screen.reload()
        if backlog.is_complete and not before.is_complete:
            self.place.find(self.bookmark, self._resume)
        if before.store is not backlog.store:
            self._warm_up(backlog)
            if self.filter.words:
                self.filter.show(self.filter.words)

    def _overtaken_words(self, before: Backlog, now: Backlog, item: QueueItem | None) -> str:
        """What another operator decided that was open or drafted here a moment ago."""
        news = [id for id in now.people.overtaken if id not in before.people.overtaken]
        if not news:
            return ""
        id = item.id if item is not None and item.id in news else news[0]
        draft = now.drafts.get(id)
        words = now.people.overtaken[id].words(draft, self.now())
        if draft is not None:
            keys = self.preferences.keys
            words += f": {key_of('lane_drafts', keys)} shows it, {key_of('clear', keys)} drops it"
        return f"{words}." + (f" So were {len(news) - 1} more." if len(news) > 1 else "")

    def _replace_backlog(self, backlog: Backlog, report: str) -> None:
        """Takes over a backlog with other drafts at once, so that the next key sees it."""
        self.call_later(self.show_backlog, backlog, report)
        self.backlog = backlog

    def _warm_up(self, backlog: Backlog) -> None:
        """Computes ahead what sorting and filtering will need."""

        def run() -> None:
            worker = get_current_worker()
            warm(backlog, lambda: worker.is_cancelled)

        self.run_worker(run, thread=True, group="warm", exclusive=True)

    def _say_news(self, before: Backlog, now: Backlog) -> None:
        if before.store is now.store:
            return
        newest, outlines = before.store.newest, now.store.outlines.values()
        if new := sum(outline.position > newest for outline in outlines):
            self.say(f"{new} new arrived; your place is kept.", "heading")
            self.post_message(Arrived(new))

    def action_reload(self) -> None:
        self.refresh_backlog(force=True)
        self.app.refresh(layout=True)  # also repairs what another program wrote over the screen
        self.say("Reloaded.")

    # The operator's place.

    @property
    def bookmark(self) -> Bookmark:
        """The operator's place now."""
        queue = self.queue
        return bookmark_at(
            self.view, self.filter.words, queue.cursor_id, queue.marked_ids, self.side
        )

    def _resume(self, earlier: EarlierDeck) -> None:
        place = self.place.resume(earlier, self.bookmark)
        self.set_interval(KEEP, lambda: self.place.keep(self.bookmark))
        if place is not None:
            self._go_to(place)

    def _go_to(self, place: Bookmark) -> None:
        home = place.home if place.home in self.backlog.homes else None
        self.side = place.side
        self.set_view(
            lane=place.lane,
            conflicts_only=place.conflicts_only,
            home=home,
            sort=place.sort,
            unfolds=self.backlog.store.state_of(place.cursor or "") is State.DEAD,
        )
        if place.cursor is not None:
            self.queue.move_to(place.cursor)
        self.queue.restore_marks(place.marks)
        if place.filter_words:
            self.filter.show(place.filter_words)
        self.say(f"Back where you were: {place.words}. Nothing was lost.", "heading")

    # Keys that move.

    def action_move(self, step: int) -> None:
        """Moves; then the guard takes decisions again."""
        self.guard.note_moved()
        super().action_move(step)

    def action_page(self, pages: float) -> None:
        """Moves; then the guard takes decisions again."""
        self.guard.note_moved()
        super().action_page(pages)

    def action_proposal(self, step: int) -> None:
        if self._has_proposal():
            self.guard.note_moved()
            self.queue.move(step)

    def action_hunk(self, step: int) -> None:
        if self._has_proposal() and not self.diff.jump_hunk(step):
            self.say(f"There is no further change {_WAY[step > 0]}.")

    def action_conflict(self, step: int) -> None:
        if self._has_proposal() and not self.diff.jump_conflict(step):
            self.say(f"There is no further conflict {_WAY[step > 0]}.")

    def action_context(self, lines: int) -> None:
        super().action_context(lines)
        self.say(f"{count(self.diff.context, 'unchanged line')} above and below each change.")

    @on(QueueList.Opened)
    def action_open(self) -> None:
        """Brings the diff to the front. Never decides."""
        if self._has_proposal():
            self.in_diff = True

    def _has_proposal(self) -> bool:
        """Whether the cursor is on a proposal; if not, it says so."""
        if self.current is None:
            self.say(NO_PROPOSAL)
        return self.current is not None

    def action_back(self) -> None:
        if self.in_diff:
            self.in_diff = False
        elif self.filter.words or self.view.conflicts_only:
            self.drop_search()
        else:
            self.queue.clear_marks()

    def watch_in_diff(self, in_diff: bool) -> None:
        """Moves the focus to what is in front."""
        if not in_diff:
            self.diff.by_lines = False
        self.queue.is_in_front = not in_diff
        self.bar("columns").set_class(not in_diff, "-front")
        self.bar("title").set_class(in_diff, "-front")
        self.fit_queue()
        self._focus_front()
        self.show_bars()

    def _focus_front(self) -> None:
        """Sets the focus without Textual's `focus`, which repaints the whole widget."""
        self.set_focus(self.diff if self.in_diff else self.queue, scroll_visible=False)

    def action_mark(self) -> None:
        if self.in_diff:
            self.action_page(1.0)
        elif self._has_proposal():
            self.queue.toggle_mark()
            self.action_move(1)

    def action_mark_range(self) -> None:
        if self._has_proposal():
            self.queue.mark_range_to_cursor()

    # Lanes, order, what the diff shows.

    def action_lane(self, name: str) -> None:
        if name == Lane.APPLIED:
            other_screens.open_changes(self)
        else:
            self.set_view(lane=Lane(name))

    def action_conflicts(self) -> None:
        """Conflicts only, or all proposals again."""
        self.set_view(conflicts_only=not self.view.conflicts_only)

    def action_home(self) -> None:
        names: list[str | None] = [None, *self.backlog.homes]
        if len(names) <= 2:
            self.say("Only one home is open.")
            return
        self.set_view(home=after(self.view.home, names))

    def action_style(self) -> None:
        if self.in_diff:
            self.diff.layout_mode = after(self.diff.layout_mode, LAYOUTS)
            self.say(f"Layout: {self.diff.layout_mode}.")
        else:
            self.set_view(sort=after(self.view.sort, Sort))

    def action_lines(self) -> None:
        if not self.in_diff:
            self.say("Press enter to open the diff; then x drops a change, X works line by line.")
            return
        self.diff.by_lines = not self.diff.by_lines
        if self.diff.by_lines:
            self.say("Line by line: . and , go to another line, x drops or keeps it.")
        else:
            self.say("Change by change again.")

    def action_sideways(self, direction: int) -> None:
        if self.diff.wrap:
            self.say("Lines wrap here: w turns that off, and then h and l scroll sideways.")
        super().action_sideways(direction)

    def action_fold(self) -> None:
        if self.in_diff:
            has_changed = self.diff.toggle_fold()
        else:
            before = len(self.items)
            if self.view.may_fold:
                self.set_view(unfolds=not self.view.unfolds)
            has_changed = len(self.items) != before
        if not has_changed:
            self.say("Nothing is folded here.")

    @on(QueueList.FoldClicked)
    def _unfold(self) -> None:
        if not self.in_diff:
            self.action_fold()

    def action_evidence(self) -> None:
        self.side = after(self.side, Pane)
        self.show_title()
        self.show_facts()

    def action_more_evidence(self) -> None:
        pane = self.query_one(FactsView)
        if pane.scroll_offset.y >= pane.max_scroll_y:
            pane.scroll_home(animate=False)
        else:
            pane.scroll_page_down(animate=False)

    def action_match(self, step: int) -> None:
        if self.diff.next_match(step) or self.diff.match_words:
            self._say_match()
        else:
            self.say("No search yet. Press enter, then / to search this diff.")

    def action_copy(self) -> None:
        if (item := self.current) is None:
            self.say(NO_PROPOSAL)
        else:
            request = look.facts.request() if (look := self.current_look) else item.gist
            text = f"{item.id} {request}"
            copied = text if self.shows_secrets else f"{item.id} {redact(request)}"
            more = STILL_COVERED if copied != text else ""
            self.copy(copied, f"Copied: its id and request.{more}", self.say)

    def action_link(self) -> None:
        self.programs.choose_link()

    # The operator's own keys.

    @property
    def own_actions(self) -> tuple[Action, ...]:
        """The filters and commands of deck.toml."""
        commands = {key: command.words for key, command in self.preferences.commands.items()}
        return own_actions(self.preferences.filters, commands)

    def action_own_filter(self, key: str) -> None:
        words = self.preferences.filters[key]
        if self.filter.words == words:
            self.drop_search()
        else:
            self.in_diff = False
            self.filter.show(words)

    def action_own_command(self, key: str) -> None:
        self.programs.run(key)

    # The filter of the queue, and the search in the diff.

    def action_filter(self) -> None:
        words = (SEARCH, "") if self.in_diff else (FILTER, self.filter.words)
        self.search_line.open(*words)
        self.show_bars()

    @on(Input.Changed, "#filter")
    def _search_as_typed(self, event: Input.Changed) -> None:
        if not self.search_line.is_open:
            return
        if self.in_diff:
            self.diff.search(event.value)
        else:
            self.filter.show(event.value.strip())

    @on(SearchLine.Left)
    def _leave_search(self, event: SearchLine.Left) -> None:
        self._focus_front()
        if event.is_dropped:
            self.drop_search()
        self.show_bars()
        self._say_match()

    def _say_match(self) -> None:
        if self.in_diff and (words := self.diff.match_words):
            self.say(f"{words} · n next, N previous")

    def drop_search(self) -> None:
        """Clears the filter; in the diff, the search."""
        if self.in_diff:
            self.diff.search("")
        else:
            self.filter.drop()

    # Messages of the widgets.

    @on(QueueList.Moved)
    def _follow_cursor(self, event: QueueList.Moved) -> None:
        if event.by_key:
            self.guard.note_moved()
        self.show_bars()
        self.look_at(self.current)

    def on_click(self, event: events.Click) -> None:
        """A click on a lane opens it; one on the panes' names shows the next pane."""
        widget = event.widget
        if widget is self.bar("lanes"):
            lane = bars.lane_at(counted_in(self.backlog, self.view.home), event.x)
            if lane is not None:
                self.action_lane(lane)
        elif widget is self.bar("panes"):
            self.action_evidence()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Brings the clicked widget to the front."""
        if isinstance(event.widget, DiffView):
            self.in_diff = True
        elif isinstance(event.widget, QueueList):
            self.in_diff = False

    # Keys that draft decisions. None of them writes to a home.

    def action_decide(self, name: str) -> None:
        """Runs a decision key, unless it is a repeat or the proposal just changed."""
        item = self.current
        if not self.backlog.is_complete:
            self.say("Wait: the home is still being read.")
        elif self.guard.is_repeat(name):
            return
        elif item is not None and self.guard.is_held(item.id):
            self.say("It changed: read it again, then press a movement key.", "flag")
        else:
            getattr(self.decisions, name)()

    @property
    def chosen(self) -> tuple[list[QueueItem], bool]:
        """The marked proposals, else the one under the cursor; whether they are marked."""
        marked = [self.items[id] for id in self.queue.marked_ids if id in self.items]
        if marked and not self.in_diff:
            return marked, True
        return ([self.current] if self.current is not None else []), False

    def advance(self) -> None:
        """Moves to the next proposal without a draft, wrapping around at the end."""
        ids, drafts = self.items.ids, self.backlog.drafts
        start = self.items.place_of(self.queue.cursor_id or "") or 0
        places = chain(range(start + 1, len(ids)), range(start))
        undrafted = (ids[place] for place in places if ids[place] not in drafts)
        if (id := next(undrafted, None)) is not None:
            self.queue.move_to(id, by_key=True)

    def mark_dropped(self, dropped: DroppedLines) -> None:
        """Strikes out what the draft of the shown proposal leaves out."""
        if self.look is not None and self.look.id == dropped.item:
            self.parts.show(dropped)
            self._show_look(self.look, keep_place=True)
            self.diff.mark_dropped(dropped.section, dropped.numbers)

    # Undoing drafts.

    def action_clear(self) -> None:
        items, _ = self.chosen
        drafted = [item.id for item in items if self.drafts.of(item.id) is not None]
        if drafted:
            self.drafts.drop(self.drafts.with_followers(drafted), "Draft dropped.")
        elif self.current is not None and self.current.id in self.backlog.people.own:
            self.decisions.withdraw_vote(self.current.id)
        else:
            self.say("There is no draft here.")

    def action_undo(self) -> None:
        item = self.current
        if item is not None and item.state is State.APPLIED and not self.in_diff:
            self.drafts.undo_applied(item.id)
        else:
            self.drafts.undo()

    def action_redo(self) -> None:
        self.drafts.redo()

    # Other screens.

    action_documents = other_screens.open_documents
    action_sources = other_screens.open_sources
    action_checks = other_screens.open_checks
    action_reading = other_screens.open_reading
    action_skim = other_screens.open_skim
    action_insights = other_screens.open_insights
    action_morning = other_screens.open_morning
    action_hosts = other_screens.open_hosts
    action_note = other_screens.ask_note
    action_ends = other_screens.ask_end
    action_summary = other_screens.open_summary

    def action_quit(self) -> None:
        """Back from the diff; else ends the deck, which reports drafts not written."""
        if self.in_diff:
            self.in_diff = False
        else:
            self.app.exit(len(self.backlog.drafts) if self.backlog.is_complete else 0)

    def action_rule(self) -> None:
        self.rules.open()

    def action_help(self) -> None:
        from reviewdeck_tui.screens.help import HelpScreen

        actions = (*ACTIONS, *self.own_actions)
        self.app.push_screen(HelpScreen(self.preferences.keys, actions, in_diff=self.in_diff))

    def go_to(self, id: str) -> None:
        """Moves to a proposal that another screen ended with."""
        self.filter.drop()
        self.set_view(lane=Lane.ALL, home=None)
        self.queue.move_to(id, by_key=True)

    @property
    def has_drafts(self) -> bool:
        """Whether there may be drafts, also such as are not stored or read yet."""
        backlog = self.backlog
        return bool(backlog.drafts) or not backlog.is_complete or self.drafts.is_storing
