"""The documents of a home: their entries, authors and history, and the restore of a revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical

from reviewdeck.engine.reverse import restore, rewrite
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
    HomeDocument,
    Library,
    read_library,
    read_page,
)
from reviewdeck_tui.keys import DOCUMENTS, END_OF_DRAFTS
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Backlog, Lane
from reviewdeck_tui.screens.base import Room, after
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck_tui.screens.deck import DeckScreen

POLL: Final = 1.0
REVISION: Final = 22
"""Cells for age and revision in the history."""
SHORT: Final = {
    "list": (("enter", "read"), ("tab", "history"), ("M", "merge similar"), ("e", "rewrite")),
    "page": (("j k", "move"), ("tab", "history"), ("M", "merge similar"), ("e", "rewrite")),
    "history": (("space", "pick two"), ("enter", "compare"), ("r", "restore")),
}


class DocumentsScreen(SecondaryScreen[Lane | None]):
    """The list, one document, and its history; `tab` moves between them."""

    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (130, "-wide")]  # noqa: RUF012 - as Textual declares it
    KEYS = DOCUMENTS
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

    def __init__(self, deck: DeckScreen, start_id: str = "") -> None:
        super().__init__(deck)
        self.library = Library()
        self.page: DocumentPage | None = None
        self.picked: list[int] = []
        self._start_id = start_id
        self._backlog_read: Backlog | None = None

    def compose(self) -> ComposeResult:
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
        """Reads the list, then the document under the cursor."""
        self.show_bars()
        self._read_library()
        self.set_interval(POLL, self._follow)

    def list_of(self, id: str) -> CardList:
        """One of the three card lists."""
        return self.query_one(f"#{id}", CardList)

    @property
    def front(self) -> str:
        """The id of the card list that has the focus."""
        return next((id for id in SHORT if self.list_of(id).has_focus), "list")

    @property
    def in_front(self) -> CardList:
        """The list that has the focus."""
        return self.list_of(self.front)

    @property
    def document(self) -> HomeDocument | None:
        """The document under the cursor."""
        id = self.list_of("list").cursor_id
        return next((document for document in self.library.documents if document.id == id), None)

    @property
    def room(self) -> Room:
        return *super().room, self.query_one("#look").size.width

    def show_bars(self) -> None:
        """Writes the lines around the lists."""
        amount = len(self.library.documents)
        homes = bars.home_in_view(self.deck.backlog, self.deck.view)
        words = bars.styled(" Documents  ", "strong") + homes
        words = words + bars.styled(f"   {count(amount, 'document')}", "quiet")
        drafts = len((self._backlog_read or self.deck.backlog).drafts)
        right = f"{count(drafts, 'draft')} " if drafts else ""
        head = bars.spread(words, bars.styled(right, "draft"), self.width)
        self.bar("head").show(head)
        width = self.query_one("#look").size.width or self.width
        document = self.document
        title, size = (
            (" nothing here", "")
            if document is None
            else (f" {document.path}", _size_words(document))
        )
        self.bar("title").show(
            bars.spread(bars.styled(title, "strong"), bars.styled(f"{size} ", "quiet"), width)
        )
        amount = len(self.page.history) if self.page is not None else 0
        past = f" history: {count(amount, 'revision')} "
        self.bar("past").show(bars.rule_line(bars.styled(past, "heading"), width))
        self.show_keys(SHORT[self.front], END_OF_DRAFTS)

    def on_descendant_focus(self) -> None:
        """Shows the keys of the list that is in front."""
        self.show_bars()

    # Reading.

    def _follow(self) -> None:
        if self.is_current and self._backlog_read is not self.deck.backlog:
            self._read_library()

    def _read_library(self) -> None:
        self._backlog_read = self.deck.backlog
        home = self.deck.view.home
        self.read(lambda engine: read_library(engine, home), self._show_library, group="list")

    def _show_library(self, library: Library) -> None:
        self.library = library
        self.list_of("list").show(list_cards(library, self.deck.now()))
        if self._start_id:
            self.list_of("list").move_to(self._start_id)
            self._start_id = ""
        self.show_bars()
        self._read_page()

    def _read_page(self) -> None:
        document = self.document
        if document is not None:
            self.read(lambda engine: read_page(engine, document), self._take_page, group="page")

    def _take_page(self, page: DocumentPage) -> None:
        document = self.document
        if document is None or page.document.id != document.id:
            return
        is_other = self.page is None or self.page.document.id != document.id
        self.page = page
        if is_other:
            self.picked.clear()
        self._show_page(page, is_other=is_other)
        self._show_history(is_other=is_other)
        self.show_bars()

    def _show_page(self, page: DocumentPage, *, is_other: bool = False) -> None:
        cards = self.cards(page_cards(page, self.deck.now()), page.redaction)
        is_memory = page.document.is_memory
        margin = 0 if is_memory else BLAME
        self.list_of("page").show(cards, margin=margin, wrap=is_memory, is_other=is_other)

    def show_texts(self) -> None:
        if self.page is not None:
            self._show_page(self.page)

    def _show_history(self, *, is_other: bool = False) -> None:
        if self.page is not None:
            cards = history_cards(self.page, self.picked, self.deck.now())
            self.list_of("history").show(cards, is_other=is_other)

    @on(CardList.Highlighted, "#list")
    def _follow_cursor(self) -> None:
        self.show_bars()
        self._read_page()

    # Moving.

    def action_document(self, step: int) -> None:
        self.list_of("list").move(step)

    def action_turn(self, step: int) -> None:
        self.list_of(after(self.front, SHORT, step)).focus()

    @on(CardList.Selected)
    def action_open(self) -> None:
        if self.front == "list":
            self.list_of("page").focus()
        elif self.front == "history":
            self._compare()

    def action_back(self) -> None:
        if self.front != "list":
            self.list_of("list").focus()
        else:
            self.dismiss(None)

    def action_home(self) -> None:
        if self.next_home():
            self._read_library()

    def action_reload(self) -> None:
        self._read_library()
        self.say("Reloaded.")

    # Revisions.

    @property
    def _revision(self) -> int | None:
        id = self.list_of("history").cursor_id
        return int(id) if id and self.page is not None else None

    def action_pick(self) -> None:
        number = self._revision
        if self.front != "history" or number is None:
            self.say("tab goes to the history: pick two revisions there.")
            return
        if number in self.picked:
            self.picked.remove(number)
        else:
            self.picked = [*self.picked[-1:], number]
        self.picked.sort()
        self._show_history()

    def _compare(self) -> None:
        """Compares the two picks; else the revision under the cursor with the one before."""
        from reviewdeck_tui.screens.compare import CompareScreen

        page, number = self.page, self._revision
        if page is None or number is None:
            return
        sides = (*self.picked, number) if len(self.picked) == 1 else tuple(self.picked)
        if len(sides) != 2 or sides[0] == sides[1]:
            sides = (number - 1, number)

        first, second = sorted(sides)
        self.ask(CompareScreen(self.deck, page, first, second), self._restore)

    def action_restore(self) -> None:
        """Drafts the restore of the revision under the cursor; nothing is written."""
        number = self._revision
        if self.front != "history" or number is None:
            self.say("tab goes to the history: r restores the revision under the cursor.")
            return
        self._restore(number)

    def _restore(self, number: int) -> None:
        page = self.page
        if page is None:
            return
        document, revision = page.document, page.history[number].revision
        name = revision[:8]
        self.draft_own(
            lambda engine: restore(engine, document.home, document.path, revision),
            f"restore {name}",
            f"The restore of {name} is drafted, nothing is written: ^s shows it.",
        )

    # The operator's own text.

    def action_rewrite(self) -> None:
        document = self.document
        if document is None or document.problem:
            self.say("There is nothing to write here.")
            return

        def read(engine: Engine) -> tuple[bytes | None]:
            # A document may be gone, and the screen would take a bare None for nothing found.
            return (engine.home_by_id(document.home).home.snapshot().document(document.path).data,)

        self.read(read, lambda found: self._rewrite(document, *found))

    def _rewrite(self, document: HomeDocument, live: bytes | None) -> None:
        before = (live or b"").decode("utf-8", errors="replace")
        after = self.edited(self.deck.edit, before, document.path)
        if after is None:
            return
        if after == before:
            self.say("You changed nothing: nothing is drafted.")
            return
        home, path = document.home, document.path
        self.draft_own(
            lambda engine: rewrite(engine, home, path, live, after, "in my own words"),
            "my own text",
            "Your text is drafted, nothing is written: ^s shows it.",
        )

    def action_sources(self) -> None:
        from reviewdeck_tui.screens.why import WhyScreen

        page, id = self.page, self.list_of("page").cursor_id
        at = id.rpartition("\n")[2]
        if self.front != "page" or page is None or not at.isdigit():
            self.say("enter goes to the document: W asks about the line under the cursor there.")
            return
        text = page.parts[int(at)].text
        if not text.strip():
            self.say("The line is empty.")
            return
        self.app.push_screen(WhyScreen(self.deck, text))

    def action_consolidate(self) -> None:
        from reviewdeck_tui.screens.consolidate import ConsolidateScreen

        document = self.document
        if document is None or not document.is_memory:
            self.say("Only entries of a memory can be merged: put the cursor on one.")
            return
        self.app.push_screen(ConsolidateScreen(self.deck, document.home))


def _size_words(document: HomeDocument) -> str:
    if document.limit is not None:
        return bar_words(document.size, document.limit)
    return count(document.size, "line")
