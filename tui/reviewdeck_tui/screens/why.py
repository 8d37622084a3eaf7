"""Which live lines a sentence of the agent may come from, who taught them, and taking one back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import on

from reviewdeck.engine.why import SourceLine, revert_line
from reviewdeck.presentation.words import count
from reviewdeck.text.redact import NOTHING, redact
from reviewdeck_tui.keys import END_OF_DRAFTS, SOURCES
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.dialogs import ReasonDialog, WordsDialog
from reviewdeck_tui.screens.secondary import CardScreen
from reviewdeck_tui.why.cards import MARGIN, SourcesView, read_sources, source_cards
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

QUESTION: Final = "Which sentence of the agent?"
SHORT: Final = (("r", "revert"), ("enter", "document"), ("/", "another sentence"))


class WhyScreen(CardScreen[None]):
    """The lines, the likeliest first. It drafts reverts, and writes nothing."""

    KEYS = SOURCES
    MARGIN = MARGIN

    def __init__(self, deck: DeckScreen, text: str) -> None:
        super().__init__(deck)
        self._text = text
        self.view: SourcesView | None = None

    def on_mount(self) -> None:
        """Looks for the sentence."""
        self.show_bars()
        self._read()

    @property
    def source(self) -> SourceLine | None:
        """The line under the cursor."""
        id = self.card_list.cursor_id
        sources = self.view.sources if self.view is not None else ()
        return next((source for source in sources if source.line.id == id), None)

    def show_bars(self) -> None:
        text = " ".join(self._text.split())
        text = text if self.deck.shows_secrets else redact(text)
        words = bars.styled(" Why? ", "strong") + bars.styled(f"“{text}”", "text")
        amount = None if self.view is None else count(len(self.view.sources), "live line")
        right = bars.styled(f"{amount or 'Looking…'} ", "quiet")
        self.bar("head").show(bars.spread(words, right, self.width))
        self.show_keys(SHORT, END_OF_DRAFTS)

    def _read(self) -> None:
        text = self._text
        self.read(lambda engine: read_sources(engine, text), self._show)

    def _show(self, view: SourcesView) -> None:
        self.view = view
        self.show_texts()
        self.show_bars()

    def show_texts(self) -> None:
        if self.view is not None:
            redaction = NOTHING if self.deck.shows_secrets else self.view.redaction
            cards = source_cards(self.view, redaction, self.deck.now())
            self.card_list.show(self.cards(cards, self.view.redaction))
            self.show_bars()

    @on(CardList.Selected)
    def action_open(self) -> None:
        """The document of the line, with its history."""
        from reviewdeck_tui.screens.documents import DocumentsScreen

        if (source := self.source) is not None:
            place = f"{source.line.home}\n{source.line.path}"
            self.app.push_screen(DocumentsScreen(self.deck, place))

    def action_ask(self) -> None:
        """Looks for another sentence."""

        def look_for(words: str) -> None:
            self._text, self.view = words, None
            self.show_bars()
            self._read()

        self.ask(WordsDialog(QUESTION, "search"), look_for)

    def action_revert(self) -> None:
        """Drafts that what taught the line is taken back; nothing is written."""
        source = self.source
        if source is None:
            self.say("There is nothing to revert here.")
            return

        def draft(reason: str) -> None:
            report = "The revert is drafted: ^s shows it. The same text is held from then on."
            self.draft_own(lambda engine: revert_line(engine, source.line, reason), reason, report)

        self.ask(ReasonDialog(verb="Revert"), draft)
