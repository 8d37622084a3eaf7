"""Lane 2: what the agent learned, as one composed and blamed diff per document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult

from reviewdeck.model import Marks
from reviewdeck.model.changes import DocumentChanges
from reviewdeck.text.redact import NOTHING
from reviewdeck_tui.changes.cards import CardListing, Spot, headline, list_changes, since_words
from reviewdeck_tui.changes.history import ChangesView, Period, read_changes
from reviewdeck_tui.keys import CHANGES, END_OF_DRAFTS
from reviewdeck_tui.proposal.redaction import STILL_COVERED
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Backlog, Lane, counted_in
from reviewdeck_tui.screens.base import after
from reviewdeck_tui.screens.dialogs import ReasonDialog
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck_tui.screens.deck import DeckScreen

POLL: Final = 1.0
"""Seconds between two checks whether the deck's backlog changed."""
SHORT: Final = (
    ("r", "revert"),
    ("space", "seen"),
    ("enter", "open"),
    ("A", "all seen"),
    ("z", "undo all of it"),
    ("s", "period"),
    ("J K", "document"),
)


class ChangesScreen(SecondaryScreen[Lane | None]):
    """The documents the agent changed, each line with its approver, conversation and time."""

    AUTO_FOCUS = "#changes"
    KEYS = CHANGES
    DEFAULT_CSS = """
    ChangesScreen {
        #head, #lanes, #keys { background: $panel; }
        #gist { height: 1; }
        #changes { height: 1fr; }
    }
    """

    def __init__(self, deck: DeckScreen) -> None:
        super().__init__(deck)
        self.span = Period.UNSEEN
        self.changes: ChangesView | None = None
        self.listing = CardListing((), {})
        self._unfolded: set[str] = set()
        self._earlier_marks: list[Mapping[str, Marks]] = []
        self._backlog_read: Backlog | None = None

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield Bar(id="lanes")
        yield Bar(id="gist")
        yield CardList(id="changes")
        yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Reads the changes, and again whenever the backlog below changes."""
        self.show_bars()
        self._read()
        self.set_interval(POLL, self._follow)

    @property
    def spot(self) -> Spot | None:
        """The document or lesson under the cursor."""
        return self.listing.spots.get(self.card_list.cursor_id)

    def show_bars(self) -> None:
        """Writes the lines around the documents."""
        width = self.width
        view = replace(self.deck.view, lane=Lane.APPLIED)
        backlog = counted_in(self._backlog_read or self.deck.backlog, view.home)
        self.bar("head").show(bars.head_line(backlog, view, width, self.deck.now()))
        self.bar("lanes").show(bars.lane_line(backlog, view, "", width))
        self.show_keys(SHORT, END_OF_DRAFTS)
        summary, since = " Loading…", ""
        if self.changes is not None:
            summary, since = f" {headline(self.changes)}", f"{since_words(self.changes)} "
        gist = bars.spread(bars.styled(summary, "strong"), bars.styled(since, "quiet"), width)
        self.bar("gist").show(gist)

    # Reading.

    def _follow(self) -> None:
        """Reads again when the backlog below changed."""
        if self.is_current and self._backlog_read is not self.deck.backlog:
            self._read()

    def _read(self, report: str = "") -> None:
        self._backlog_read = self.deck.backlog
        self.work(self._reader(), lambda read: self._show(*read, report), group="changes")

    def _reader(self) -> Callable[[], tuple[ChangesView, CardListing]]:
        span, home, opened = self.span, self.deck.view.home, frozenset(self._unfolded)

        def read() -> tuple[ChangesView, CardListing]:
            now = self.deck.now()
            changes = self.engine.run(lambda engine: read_changes(engine, span, now, home))
            return changes, list_changes(changes, opened, now)

        return read

    def _show(self, changes: ChangesView, listing: CardListing, report: str) -> None:
        self.changes, self.listing = changes, listing
        self.show_texts()
        self.show_bars()
        if report:
            self.say(report, "draft")

    def show_texts(self) -> None:
        redaction = self.changes.redaction if self.changes is not None else NOTHING
        self.card_list.show(self.cards(self.listing.cards, redaction))

    # Moving.

    def action_document(self, step: int) -> None:
        spots = self.listing.spots
        self.card_list.move_where(step, lambda card: spots[card.id].change is None)

    @on(CardList.Selected)
    def action_unfold(self) -> None:
        if (id := self.card_list.cursor_id) and self.changes is not None:
            self._unfolded ^= {id}
            self.listing = list_changes(self.changes, self._unfolded, self.deck.now())
            self.show_texts()

    def action_span(self) -> None:
        self.span = after(self.span, Period)
        self._read(f"Showing {self.span}.")

    def action_home(self) -> None:
        if self.next_home():
            self._read()

    def action_reload(self) -> None:
        self._read("Reloaded.")

    # Reverting. Nothing here writes to a home.

    def action_revert(self) -> None:
        spot = self.spot
        if spot is None or self.changes is None:
            self.say("There is nothing to revert here.")
            return
        change, document = spot.change, spot.document
        if change is not None and self.changes.draft_of(document, change) is not None:
            self.say("It is drafted already: u drops the draft.")
            return

        amount = 1 if change is not None else len(document.changes)
        many = f"all {amount} changes of the document"
        self.ask(
            ReasonDialog(amount, many=many, verb="Revert"),
            partial(self._draft_revert, spot),
        )

    def _draft_revert(self, spot: Spot, reason: str) -> None:
        from reviewdeck.engine.reverse import revert

        report = "The revert is drafted: ^s shows it. The same text is held from then on."
        self.draft_own(
            lambda engine: revert(engine, spot.document, spot.change, reason), reason, report
        )

    def action_undo(self) -> None:
        spot = self.spot
        changes = () if spot is None else (spot.change,) if spot.change else spot.document.changes
        operations = {change.by.operation for change in changes}
        operation = operations.pop() if len(operations) == 1 else None
        if operation is None:
            explanation = "Several operations made this: put the cursor on one."
            self.say(explanation if operations else "No operation made this change: r reverts it.")
            return
        self.draft(
            lambda: self.engine.draft_undos([operation]),
            f"The undo of operation {operation} is drafted: ^s shows it.",
        )

    def action_clear(self) -> None:
        """Drops the drafts that revert this."""
        spot = self.spot
        if spot is None or self.changes is None:
            return
        changes = spot.document.changes if spot.change is None else (spot.change,)
        drafts = (self.changes.draft_of(spot.document, change) for change in changes)
        drafts_here = {draft.proposal: None for draft in drafts if draft is not None}
        if not drafts_here:
            self.say("There is no draft here. U undoes a mark.")
            return
        self.draft(lambda: self.engine.restore_drafts(drafts_here), "Draft dropped.")

    def draft(self, change: Callable[[], object], report: str) -> None:
        read = self._reader()

        def job() -> tuple[Backlog, ChangesView, CardListing]:
            change()
            return self.engine.refresh(force=True) or Backlog(), *read()

        def show(result: tuple[Backlog, ChangesView, CardListing]) -> None:
            self._backlog_read, changes, listing = result
            self.deck.call_later(self.deck.show_backlog, self._backlog_read)
            self._show(changes, listing, report)

        self.work(job, show)

    # Marks.

    def action_seen(self) -> None:
        if (spot := self.spot) is not None:
            self._mark([spot.document], f"{spot.document.document} is seen: U undoes that.")

    def action_all_seen(self) -> None:
        if self.changes is not None and self.changes.documents:
            self._mark(self.changes.documents, "Everything here is seen: U undoes that.")

    def _mark(
        self, documents: tuple[DocumentChanges, ...] | list[DocumentChanges], report: str
    ) -> None:
        changes = self.changes
        if changes is None:
            return
        now = dict(changes.marks)
        for document in documents:
            now[document.home] = now[document.home].seen(document.document, changes.at)
        if len(documents) == len(changes.documents) and changes.span is Period.UNSEEN:
            now = {home: Marks(changes.at) for home in now}
        self._earlier_marks.append(changes.marks)
        self._put(now, report)

    def action_unsee(self) -> None:
        if not self._earlier_marks:
            self.say("No mark was set here.")
            return
        self._put(self._earlier_marks.pop(), "The last mark is undone.")

    def _put(self, marks: Mapping[str, Marks], report: str) -> None:
        def put(engine: Engine) -> None:
            for home, mark in marks.items():
                engine.mark(home, mark)

        self.sign(
            lambda: self.draft(lambda: self.engine.run(put), report),
            "Your passphrase signs that this is seen.",
            "Nothing was signed or marked.",
        )

    # Elsewhere.

    def action_copy(self) -> None:
        spot = self.spot
        if spot is not None and spot.change is not None:
            text = "\n".join(spot.change.after or spot.change.before)
            redaction = self.changes.redaction if self.changes is not None else NOTHING
            copied = text if self.deck.shows_secrets else redaction.text(text)
            self.copy(copied, f"Copied.{STILL_COVERED if copied != text else ''}", self.say)

    def action_documents(self) -> None:
        from reviewdeck_tui.screens.documents import DocumentsScreen

        spot = self.spot
        place = "" if spot is None else f"{spot.document.home}\n{spot.document.document}"
        self.app.push_screen(DocumentsScreen(self.deck, place))

    def action_sources(self) -> None:
        from reviewdeck_tui.screens.why import WhyScreen

        spot = self.spot
        if spot is None or spot.change is None:
            self.say("Put the cursor on a change.")
            return
        text = "\n".join(spot.change.after or spot.change.before)
        self.app.push_screen(WhyScreen(self.deck, text))

    def action_lane(self, name: str) -> None:
        self.dismiss(Lane(name))

    def action_summary(self) -> None:
        if not self.deck.has_drafts:
            self.say("There are no drafts: r drafts a revert.")
            return
        super().action_summary()
