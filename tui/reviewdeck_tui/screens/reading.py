"""The documents of one proposal as the agents of its home read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from reviewdeck_tui.keys import READING
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.proposal.redaction import redacted
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.base import EngineScreen
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

SHORT = (("j k", "scroll"), ("space", "page"), ("w", "wrap"))


class ReadingScreen(SecondaryScreen[None]):
    """What the model is shown and given of each document. Writes nothing."""

    KEYS = READING
    DEFAULT_CSS = "ReadingScreen { #head, #keys { background: $panel; } }"

    def __init__(self, deck: DeckScreen, gist: str, document: DiffDocument) -> None:
        super().__init__(deck)
        self._gist = gist
        self._document = document

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield DiffView(id="diff")
        yield Bar(id="strip")
        yield Bar(id="keys")

    in_front = EngineScreen.in_front

    def on_mount(self) -> None:
        self.diff.wrap = self.deck.preferences.wrap
        self.show_texts()
        self.show_bars()

    def show_texts(self) -> None:
        """Shows the documents, with their secrets covered unless they are shown."""
        document = self._document
        self.diff.show(document if self.deck.shows_secrets else redacted(document))

    def show_bars(self) -> None:
        head = bars.styled(" As the model would get it with this change  ", "strong")
        head += bars.styled(self._gist, "text")
        self.bar("head").show(head.truncate(self.width, ellipsis=True))
        self.show_keys(SHORT)
