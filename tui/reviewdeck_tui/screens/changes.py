"""Lane 2: what did my agent learn? One composed, blamed diff per document since last looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from reviewdeck.engine.changes import Learnt
from reviewdeck.model import Marks
from reviewdeck.policy.redact import NOTHING
from reviewdeck_tui.changes.cards import Spot, Told, headline, since_words, tell
from reviewdeck_tui.changes.history import ChangesView, Period, read_lore
from reviewdeck_tui.keys import CHANGES, END_OF_DRAFTS, bindings, mapped
from reviewdeck_tui.messages import Stocked
from reviewdeck_tui.proposal.redaction import STILL_COVERED
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Lane, Stock
from reviewdeck_tui.screens.dialogs import PassphraseDialog, ReasonDialog
from reviewdeck_tui.screens.secondary import DeckBelow, SecondaryScreen
from reviewdeck_tui.summary.requirements import has_to_unlock
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

POLL: Final = 1.0
"""Seconds between two looks at whether the deck below has a new queue."""
SHORT: Final = (
    ("r", "revert"),
    ("space", "seen"),
    ("enter", "open"),
    ("A", "all seen"),
    ("z", "undo all of it"),
    ("s", "how far back"),
    ("J K", "document"),
)


class Read(Message):
    """What was learnt is read, and told."""

    def __init__(self, lore: ChangesView, told: Told, said: str = "") -> None:
        super().__init__()
        self.lore = lore
        self.told = told
        self.said = said


class Reverting(Message):
    """A draft was made or dropped."""

    def __init__(self, stock: Stock, lore: ChangesView, told: Told, said: str) -> None:
        super().__init__()
        self.stock = stock
        self.lore = lore
        self.told = told
        self.said = said


class Marking(Message):
    """Marks are about to be kept, once it is known whether that has to be signed."""

    def __init__(self, is_locked: bool, put: Callable[[Deck], None], said: str) -> None:
        super().__init__()
        self.is_locked = is_locked
        self.put = put
        self.said = said


class ChangesScreen(SecondaryScreen[Lane | None]):
    """Every line names who let it in, in which conversation, and when. Ends with a lane."""

    AUTO_FOCUS = "#roll"
    KEYS = CHANGES
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(CHANGES)]
    DEFAULT_CSS = """
    ChangesScreen {
        #head, #lanes, #keys { background: $panel; }
        #gist { height: 1; }
        #roll { height: 1fr; }
    }
    """

    def __init__(self, deck: DeckBelow, span: Period = Period.UNSEEN) -> None:
        super().__init__(deck)
        self.span = span
        self.lore: ChangesView | None = None
        self.told = Told((), {})
        self._opened: set[str] = set()
        self._marked: list[Mapping[str, Marks]] = []
        self._known: Stock | None = None

    def compose(self) -> ComposeResult:
        """Head, lanes, everything in a sentence, the documents, strip, keys."""
        yield Bar(id="head")
        yield Bar(id="lanes")
        yield Bar(id="gist")
        yield CardList(id="roll")
        yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Reads, and looks now and then whether the queue below has moved."""
        self.show_bars()
        self._read()
        self.set_interval(POLL, self._follow)

    @property
    def roll(self) -> CardList:
        """The documents and their lessons."""
        return self.query_one(CardList)

    @property
    def spot(self) -> Spot | None:
        """What the cursor is on."""
        return self.told.spots.get(self.roll.cursor_id)

    def show_bars(self) -> None:
        """Writes the lines around the documents."""
        width = self.width
        stock, view = self._known or self.deck.stock, replace(self.deck.view, lane=Lane.APPLIED)
        self.bar("head").show(bars.head_line(stock, view, width, self.deck.now()))
        self.bar("lanes").show(bars.lane_line(stock, view, "", width))
        keys = mapped(SHORT, CHANGES, self.keymap)
        end = bars.key_words(mapped(END_OF_DRAFTS, CHANGES, self.keymap))
        self.bar("keys").show(bars.fitted_keys(keys, end, width))
        said, when = " looking ...", ""
        if self.lore is not None:
            said, when = f" {headline(self.lore)}", f"{since_words(self.lore)} "
        gist = bars.spread(bars.styled(said, "strong"), bars.styled(when, "quiet"), width)
        self.bar("gist").show(gist)

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self.show_bars)

    # Reading.

    def _follow(self) -> None:
        """The queue moved: something was written, drafted, or marked elsewhere."""
        if self.is_current and self._known is not self.deck.stock:
            self._read()

    def _read(self, said: str = "") -> None:
        self._known = self.deck.stock
        look = self._look()

        def job() -> Message:
            return Read(*look(), said)

        self.work(job, group="lore")

    def _look(self) -> Callable[[], tuple[ChangesView, Told]]:
        span, home, opened = self.span, self.deck.view.home, frozenset(self._opened)

        def look() -> tuple[ChangesView, Told]:
            now = self.deck.now()
            lore = self.engine.with_deck(lambda deck: read_lore(deck, span, now, home))
            return lore, tell(lore, opened, now)

        return look

    @on(Read)
    def _read_is(self, event: Read) -> None:
        self._take(event.lore, event.told, event.said)

    def _take(self, lore: ChangesView, told: Told, said: str) -> None:
        self.lore, self.told = lore, told
        self.show_texts()
        self.show_bars()
        if said:
            self.say(said, "draft")

    def show_texts(self) -> None:
        """Shows the lessons."""
        cover = self.lore.cover if self.lore is not None else NOTHING
        self.roll.show(self.cards(self.told.cards, cover))

    # Moving.

    def action_move(self, delta: int) -> None:
        """Another lesson."""
        self.roll.move(delta)

    def action_page(self, pages: float) -> None:
        """Half a page."""
        self.roll.move_page(pages)

    def action_document(self, step: int) -> None:
        """Another document."""
        spots = self.told.spots
        self.roll.move_where(step, lambda card: spots[card.id].lesson is None)

    @on(CardList.Selected)
    def _opened_one(self) -> None:
        self.action_unfold()

    def action_unfold(self) -> None:
        """All of a lesson with its ids, or its gist again."""
        if (id := self.roll.cursor_id) and self.lore is not None:
            self._opened ^= {id}
            self.told = tell(self.lore, self._opened, self.deck.now())
            self.show_texts()

    def action_span(self) -> None:
        """How far back."""
        spans = list(Period)
        self.span = spans[(spans.index(self.span) + 1) % len(spans)]
        self._read(f"Showing {self.span}.")

    def action_home(self) -> None:
        """Another home."""
        if self.next_home():
            self._read()

    def action_reload(self) -> None:
        """Looks again."""
        self._read("Looked again.")

    # Taking back. Nothing here writes to a home.

    def action_revert(self) -> None:
        """Drafts the revert of a lesson; on a heading, of all of the document's."""
        spot = self.spot
        if spot is None or self.lore is None:
            self.say("There is nothing to revert here.")
            return
        lesson, one = spot.lesson, spot.one
        if lesson is not None and self.lore.draft_of(one, lesson) is not None:
            self.say("It is drafted already: u drops the draft.")
            return

        def answered(reason: str | None) -> None:
            if reason is not None:
                self._draft_revert(spot, reason)

        what = "this" if lesson is not None else f"all {len(one.lessons)} changes of the document"
        self.app.push_screen(ReasonDialog(what, verb="Revert"), answered)

    def _draft_revert(self, spot: Spot, reason: str) -> None:
        from reviewdeck.engine.drafts import draft_own
        from reviewdeck.engine.restore import propose_revert

        def job() -> None:
            self.engine.with_deck(
                lambda deck: draft_own(
                    deck.context,
                    propose_revert(deck.context, spot.one, spot.lesson, reason),
                    reason,
                )
            )

        said = "The revert is drafted, nothing is written: ^s shows it. It will stay away."
        self._drafting(job, said)

    def action_undo(self) -> None:
        """Drafts the undo of the whole operation that brought this."""
        spot = self.spot
        lessons = () if spot is None else (spot.lesson,) if spot.lesson else spot.one.lessons
        operations = {lesson.by.operation for lesson in lessons}
        operation = operations.pop() if len(operations) == 1 else None
        if operation is None:
            several = "Several things brought this: put the cursor on one of them."
            self.say(several if operations else "No operation of ours brought this: r reverts it.")
            return
        self._drafting(
            lambda: self.engine.draft_undos([operation]),
            f"The undo of operation {operation} is drafted: ^s shows it.",
        )

    def action_clear(self) -> None:
        """Drops the draft that takes this back."""
        spot = self.spot
        if spot is None or self.lore is None:
            return
        lessons = spot.one.lessons if spot.lesson is None else (spot.lesson,)
        drafts = (self.lore.draft_of(spot.one, lesson) for lesson in lessons)
        found = {draft.proposal: None for draft in drafts if draft is not None}
        if not found:
            self.say("There is no draft here. U takes back a mark.")
            return
        self._drafting(lambda: self.engine.restore_drafts(found), "Draft dropped.")

    def _drafting(self, change: Callable[[], object], said: str) -> None:
        look = self._look()

        def job() -> Message | None:
            change()
            stock = self.engine.refresh(force=True)
            return Reverting(stock or Stock(), *look(), said)

        self.work(job)

    @on(Reverting)
    def _reverting(self, event: Reverting) -> None:
        self._known = event.stock
        self.deck.post_message(Stocked(event.stock))
        self._take(event.lore, event.told, event.said)

    # Marks.

    def action_seen(self) -> None:
        """This document is seen; on to the next."""
        if (spot := self.spot) is not None:
            self._mark([spot.one], f"{spot.one.document} is seen: U takes that back.")

    def action_all_seen(self) -> None:
        """Everything that is shown is seen."""
        if self.lore is not None and self.lore.found:
            self._mark(self.lore.found, "Everything here is seen: U takes that back.")

    def _mark(self, found: tuple[Learnt, ...] | list[Learnt], said: str) -> None:
        lore = self.lore
        if lore is None:
            return
        now = dict(lore.marks)
        for one in found:
            now[one.home] = now[one.home].seen(one.document, lore.at)
        if len(found) == len(lore.found) and lore.span is Period.UNSEEN:
            now = {home: Marks(lore.at) for home in now}
        self._marked.append(lore.marks)
        self._put(now, said)

    def action_unsee(self) -> None:
        """Takes the last mark back."""
        if not self._marked:
            self.say("No mark was set here.")
            return
        self._put(self._marked.pop(), "The last mark is taken back.")

    def _put(self, marks: Mapping[str, Marks], said: str) -> None:
        def put(deck: Deck) -> None:
            for home, one in marks.items():
                deck.mark(home, one)

        self.work(lambda: Marking(self.engine.with_deck(has_to_unlock), put, said))

    @on(Marking)
    def _marking(self, event: Marking) -> None:
        if event.is_locked:
            self.app.push_screen(
                PassphraseDialog("Your passphrase signs that this is seen."),
                lambda words: self._unlock(words, event),
            )
        else:
            self._drafting(lambda: self.engine.with_deck(event.put), event.said)

    def _unlock(self, passphrase: str | None, event: Marking) -> None:
        if passphrase is None:
            self.say("Nothing was signed, and nothing is marked.")
            return

        def job() -> Message:
            self.engine.with_deck(lambda deck: deck.context.authority.unlock(passphrase))
            return Marking(False, event.put, event.said)

        self.work(job)

    # Elsewhere.

    def action_copy(self) -> None:
        """Puts the lesson into the clipboard of the terminal."""
        spot = self.spot
        if spot is not None and spot.lesson is not None:
            text = "\n".join(spot.lesson.after or spot.lesson.before)
            cover = self.lore.cover if self.lore is not None else NOTHING
            copied = text if self.deck.shows_secrets else cover.text(text)
            self.copy(copied, f"Copied.{STILL_COVERED if copied != text else ''}", self.say)

    def action_documents(self) -> None:
        """The document under the cursor, with its blame and its history."""
        from reviewdeck_tui.screens.documents import DocumentsScreen

        spot = self.spot
        at = "" if spot is None else f"{spot.one.home}\n{spot.one.document}"
        self.app.push_screen(DocumentsScreen(self.deck, at))

    def action_lane(self, name: str) -> None:
        """Another lane of the deck."""
        self.dismiss(Lane(name))

    def action_summary(self) -> None:
        """What all drafts come to together."""
        if not self.deck.stock.drafts:
            self.say("There are no drafts: r drafts a revert.")
            return
        super().action_summary()
