"""Any revision of a document next to any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from reviewdeck.model import ABSENT, Revision
from reviewdeck.presentation.changes import author_words
from reviewdeck.presentation.words import age_of
from reviewdeck.text.lines import decoded
from reviewdeck_tui.documents.library import DocumentPage
from reviewdeck_tui.keys import COMPARE
from reviewdeck_tui.preferences import LAYOUTS
from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Section, Tone
from reviewdeck_tui.proposal.redaction import redacted
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.base import EngineScreen, after
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck_tui.screens.deck import DeckScreen

SHORT = (("./,", "change"), ("J K", "older, newer"), ("r", "restore the older"), ("s", "layout"))


class CompareScreen(SecondaryScreen[int | None]):
    """Two revisions next to each other. Ends with the number of the one to restore."""

    KEYS = COMPARE
    DEFAULT_CSS = "CompareScreen { #head, #keys, #title { background: $panel; } }"

    def __init__(self, deck: DeckScreen, page: DocumentPage, first: int, second: int) -> None:
        super().__init__(deck)
        self._page = page
        self._first = first
        """Number of the older one in the history; -1 for an empty text."""
        self._second = second
        self._document: DiffDocument | None = None

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield Bar(id="title")
        yield DiffView(id="diff")
        yield Bar(id="strip")
        yield Bar(id="keys")

    in_front = EngineScreen.in_front

    def on_mount(self) -> None:
        self.diff.layout_mode = self.deck.preferences.layout
        self.diff.wrap = self.deck.preferences.wrap
        self._read()

    def show_bars(self) -> None:
        """Writes the lines around the diff."""
        self.bar("head").show(bars.styled(f" {self._page.document.path}", "strong"))
        left, right = self._words(self._first), self._words(self._second)
        between = bars.styled(f" {left}", "removed") + bars.styled("   beside   ", "quiet")
        self.bar("title").show(between + bars.styled(right, "added"))
        self.show_keys(SHORT)

    def _words(self, number: int) -> str:
        if number < 0:
            return "nothing: it did not exist yet"
        entry = self._page.history[number]
        who = author_words(entry, self._page.authors, self._page.you)
        last = "live, " if number == len(self._page.history) - 1 else ""
        return f"{entry.revision[:8]}  {last}{age_of(entry.at, self.deck.now())} ago, {who}"

    def _read(self) -> None:
        page, first, second = self._page, self._first, self._second
        self.show_bars()
        self.read(
            lambda engine: compare(engine, page, first, second), self._show_diff, group="page"
        )

    def _show_diff(self, document: DiffDocument) -> None:
        self._document = document
        self.show_texts()

    def show_texts(self) -> None:
        """Shows the two texts."""
        if (document := self._document) is not None:
            self.diff.show(document if self.deck.shows_secrets else redacted(document))

    def action_step(self, step: int) -> None:
        last = len(self._page.history) - 1
        if self._first + step >= -1 and self._second + step <= last:
            self._first += step
            self._second += step
            self._read()

    def action_layout(self) -> None:
        self.diff.layout_mode = after(self.diff.layout_mode, LAYOUTS)

    def action_restore(self) -> None:
        """Restores the older one: the screen below drafts that."""
        if self._first < 0:
            self.say("There is no earlier revision to restore.")
        else:
            self.dismiss(self._first)


def compare(engine: Engine, page: DocumentPage, first: int, second: int) -> DiffDocument:
    """The diff of two revisions, from the bytes in the ledger."""
    sides = [page.history[number].revision if number >= 0 else ABSENT for number in (first, second)]
    texts = [_text(engine, revision) for revision in sides]
    id = "\n".join([page.document.id, *sides])
    if any(
        text is None and revision != ABSENT for text, revision in zip(texts, sides, strict=True)
    ):
        notice = Notice("One of these texts is older than what the ledger keeps.", Tone.OVER)
        return DiffDocument(id, page.document.path, (Section(page.document.path, (notice,)),))
    section = section_of(page.document.path, texts[0], texts[1], page.document.limit)
    return DiffDocument(id, page.document.path, (section,))


def _text(engine: Engine, revision: Revision) -> str | None:
    return None if revision == ABSENT else decoded(engine.ledger.content(revision))
