"""The documents of a home: what is in them, who brought it, how they were, and back to that."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.message import Message

from reviewdeck.engine.drafts import draft_own
from reviewdeck.engine.restore import propose_restore, propose_rewrite
from reviewdeck.model import Revision
from reviewdeck.presentation.words import count
from reviewdeck_tui.documents.cards import (
    BLAME,
    NAMES,
    bar_words,
    history_cards,
    list_cards,
    page_cards,
)
from reviewdeck_tui.documents.library import (
    DocumentPage,
    HeldDocument,
    Library,
    read_library,
    read_page,
)
from reviewdeck_tui.keys import DOCUMENTS, END_OF_DRAFTS, bindings, mapped
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Lane, Stock
from reviewdeck_tui.screens.secondary import DeckBelow, SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

POLL: Final = 1.0
REVISION: Final = 22
"""Cells for age and revision in the history."""
SHORT: Final = {
    "list": (("enter", "read"), ("tab", "history"), ("M", "merge alike"), ("e", "rewrite")),
    "page": (("j k", "move"), ("tab", "history"), ("M", "merge alike"), ("e", "rewrite")),
    "history": (("space", "pick two"), ("enter", "compare"), ("r", "restore")),
}


class Browsed(Message):
    """The list is read."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library


class Paged(Message):
    """A document is read."""

    def __init__(self, page: DocumentPage) -> None:
        super().__init__()
        self.page = page


class DocumentsScreen(SecondaryScreen[Lane | None]):
    """List, document, history. `tab` goes through them."""

    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (130, "-wide")]  # noqa: RUF012 - as Textual declares it
    KEYS = DOCUMENTS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(DOCUMENTS)]
    DEFAULT_CSS = """
    DocumentsScreen {
        #head, #keys, #title { background: $panel; }
        #body { height: 1fr; layout: vertical; }
        #list { height: 2fr; min-height: 4; }
        #look { height: 5fr; }
        #page { height: 1fr; }
        #history { height: 5; }
        &.-wide {
            #body { layout: horizontal; }
            #list { width: 72; height: 1fr; }
            #look { width: 1fr; height: 1fr; border-left: solid $panel; }
            #history { height: 12; }
        }
    }
    """

    def __init__(self, deck: DeckBelow, at: str = "") -> None:
        super().__init__(deck)
        self.library = Library()
        self.page: DocumentPage | None = None
        self.picked: list[int] = []
        self._wanted = at
        self._known: Stock | None = None

    def compose(self) -> ComposeResult:
        """Head, list, title, document, history, strip, keys."""
        yield Bar(id="head")
        with Container(id="body"):
            yield CardList(id="list", margin=NAMES)
            with Vertical(id="look"):
                yield Bar(id="title")
                yield CardList(id="page")
                yield Bar(id="past")
                yield CardList(id="history", margin=REVISION)
        yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Reads the list, then what the cursor is on."""
        self.show_bars()
        self._browse()
        self.set_interval(POLL, self._follow)

    def roll(self, id: str) -> CardList:
        """One of the three."""
        return self.query_one(f"#{id}", CardList)

    @property
    def front(self) -> str:
        """Which of the three has the keys."""
        return next((id for id in SHORT if self.roll(id).has_focus), "list")

    @property
    def held(self) -> HeldDocument | None:
        """The document that the cursor of the list is on."""
        id = self.roll("list").cursor_id
        return next((one for one in self.library.held if one.id == id), None)

    def show_bars(self) -> None:
        """Writes the lines around the rolls."""
        amount = len(self.library.held)
        homes = list(self.library.homes.values())
        where = f"home {homes[0]}" if len(homes) == 1 else f"all {len(homes)} homes (H)"
        words = bars.styled(" Documents  ", "strong") + bars.styled(where, "heading")
        words = words + bars.styled(f"   {count(amount, 'document')}", "quiet")
        drafts = len((self._known or self.deck.stock).drafts)
        right = f"{count(drafts, 'draft')} " if drafts else ""
        head = bars.spread(words, bars.styled(right, "draft"), self.width)
        self.bar("head").show(head)
        width = self.query_one("#look").size.width or self.width
        held = self.held
        title, room = (" nothing here", "") if held is None else (f" {held.path}", _room(held))
        self.bar("title").show(
            bars.spread(bars.styled(title, "strong"), bars.styled(f"{room} ", "quiet"), width)
        )
        amount = len(self.page.history) if self.page is not None else 0
        past = f" history: {count(amount, 'revision')} "
        self.bar("past").show(bars.rule_line(bars.styled(past, "heading"), width))
        keys = mapped(SHORT[self.front], DOCUMENTS, self.keymap)
        end = bars.key_words(mapped(END_OF_DRAFTS, DOCUMENTS, self.keymap))
        self.bar("keys").show(bars.fitted_keys(keys, end, self.width))

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self.show_bars)

    def on_descendant_focus(self) -> None:
        """Other keys matter now."""
        self.show_bars()

    # Reading.

    def _follow(self) -> None:
        if self.is_current and self._known is not self.deck.stock:
            self._browse()

    def _browse(self) -> None:
        self._known = self.deck.stock
        home = self.deck.view.home
        self.work(
            lambda: Browsed(self.engine.with_deck(lambda deck: read_library(deck, home))),
            group="list",
        )

    @on(Browsed)
    def _browsed(self, event: Browsed) -> None:
        self.library = event.library
        self.roll("list").show(list_cards(event.library, self.deck.now()))
        if self._wanted:
            self.roll("list").move_to(self._wanted)
            self._wanted = ""
        self.show_bars()
        self._look()

    def _look(self) -> None:
        held = self.held
        if held is not None:
            self.work(
                lambda: Paged(self.engine.with_deck(lambda deck: read_page(deck, held))),
                group="page",
            )

    @on(Paged)
    def _paged(self, event: Paged) -> None:
        held = self.held
        if held is None or event.page.held.id != held.id:
            return
        is_other = self.page is None or self.page.held.id != held.id
        self.page = event.page
        if is_other:
            self.picked.clear()
        self._show_page(event.page, anew=is_other)
        self._show_history(anew=is_other)
        self.show_bars()

    def _show_page(self, page: DocumentPage, *, anew: bool = False) -> None:
        cards = self.cards(page_cards(page, self.deck.now()), page.cover)
        is_memory = page.held.is_memory
        margin = 0 if is_memory else BLAME
        self.roll("page").show(cards, margin=margin, wrap=is_memory, anew=anew)

    def show_texts(self) -> None:
        """Shows the document again."""
        if self.page is not None:
            self._show_page(self.page)

    def _show_history(self, *, anew: bool = False) -> None:
        if self.page is not None:
            cards = history_cards(self.page, self.picked, self.deck.now())
            self.roll("history").show(cards, anew=anew)

    @on(CardList.Highlighted, "#list")
    def _moved(self) -> None:
        self.show_bars()
        self._look()

    # Moving.

    def action_move(self, delta: int) -> None:
        """Another line of what is in front."""
        self.roll(self.front).move(delta)

    def action_page(self, pages: float) -> None:
        """Half a page of what is in front."""
        self.roll(self.front).move_page(pages)

    def action_document(self, step: int) -> None:
        """Another document, whatever is in front."""
        self.roll("list").move(step)

    def action_turn(self, step: int) -> None:
        """List, document, history."""
        order = list(SHORT)
        self.roll(order[(order.index(self.front) + step) % len(order)]).focus()

    def action_open(self) -> None:
        """Reads the document; in the history, compares."""
        if self.front == "list":
            self.roll("page").focus()
        elif self.front == "history":
            self._compare()

    @on(CardList.Selected)
    def _opened(self) -> None:
        self.action_open()

    def action_back(self) -> None:
        """To the list; from there to the deck."""
        if self.front != "list":
            self.roll("list").focus()
        else:
            self.dismiss(None)

    def action_home(self) -> None:
        """Another home."""
        if self.next_home():
            self._browse()

    def action_reload(self) -> None:
        """Looks again."""
        self._browse()
        self.say("Looked again.")

    # Revisions.

    @property
    def _revision(self) -> int | None:
        id = self.roll("history").cursor_id
        return int(id) if id and self.page is not None else None

    def action_pick(self) -> None:
        """One of the two sides of a comparison; a third takes the place of the first."""
        number = self._revision
        if self.front != "history" or number is None:
            self.say("tab goes to the history: two revisions of it can be picked.")
            return
        if number in self.picked:
            self.picked.remove(number)
        else:
            self.picked = [*self.picked[-1:], number]
        self.picked.sort()
        self._show_history()

    def _compare(self) -> None:
        """What was picked beside each other; else a revision beside the one before it."""
        from reviewdeck_tui.screens.compare import CompareScreen

        page, number = self.page, self._revision
        if page is None or number is None:
            return
        sides = (*self.picked, number) if len(self.picked) == 1 else tuple(self.picked)
        if len(sides) != 2 or sides[0] == sides[1]:
            sides = (number - 1, number)

        def answered(revision: int | None) -> None:
            if revision is not None:
                self._restore(revision)

        first, second = sorted(sides)
        self.app.push_screen(CompareScreen(self.deck, page, first, second), answered)

    def action_restore(self) -> None:
        """Drafts that the document becomes again what it was; nothing is written."""
        number = self._revision
        if self.front != "history" or number is None:
            self.say("tab goes to the history: r restores the revision under the cursor.")
            return
        self._restore(number)

    def _restore(self, number: int) -> None:
        page = self.page
        if page is None:
            return
        held, revision = page.held, page.history[number].revision

        def job() -> None:
            self.engine.with_deck(
                lambda deck: draft_own(
                    deck.context,
                    propose_restore(deck.context, held.home, held.path, revision),
                    f"restore {_short(revision)}",
                )
            )

        said = f"The restore of {_short(revision)} is drafted, nothing is written: ^s shows it."
        self.draft(job, said)

    # The operator's own text.

    def action_rewrite(self) -> None:
        """Writes the document anew in the operator's editor, as a draft."""
        held = self.held
        if held is None or held.problem:
            self.say("There is nothing to write here.")
            return
        snapshot = self.engine.with_deck(
            lambda deck: deck.context.one_home(held.home).home.snapshot()
        )
        seen = snapshot.document(held.path).data
        before = (seen or b"").decode("utf-8", errors="replace")
        after = self.deck.edit(before, held.path)
        if after is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
            return
        if after == before:
            self.say("You changed nothing: nothing is drafted.")
            return

        def job() -> None:
            self.engine.with_deck(
                lambda deck: draft_own(
                    deck.context,
                    propose_rewrite(
                        deck.context, held.home, held.path, seen, after, "in my own words"
                    ),
                    "my own text",
                )
            )

        self.draft(job, "Your text is drafted, nothing is written: ^s shows it.")

    def action_consolidate(self) -> None:
        """Puts entries that are alike next to each other."""
        from reviewdeck_tui.screens.consolidate import ConsolidateScreen

        held = self.held
        if held is None or not held.is_memory:
            self.say("Only entries of a memory can be merged: put the cursor on one.")
            return
        self.app.push_screen(ConsolidateScreen(self.deck, held.home))


def _room(held: HeldDocument) -> str:
    if held.limit is not None:
        return bar_words(held.size, held.limit)
    return count(held.size, "line")


def _short(revision: Revision) -> str:
    return revision[:8]
