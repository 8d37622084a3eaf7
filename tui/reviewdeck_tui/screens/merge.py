"""The merge screen: decide the places of a conflict, see the result, draft it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import SENT_BACK, Draft, Verb
from reviewdeck.planning.merge import Decided, MergeProgress, as_text, progress_to_data, read_back
from reviewdeck.ports.merges import Unfinished
from reviewdeck.presentation.words import count
from reviewdeck.text.conflicts import OwnText, Take, UnreadableMarkers, text_of_choice
from reviewdeck_tui.keys import MERGE_ACTIONS
from reviewdeck_tui.merge import bars as merge_bars
from reviewdeck_tui.merge.bars import MergePane
from reviewdeck_tui.merge.checks import ResultCheck, check
from reviewdeck_tui.merge.open import OpenMerge
from reviewdeck_tui.merge.session import MergeSession
from reviewdeck_tui.merge.sides import heads, sides_document
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.proposal.panes import Line
from reviewdeck_tui.proposal.redaction import error_words, redacted, redacted_line
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.screens.base import NO_WORDS, EngineScreen, Room, after
from reviewdeck_tui.screens.dialogs import SEND_BACK, ReasonDialog, WordsDialog
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.search_line import SEARCH_KEYS, SearchLine

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

SIDE_BY_SIDE_COLUMNS: Final = 108
"""Columns from which the three texts are side by side."""
KEPT_LIVE: Final = "the live text stays"
"""The reason of a rejection that comes from keeping the live text."""
_NOT_OFFERED: Final = {
    "pick_base": "The base is not known: pick 2 or 3.",
    "pick_both": "There are not two texts here to take.",
    "pick_words": "Both changed the same words here: no text has both edits.",
}
_NOUNS: Final = {Verb.MERGE: "merge", Verb.REJECT: "rejection", Verb.DEFER: "deferral"}


class MergeScreen(EngineScreen[str], inherit_bindings=False):
    """One merge after the other: three texts above, the result below, the evidence beside.

    Ends with a word for the deck. Writes to no home.
    """

    KEYS = MERGE_ACTIONS
    PALETTE_ACTIONS = MERGE_ACTIONS
    AUTO_FOCUS = "#sides"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (SIDE_BY_SIDE_COLUMNS, "-wide"), (170, "-vast")]  # noqa: RUF012 - as Textual declares it
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
    """Whether the keys scroll the result, or the texts."""

    def __init__(self, deck: DeckScreen, merge: OpenMerge, *, to_write: bool = False) -> None:
        super().__init__(deck.open_engine)
        self.deck = deck
        self.session = MergeSession(merge)
        self.pane = MergePane.ALONE
        self.checked: ResultCheck = check(self.session.merging, merge.limit)
        self.is_painted = False
        """Whether the result, as it is now, was painted."""
        self.seen = 0.0
        """The part of the result that was painted, 0 to 1."""
        self.against = ""
        """Why nothing can be drafted any more; empty while it can."""
        self.side_by_side_choice: bool | None = None
        self._is_to_write = to_write
        """Whether the editor opens with the screen."""

    def compose(self) -> ComposeResult:
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
        yield SearchLine(id="search")
        yield Bar(id="strip")
        yield Bar(id="picks")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Shows everything once the width is known, and reports what was resumed."""
        for view in (self.sides, self.result):
            view.layout_mode = "unified"
            view.wrap = self.deck.preferences.wrap
        self.call_after_refresh(self.show_all)
        self.call_after_refresh(self.decide_own_text if self._is_to_write else self._report_resumed)

    def _report_resumed(self) -> None:
        merge = self.session.opened
        if merge.kept_picks or merge.dropped_picks:
            resumed = f"Resumed with {count(merge.kept_picks, 'earlier pick')}"
            discarded = (
                f", {merge.dropped_picks} dropped because the texts changed"
                if merge.dropped_picks
                else ""
            )
            self.say(f"{resumed}{discarded}.", "draft")
        elif merge.anchor is not None:
            self.say(
                "Its target is gone. This is the most likely new one; all of it is unresolved.",
                "flag",
            )

    @property
    def sides(self) -> DiffView:
        """The three texts of the place."""
        return self.query_one("#sides", DiffView)

    @property
    def result(self) -> DiffView:
        """The document as the merge leaves it."""
        return self.query_one("#result", DiffView)

    @property
    def diff(self) -> DiffView:
        """The half in front."""
        return self.result if self.in_result else self.sides

    @property
    def is_side_by_side(self) -> bool:
        """Whether the three texts are side by side."""
        if self.side_by_side_choice is not None:
            return self.side_by_side_choice
        return self.width >= SIDE_BY_SIDE_COLUMNS

    # Drawing.

    def show_all(self) -> None:
        """Redraws everything, from the current place on."""
        self._drawn_for = self.room
        self.show_sides()
        self.show_result()
        self.show_facts()

    def show_sides(self) -> None:
        """Redraws the texts of the place."""
        session = self.session
        self.set_class(self.is_side_by_side and bool(session.places), "-abreast")
        if not session.places:
            self.sides.clear()
        else:
            authors = session.opened.authors_of(session.places[session.at].ours)
            document = sides_document(
                session.merging, session.at, authors, side_by_side=self.is_side_by_side
            )
            document = self._redacted(document)
            same_place = self.sides.document is not None and self.sides.document.id == document.id
            self.sides.show(document, keep_place=same_place)
            width = self.sides.scrollable_content_region.width or self.width
            columns = merge_bars.column_heads(heads(session.merging, session.at, authors), width)
            self.query_one("#columns", Static).update(columns)
        self.show_bars()

    def show_result(self, *, moved: bool = True) -> None:
        """Redraws the result; `moved`: it also scrolls to the place."""
        session = self.session
        self.checked = check(session.merging, session.opened.limit)
        document = self._redacted(session.view.document(session.merging, session.at))
        self.is_painted = document == self.result.document and self.is_painted
        self.result.show(document, keep_place=True)
        self.result.show_conflict(session.at, only_when_hidden=not moved)
        self.show_bars()

    def _redacted(self, document: DiffDocument) -> DiffDocument:
        """The document with its secrets covered, unless the operator shows them."""
        redaction = self.session.opened.redaction
        if redaction is None or self.deck.shows_secrets:
            return document
        return redacted(document, redaction)

    def show_bars(self) -> None:
        """Writes the lines between the texts."""
        session, width = self.session, self.width
        self.bar("head").show(merge_bars.head_line(session, width))
        words = "TEXTS side by side" if self.is_side_by_side else "TEXTS"
        front = not self.in_result
        self.bar("texts").show(merge_bars.title_line(words, Content(""), width, is_front=front))
        below = self.query_one("#outcome").size.width or width
        state = bars.styled(*self.checked.summary)
        self.bar("title").show(
            merge_bars.title_line("RESULT", state, below, is_front=self.in_result)
        )
        aside = self.query_one("#aside").content_size.width or width
        self.bar("panes").show(merge_bars.pane_line(self.pane, session, aside))
        keymap = self.deck.preferences.keys
        picks, keys = merge_bars.key_lines(session, self.checked, keymap, width)
        is_typing = self.query_one(SearchLine).is_open
        self.bar("picks").show(NO_WORDS if is_typing else picks)
        self.bar("keys").show(bars.key_words(SEARCH_KEYS) if is_typing else keys)
        self.show_strip()

    def standing_words(self) -> Content:
        if self.against:
            return bars.styled(f" {self.against}", "dangerous")
        return merge_bars.standing_words(self.session, self.checked)

    def show_facts(self) -> None:
        """Redraws the pane of evidence."""
        pane = self.query_one("#pane", VerticalScroll)
        width = pane.scrollable_content_region.width or self.width
        evidence = merge_bars.pane_lines(self.pane, self.session.opened, self.deck.now())
        if not self.deck.shows_secrets:
            evidence = self._redacted_lines(evidence)
        lines = [bars.wrap_hanging(line, width) for line in evidence]
        self.query_one("#facts", Static).update(Content("\n").join(lines))
        pane.scroll_home(animate=False)
        self.show_bars()

    def _redacted_lines(self, lines: Iterable[Line]) -> Iterator[Line]:
        merge = self.session.opened
        for line in lines:
            covered_request = redacted_line(line, merge.evidence_redaction)
            yield (
                redacted_line(covered_request, merge.redaction)
                if merge.redaction is not None
                else covered_request
            )

    @on(DiffView.Painted, "#result")
    def _note_painted(self, event: DiffView.Painted) -> None:
        if event.is_current:
            self.is_painted, self.seen = True, event.fraction_seen

    @property
    def room(self) -> Room:
        # Not the heights: a search takes a row for itself, and the result has to stay where it is.
        # That of what is below follows the breakpoints alone.
        below, aside = self.query_one("#below").styles.height, self.query_one("#aside")
        panes = (pane.size.width for pane in (self.sides, self.result, aside))
        return *super().room, below, *panes

    def redraw(self) -> None:
        self.show_all()

    def watch_in_result(self) -> None:
        """Moves the focus to what is in front."""
        (self.result if self.in_result else self.sides).focus()
        self.show_bars()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Brings the clicked half to the front."""
        if isinstance(event.widget, DiffView):
            self.in_result = event.widget.id == "result"

    # Keys that move and search.

    def action_hunk(self, step: int) -> None:
        if self.session.move(step):
            self.show_sides()
            self.show_result()
        else:
            self.say("There is no other conflict.")

    def action_mark(self) -> None:
        """A page down. Never decides."""
        self.diff.move_page(1.0)

    def action_open(self) -> None:
        """Brings the other half to the front. Never decides."""
        self.in_result = not self.in_result

    def action_style(self) -> None:
        self.side_by_side_choice = not self.is_side_by_side
        self.show_sides()

    def action_wrap(self) -> None:
        for view in (self.sides, self.result):
            view.wrap = not view.wrap

    def action_fold(self) -> None:
        self.result.toggle_fold()

    def action_evidence(self) -> None:
        self.pane = after(self.pane, MergePane)
        self.show_facts()

    def action_secrets(self) -> None:
        self.deck.shows_secrets = not self.deck.shows_secrets
        self.show_all()

    def action_filter(self) -> None:
        self.query_one(SearchLine).open("search the result")
        self.show_bars()

    @on(Input.Changed, "#search")
    def _search_as_typed(self, event: Input.Changed) -> None:
        self.result.search(event.value)

    @on(SearchLine.Left)
    def _leave_search(self, event: SearchLine.Left) -> None:
        if event.is_dropped:
            self.result.search("")
        self.in_result = True
        self.result.focus()
        self.show_bars()

    def action_match(self, step: int) -> None:
        self.result.next_match(step)
        self.say(self.result.match_words or "No search yet. Press / to search the result.")

    # Deciding places.

    def action_take(self, name: str) -> None:
        if not self.session.places:
            self.say("All of it is your own text: z undoes that.")
        elif not self.session.can(name):
            self.say(_NOT_OFFERED.get(name, ""), "flag")
        else:
            self._change(lambda: self.session.take(name))

    def action_reopen(self) -> None:
        if self.session.can("reopen"):
            self._change(self.session.reopen)
        else:
            self.say("This conflict is unresolved.")

    def action_undo(self) -> None:
        if self.session.can_undo:
            self._change(lambda: self.session.undo())
        else:
            self.say("There is no pick to undo.")

    def _change(self, change: Callable[[], object]) -> None:
        """Changes a decision, redraws, and saves the progress."""
        place, ground = self.session.at, self.session.merging.merged
        change()
        moved = self.session.at != place or self.session.merging.merged is not ground
        self.clear_message()
        self.show_sides()
        self.show_result(moved=moved)
        self._save_progress()

    def _save_progress(self) -> None:
        session = self.session

        def latest() -> MergeProgress:
            return session.merging

        self.work(
            lambda: self.engine.keep_merge(session.opened.id, latest), group="keep", is_kept=True
        )

    # The editor.

    def decide_own_text(self) -> None:
        """Opens the whole text in the editor; open places are between markers."""
        merging = self.session.merging
        start = as_text(merging)
        edited = self.edited(self.deck.edit, start, self.session.opened.path)
        if edited is None:
            return
        if edited == start and merging.unparsed is None:
            self.say("You changed nothing.")
        else:
            self._read_back(edited)

    def _read_back(self, edited: str) -> None:
        merging = self.session.merging
        try:
            reread = read_back(replace(merging, unparsed=None), edited)
        except UnreadableMarkers as error:
            self._change(lambda: self.session.replace_state(replace(merging, unparsed=edited)))
            self.say(f"{error}. Your text is kept: e opens it again.", "dangerous")
            return
        self._change(lambda: self.session.replace_state(reread))
        amount = len(reread.open)
        self.say(
            f"Read back; {count(amount, 'conflict is', 'conflicts are')} unresolved."
            if amount
            else "Read."
        )

    def action_own_words(self) -> None:
        """Edits the text of the place, from the one taken, else from the proposed one."""
        session = self.session
        if not session.places:
            self.decide_own_text()
            return
        place = session.places[session.at]
        choice = session.merging.choices.get(session.at, Take.THEIRS)
        start = text_of_choice(place, choice, session.merging.merged.joint)
        if (edited := self.edited(self.deck.edit, start, session.opened.path)) is None:
            return
        own = edited.strip() if session.merging.merged.joint else _end_like(edited, start)
        self._change(lambda: session.pick(OwnText(own)))

    # Leaving, and deciding on the proposal.

    def action_back(self) -> None:
        self.dismiss("")

    def action_quit(self) -> None:
        self.dismiss("")

    def action_summary(self) -> None:
        self.dismiss("summary")

    def action_proposal(self, step: int) -> None:
        item = self.deck.merges.neighbour(self.session.opened.id, step)
        if item is None:
            self.say(f"This is the {'last' if step > 0 else 'first'} conflict.")
        else:
            self._open(item.id)

    def _open(self, id: str, drafted: str = "") -> None:
        """Opens another merge; `drafted` is the draft of this one, in words."""

        def show(merge: OpenMerge) -> None:
            self.against = ""
            self._begin(merge)
            if drafted:
                self.say(f"{drafted} is drafted. This is the next conflict.", "draft")
            else:
                self._report_resumed()

        self.work(lambda: self.engine.open_merge(id), show)

    def action_decide(self, name: str) -> None:
        """Runs a decision key, unless it is a repeat."""
        if not self.deck.guard.is_repeat(name):
            getattr(self, f"decide_{name}")()

    def decide_reject(self) -> None:
        """Asks for a reason and drafts a rejection in place of a result."""
        self.app.push_screen(ReasonDialog(), self._reject)

    def _reject(self, reason: str | None) -> None:
        if reason is not None:
            self._turn_down(Verb.REJECT, reason)

    def decide_send_back(self) -> None:
        """A rejection whose reason is a note to the agent."""

        def on_answer(note: str | None) -> None:
            self._reject(None if note is None else f"{SENT_BACK}{note}")

        self.app.push_screen(WordsDialog(SEND_BACK, "send back"), on_answer)

    def decide_defer(self) -> None:
        self._turn_down(Verb.DEFER)

    def _turn_down(self, verb: Verb, reason: str = "") -> None:
        draft = Draft(self.session.opened.id, verb, None, self.deck.now(), reason=reason)
        self.work(
            lambda: (draft, self.engine.put_drafts([draft])), self._record_draft, group="draft"
        )

    def decide_approve(self) -> None:
        """Drafts the result. Never with an open place, never over a newer text."""
        result = self.session.merging.result
        why = self.against or self.checked.against
        if why or not isinstance(result, Decided):
            self.say(f"Not drafted: {why}.", "flag")
        elif not self.is_painted:
            self.say("Wait: the result is not on the screen yet.")
        elif self.checked.keeps_live:
            self._turn_down(Verb.REJECT, KEPT_LIVE)
        else:
            merge, text = self.session.opened, result.text
            superseded = self.deck.merges.superseded_ids(merge.id)
            self.work(
                lambda: self.engine.draft_merge(merge, text, superseded),
                self._record_draft,
                group="draft",
            )

    def _record_draft(self, drafted: tuple[Draft, Backlog]) -> None:
        draft, backlog = drafted
        if draft.verb is Verb.MERGE:
            self.deck.guard.note_merged(draft.proposal, self.seen)
        subject = f"The {_NOUNS[draft.verb]}"
        self.deck.merges.record_draft(
            draft, backlog, f"{subject} is drafted, nothing is saved yet."
        )
        following = self.deck.merges.next_undrafted(draft.proposal)
        if following is None:
            self.dismiss("drafted")
        else:
            self._open(following.id, drafted=subject)

    def _begin(self, merge: OpenMerge) -> None:
        self.session = MergeSession(merge)
        self.in_result = False
        self.sides.clear()
        self.result.clear()
        self.is_painted = False
        self.clear_message()
        self.show_all()

    # The live text changes while the screen is open.

    def reload(self) -> None:
        """Reads the merge again, against the texts that are live now."""
        session = self.session
        progress = Unfinished(session.merging.sides.digest, progress_to_data(session.merging))
        self.work(
            lambda: self.engine.open_merge(session.opened.id, progress), self._update, group="moved"
        )

    def _update(self, merge: OpenMerge) -> None:
        before = self.session
        if merge.id != before.opened.id:
            return
        if merge.merging.sides.digest == before.merging.sides.digest:
            self.against = ""
            before.opened = replace(merge, automatic=before.opened.automatic)
            self.show_bars()
            return
        picks = len(before.merging.choices)
        self.against = ""
        self._begin(merge)
        self._save_progress()
        kept_words = f" {merge.kept_picks} of {count(picks, 'pick')} are kept." if picks else ""
        self.say(f"The live text changed under you.{kept_words} Read it again.", "flag")

    def show_refusal(self, error: ReviewdeckError, group: str) -> None:
        explanation = error_words(error)
        if group == "moved":
            self.against = f"There is no merge any more: {explanation} Your picks are kept."
            self.show_bars()
            return
        self.say(explanation, "dangerous")
        if group == "draft":
            self.reload()


def _end_like(edited: str, start: str) -> str:
    """The edited text, with a final line end where the original had one."""
    if edited and start.endswith("\n") and not edited.endswith("\n"):
        return edited + "\n"
    return edited
