"""Any revision of a document beside any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from reviewdeck.model import ABSENT, Revision
from reviewdeck.presentation.changes import who_words
from reviewdeck.presentation.words import age_of
from reviewdeck_tui.documents.library import DocumentPage
from reviewdeck_tui.keys import COMPARE, END, bindings, mapped
from reviewdeck_tui.preferences import LAYOUTS
from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone
from reviewdeck_tui.proposal.redaction import covered
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.secondary import DeckBelow, SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView
from reviewdeck_tui.widgets.laid_out import SIDEWAYS

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

SHORT = (("./,", "change"), ("J K", "older, newer"), ("r", "restore the older"), ("s", "layout"))


class Compared(Message):
    """The two texts are there."""

    def __init__(self, document: DiffDocument) -> None:
        super().__init__()
        self.document = document


class CompareScreen(SecondaryScreen[int | None]):
    """Two revisions. Ends with the one that is to be restored."""

    KEYS = COMPARE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(COMPARE)]
    DEFAULT_CSS = "CompareScreen { #head, #keys, #title { background: $panel; } }"

    def __init__(self, deck: DeckBelow, page: DocumentPage, first: int, second: int) -> None:
        super().__init__(deck)
        self._page = page
        self._first = first
        """Number of the older one; -1 for nothing at all."""
        self._second = second
        self._document: DiffDocument | None = None

    def compose(self) -> ComposeResult:
        """Which two, the diff, keys."""
        yield Bar(id="head")
        yield Bar(id="title")
        yield DiffView(id="diff")
        yield Bar(id="strip")
        yield Bar(id="keys")

    @property
    def diff(self) -> DiffView:
        """The diff."""
        return self.query_one(DiffView)

    def on_mount(self) -> None:
        """Reads both texts."""
        self.diff.layout_mode = self.deck.preferences.layout
        self.diff.wrap = self.deck.preferences.wrap
        self._read()

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self.show_bars)

    def show_bars(self) -> None:
        """Writes the lines around the diff."""
        self.bar("head").show(bars.styled(f" {self._page.held.path}", "strong"))
        left, right = self._words(self._first), self._words(self._second)
        between = bars.styled(f" {left}", "removed") + bars.styled("   beside   ", "quiet")
        self.bar("title").show(between + bars.styled(right, "added"))
        end = bars.key_words(mapped(END, COMPARE, self.keymap))
        keys = mapped(SHORT, COMPARE, self.keymap)
        self.bar("keys").show(bars.fitted_keys(keys, end, self.width))

    def _words(self, number: int) -> str:
        if number < 0:
            return "nothing: it was not there yet"
        seen = self._page.history[number]
        who = who_words(seen, self._page.known, self._page.you)
        last = "live, " if number == len(self._page.history) - 1 else ""
        return f"{seen.revision[:8]}  {last}{age_of(seen.at, self.deck.now())} ago, {who}"

    def _read(self) -> None:
        page, first, second = self._page, self._first, self._second
        self.show_bars()

        def job() -> Message:
            return Compared(self.engine.with_deck(lambda deck: compared(deck, page, first, second)))

        self.work(job, group="page")

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self._document = event.document
        self.show_texts()

    def show_texts(self) -> None:
        """Shows the two texts."""
        if (document := self._document) is not None:
            self.diff.show(document if self.deck.shows_secrets else covered(document))

    def action_scroll(self, lines: int) -> None:
        """Scrolls."""
        self.diff.scroll_lines(lines)

    def action_page(self, pages: float) -> None:
        """Scrolls by a part of the screen."""
        self.diff.scroll_pages(pages)

    def action_hunk(self, step: int) -> None:
        """Another change."""
        self.diff.jump_hunk(step)

    def action_step(self, step: int) -> None:
        """Both sides one revision older or newer."""
        last = len(self._page.history) - 1
        if self._first + step >= -1 and self._second + step <= last:
            self._first += step
            self._second += step
            self._read()

    def action_layout(self) -> None:
        """Another layout."""
        now = LAYOUTS.index(self.diff.layout_mode)
        self.diff.layout_mode = LAYOUTS[(now + 1) % len(LAYOUTS)]

    def action_left(self) -> None:
        """Scrolls sideways, where lines do not wrap."""
        self.diff.scroll_columns(-SIDEWAYS)

    def action_right(self) -> None:
        """The same, to the right."""
        self.diff.scroll_columns(SIDEWAYS)

    def action_wrap(self) -> None:
        """Long lines wrap, or not."""
        self.diff.wrap = not self.diff.wrap

    def action_fold(self) -> None:
        """Opens or closes unchanged text."""
        self.diff.toggle_fold()

    def action_context(self, lines: int) -> None:
        """More or fewer unchanged lines."""
        self.diff.context = max(0, self.diff.context + lines)

    def action_restore(self) -> None:
        """The older one is drafted, by the screen below."""
        if self._first < 0:
            self.say("There was nothing before: there is no revision to restore.")
        else:
            self.dismiss(self._first)

    def action_leave(self) -> None:
        """Back to the documents."""
        self.dismiss(None)


def compared(deck: Deck, page: DocumentPage, first: int, second: int) -> DiffDocument:
    """Two revisions as a diff, from the bytes in the ledger."""
    sides = [page.history[number].revision if number >= 0 else ABSENT for number in (first, second)]
    texts = [_text(deck, one) for one in sides]
    id = "\n".join([page.held.id, *sides])
    if any(text is None and one != ABSENT for text, one in zip(texts, sides, strict=True)):
        said = Notice("One of these texts is older than what the ledger keeps.", Tone.OVER)
        return DiffDocument(id, page.held.path, (Section(page.held.path, (said,)),))
    section = section_of(page.held.path, texts[0], texts[1], page.held.limit)
    return DiffDocument(id, page.held.path, (section,))


def _text(deck: Deck, revision: Revision) -> str | None:
    data = None if revision == ABSENT else deck.ledger.content(revision)
    return None if data is None else data.decode("utf-8", errors="replace")
