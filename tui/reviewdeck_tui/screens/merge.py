"""The merge screen: decide places, see what comes of it, draft the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from textual import events, on
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Input, Static

from reviewdeck.model import SENT_BACK, Draft, QueueItem, Verb
from reviewdeck.planning.merge import Decided, Merging, as_text, read_back, to_progress
from reviewdeck.ports import Clock
from reviewdeck.ports.ledger import Unfinished
from reviewdeck.presentation.words import count
from reviewdeck.text.conflicts import Own, Take, UnreadableMarkers, chosen
from reviewdeck_tui.controllers.merges import Merges
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.keys import MERGE_ACTIONS, SECRETS, bindings
from reviewdeck_tui.merge import bars as merge_bars
from reviewdeck_tui.merge.bars import MergePane
from reviewdeck_tui.merge.checks import Checked, check
from reviewdeck_tui.merge.open import OpenMerge
from reviewdeck_tui.merge.session import MergeSession
from reviewdeck_tui.merge.sides import heads, sides_document
from reviewdeck_tui.messages import MergeDrafted, MergeOpened, Refused
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.proposal.panes import Line
from reviewdeck_tui.proposal.redaction import complaint, covered, covered_line
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.base import SAID_FOR, EngineScreen
from reviewdeck_tui.screens.dialogs import SEND_BACK, ReasonDialog, WordsDialog
from reviewdeck_tui.screens.help import HelpScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.laid_out import SIDEWAYS

if TYPE_CHECKING:
    from reviewdeck_tui.engine import Engine

ABREAST_FROM: Final = 108
"""Columns from which the three texts stand side by side."""
KEPT_LIVE: Final = "what is live stays"
"""The reason of a rejection that a merge came to."""
_NOUNS: Final = {Verb.MERGE: "merge", Verb.REJECT: "rejection", Verb.DEFER: "deferral"}


class MergeDeck(Protocol):
    """The deck, as far as a merge needs it."""

    shows_secrets: bool

    @property
    def open_bench(self) -> Callable[[], Engine]:
        """Opens the engine."""
        ...

    @property
    def preferences(self) -> Preferences:
        """What the operator set."""
        ...

    @property
    def guard(self) -> Guard:
        """When a decision key may be obeyed."""
        ...

    @property
    def merges(self) -> Merges:
        """The conflicts of the queue."""
        ...

    @property
    def edit(self) -> Callable[[str, str], str | None]:
        """Lets the operator edit a text; None when there is no editor."""
        ...

    @property
    def now(self) -> Clock:
        """The time of day."""
        ...


class MergeScreen(EngineScreen[str], inherit_bindings=False):
    """One merge after the other: three texts above, the result below, and what is known of it.

    Ends with a word. Nothing here writes to a home.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(MERGE_ACTIONS)]
    OFFERED = MERGE_ACTIONS
    AUTO_FOCUS = "#sides"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (ABREAST_FROM, "-wide"), (170, "-vast")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    MergeScreen {
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

    def __init__(self, deck: MergeDeck, shown: OpenMerge, *, to_write: bool = False) -> None:
        super().__init__(deck.open_bench)
        self.deck = deck
        self.session = MergeSession(shown)
        self.pane = MergePane.ALONE
        self.checked: Checked = check(self.session.merging, shown.limit)
        self.is_painted = False
        """Whether the result, as it is now, is on the screen."""
        self.seen = 0.0
        """How much of the result has been, 0 to 1."""
        self.against = ""
        """Why nothing can be drafted any more; empty as long as it can."""
        self.abreast_wanted: bool | None = None
        self._is_to_write = to_write
        """Whether the editor opens with the screen."""
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
        """Everything is shown once there is a width; then it says what was taken up again."""
        for view in (self.sides, self.result):
            view.layout_mode = "unified"
            view.wrap = self.deck.preferences.wrap
        self.call_after_refresh(self.show_all)
        self.call_after_refresh(self.decide_own_text if self._is_to_write else self._greet)

    def _greet(self) -> None:
        shown = self.session.shown
        if shown.held or shown.lost:
            said = f"Taken up again: {count(shown.held, 'pick')} of an earlier time"
            gone = f", {shown.lost} let go because the texts changed" if shown.lost else ""
            self.say(f"{said}{gone}.", "draft")
        elif shown.anchor is not None:
            self.say("Its target is gone: this is the likely new place. All of it is open.", "flag")

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

    # What is shown.

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
        if cover is None or self.deck.shows_secrets:
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
        keymap = self.deck.preferences.keys
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
        found = merge_bars.pane_lines(self.pane, self.session.shown, self.deck.now())
        if not self.deck.shows_secrets:
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

    # Keys that move, look and search.

    def action_next_hunk(self) -> None:
        """The next place."""
        self._move(1)

    def action_previous_hunk(self) -> None:
        """The place before."""
        self._move(-1)

    def _move(self, step: int) -> None:
        if self.session.move(step):
            self.show_sides()
            self.show_result()
        else:
            self.say("There is no other place.")

    def action_down(self) -> None:
        """One line down."""
        self._front.scroll_lines(1)

    def action_up(self) -> None:
        """One line up."""
        self._front.scroll_lines(-1)

    def action_page_down(self) -> None:
        """Half a page down."""
        self._front.scroll_pages(0.5)

    def action_page_up(self) -> None:
        """Half a page up."""
        self._front.scroll_pages(-0.5)

    def action_mark(self) -> None:
        """A page down. Never decides."""
        self._front.scroll_pages(1.0)

    def action_top(self) -> None:
        """The beginning."""
        self._front.scroll_to_start()

    def action_bottom(self) -> None:
        """The end."""
        self._front.scroll_to_finish()

    def action_open(self) -> None:
        """The other half comes to the front. Never decides."""
        self.in_result = not self.in_result

    def action_style(self) -> None:
        """Side by side, or one below the other."""
        self.abreast_wanted = not self.is_abreast
        self.show_sides()

    def action_left(self) -> None:
        """Scrolls what is in front sideways, where lines do not wrap."""
        self._front.scroll_columns(-SIDEWAYS)

    def action_right(self) -> None:
        """The same, to the right."""
        self._front.scroll_columns(SIDEWAYS)

    def action_wrap(self) -> None:
        """Long lines wrap, or not."""
        for view in (self.sides, self.result):
            view.wrap = not view.wrap

    def action_fold(self) -> None:
        """Opens or closes unchanged text of the result."""
        self.result.toggle_fold()

    def action_evidence(self) -> None:
        """The next pane."""
        self.pane = self.pane.after()
        self.show_facts()

    def offers(self) -> Iterator[SystemCommand]:
        """The actions, and what is rarely wanted."""
        yield from super().offers()
        yield SystemCommand(SECRETS, "secrets", self.action_secrets)

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again: here and in the deck."""
        self.deck.shows_secrets = not self.deck.shows_secrets
        self.show_all()

    def action_help(self) -> None:
        """The keys of this screen."""
        self.app.push_screen(HelpScreen(self.deck.preferences.keys, MERGE_ACTIONS))

    @property
    def _front(self) -> DiffView:
        return self.result if self.in_result else self.sides

    def action_filter(self) -> None:
        """Opens the line for a search."""
        line = self.query_one("#search", Input)
        line.value = ""
        self.set_focus(line.add_class("-open"))

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self.result.search(event.value)

    @on(Input.Submitted, "#search")
    def _searched(self) -> None:
        self._close_search()

    def _close_search(self) -> None:
        self.query_one("#search", Input).remove_class("-open")
        self.in_result = True
        self.result.focus()

    def action_next_match(self) -> None:
        """The next match."""
        self.result.next_match(1)

    def action_previous_match(self) -> None:
        """The match before."""
        self.result.next_match(-1)

    def on_key(self, event: events.Key) -> None:
        """In the line of the search, escape drops it."""
        line = self.query_one("#search", Input)
        if line.has_focus and event.key == "escape":
            event.stop()
            event.prevent_default()
            self.result.search("")
            self._close_search()

    # Deciding places.

    def action_pick_base(self) -> None:
        """The text that the agent saw."""
        self._take("pick_base", "The base is not known: 2 and 3 are there.")

    def action_pick_live(self) -> None:
        """The text that is live."""
        self._take("pick_live", "")

    def action_pick_proposed(self) -> None:
        """The text that is proposed."""
        self._take("pick_proposed", "")

    def action_pick_both(self) -> None:
        """Live, then proposed."""
        self._take("pick_both", "There are no two texts here to take both of.")

    def action_pick_words(self) -> None:
        """The words that each side changed, as one text."""
        self._take("pick_words", "Both changed the same words here: there is no one text of them.")

    def _take(self, name: str, why_not: str) -> None:
        if not self.session.places:
            self.say("All of it is your own text: z takes that back.")
        elif not self.session.can(name):
            self.say(why_not, "flag")
        else:
            self._changed(lambda: self.session.take(name))

    def action_reopen(self) -> None:
        """Nothing is decided here after all."""
        if self.session.can("reopen"):
            self._changed(self.session.reopen)
        else:
            self.say("This place is open.")

    def action_undo(self) -> None:
        """Takes the last pick back."""
        if self.session.can_undo:
            self._changed(lambda: self.session.undo())
        else:
            self.say("There is no pick to take back.")

    def _changed(self, change: Callable[[], object]) -> None:
        """Something is decided otherwise: shown, and kept for another day."""
        here, ground = self.session.at, self.session.merging.ground
        change()
        moved = self.session.at != here or self.session.merging.ground is not ground
        self.forget_words()
        self.show_sides()
        self.show_result(moved=moved)
        self._keep()

    def _keep(self) -> None:
        session = self.session

        def latest() -> Merging:
            return session.merging

        self.work_on(lambda: self.engine.keep_merge(session.shown.id, latest))

    # The editor.

    def decide_own_text(self) -> None:
        """The whole text as it stands; open places between markers."""
        merging = self.session.merging
        start = as_text(merging)
        edited = self.deck.edit(start, self.session.shown.path)
        if edited is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        elif edited == start and merging.kept is None:
            self.say("You changed nothing.")
        else:
            self._read_back(edited)

    def _read_back(self, edited: str) -> None:
        merging = self.session.merging
        try:
            now = read_back(replace(merging, kept=None), edited)
        except UnreadableMarkers as error:
            self._changed(lambda: self.session.become(replace(merging, kept=edited)))
            self.say(f"{error}. Your text is kept: e opens it again.", "dangerous")
            return
        self._changed(lambda: self.session.become(now))
        left = len(now.open)
        self.say(f"Read back; {count(left, 'place is', 'places are')} open." if left else "Read.")

    def action_own_words(self) -> None:
        """My own words in the place, from what is taken, else from what is proposed."""
        session = self.session
        if not session.places:
            self.decide_own_text()
            return
        place = session.places[session.at]
        choice = session.merging.choices.get(session.at, Take.THEIRS)
        start = chosen(place, choice, session.merging.ground.joint)
        edited = self.deck.edit(start, session.shown.path)
        if edited is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
            return
        own = edited.strip() if session.merging.ground.joint else _closed_like(edited, start)
        self._changed(lambda: session.pick(Own(own)))

    # Leaving, and deciding on the proposal.

    def action_back(self) -> None:
        """Back to the queue; what is decided is kept."""
        self.dismiss("")

    def action_quit(self) -> None:
        """The same."""
        self.dismiss("")

    def action_summary(self) -> None:
        """Back, and on to the summary."""
        self.dismiss("summary")

    def action_next_proposal(self) -> None:
        """The next conflict of the queue."""
        self._go(self.deck.merges.neighbour(self.session.shown.id, 1), "It is the last conflict.")

    def action_previous_proposal(self) -> None:
        """The conflict before."""
        self._go(self.deck.merges.neighbour(self.session.shown.id, -1), "It is the first conflict.")

    def _go(self, item: QueueItem | None, why_not: str) -> None:
        if item is None:
            self.say(why_not)
        else:
            self.work(lambda: MergeOpened(self.engine.open_merge(item.id)))

    def action_decide(self, name: str) -> None:
        """Every decision key comes through here: the same press is not meant twice."""
        if not self.deck.guard.is_repeat(name):
            getattr(self, f"decide_{name}")()

    def decide_reject(self) -> None:
        """A rejection, with its reason, in the place of a result. Without one, all is as it was."""
        self.app.push_screen(ReasonDialog("this"), self._reject)

    def _reject(self, reason: str | None) -> None:
        if reason is not None:
            self._turn_down(Verb.REJECT, reason)

    def decide_send_back(self) -> None:
        """A rejection whose reason is a note to the agent."""

        def answered(note: str | None) -> None:
            self._reject(None if note is None else f"{SENT_BACK}{note}")

        self.app.push_screen(WordsDialog(SEND_BACK), answered)

    def decide_defer(self) -> None:
        """Puts it off."""
        self._turn_down(Verb.DEFER)

    def _turn_down(self, verb: Verb, reason: str = "") -> None:
        draft = Draft(self.session.shown.id, verb, None, self.deck.now(), reason=reason)
        self.work(lambda: MergeDrafted(draft, self.engine.put_drafts([draft])), group="draft")

    def decide_approve(self) -> None:
        """Drafts the result. Never with an open place, never over a newer text."""
        result = self.session.merging.result
        why = self.against or self.checked.against
        if why or not isinstance(result, Decided):
            self.say(f"Not drafted: {why}.", "flag")
        elif not self.is_painted:
            self.say("A moment: the result is not on the screen yet.")
        elif self.checked.keeps_live:
            self._turn_down(Verb.REJECT, KEPT_LIVE)
        else:
            shown, text = self.session.shown, result.text
            others = self.deck.merges.giving_way(shown.id)
            self.work(
                lambda: MergeDrafted(*self.engine.draft_merge(shown, text, others)), group="draft"
            )

    @on(MergeDrafted)
    def _drafted(self, event: MergeDrafted) -> None:
        event.stop()
        if event.draft.verb is Verb.MERGE:
            self.deck.guard.merged(event.draft.proposal, self.seen)
        said = f"The {_NOUNS[event.draft.verb]}"
        self.deck.merges.drafted(
            event.draft, event.stock, f"{said} is drafted, nothing is written."
        )
        following = self.deck.merges.undrafted(event.draft.proposal)
        if following is None:
            self.dismiss("drafted")
        else:
            self.work(lambda: MergeOpened(self.engine.open_merge(following.id), drafted=said))

    @on(MergeOpened)
    def _opened(self, event: MergeOpened) -> None:
        event.stop()
        if event.moved:
            self._moved(event.shown)
            return
        self.against = ""
        self._begin(event.shown)
        if event.drafted:
            self.say(f"{event.drafted} is drafted. This is the next conflict.", "draft")
        else:
            self._greet()

    def _begin(self, shown: OpenMerge) -> None:
        self.session = MergeSession(shown)
        self.in_result = False
        self.sides.clear()
        self.result.clear()
        self.is_painted = False
        self.forget_words()
        self.show_all()

    # When the live text moves under the screen.

    def look_again(self) -> None:
        """Something moved somewhere: the texts are held against what is live now."""
        session = self.session
        known = Unfinished(session.merging.sides.digest, to_progress(session.merging))
        self.work(
            lambda: MergeOpened(self.engine.open_merge(session.shown.id, known), moved=True),
            group="moved",
        )

    def _moved(self, shown: OpenMerge) -> None:
        before = self.session
        if shown.id != before.shown.id:
            return
        if shown.merging.sides.digest == before.merging.sides.digest:
            self.against = ""
            before.shown = replace(shown, alone=before.shown.alone)
            self.show_bars()
            return
        had = len(before.merging.choices)
        self.against = ""
        self._begin(shown)
        self._keep()
        held = f" {shown.held} of your {count(had, 'pick')} hold." if had else ""
        self.say(f"The live text changed under you.{held} Look again.", "flag")

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        event.stop()
        said = complaint(event.error)
        if event.what == "moved":
            self.against = f"It is no merge any more: {said} What is decided is kept."
            self.show_bars()
            return
        self.say(said, "dangerous")
        if event.what == "draft":
            self.look_again()


def _closed_like(edited: str, start: str) -> str:
    """With a line end after the last line where the text had one."""
    if edited and start.endswith("\n") and not edited.endswith("\n"):
        return edited + "\n"
    return edited
