"""The documents of one proposal as the agents of its home read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from reviewdeck_tui.keys import END, READING, bindings
from reviewdeck_tui.proposal.diff_document import DiffDocument
from reviewdeck_tui.proposal.redaction import redacted
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

SHORT = (("j k", "scroll"), ("space", "page"), ("w", "wrap"))


class ReadingScreen(SecondaryScreen[None]):
    """What the model is shown and given of each document. Writes nothing."""

    KEYS = READING
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(READING)]
    DEFAULT_CSS = "ReadingScreen { #head, #keys { background: $panel; } }"

    def __init__(self, deck: DeckScreen, gist: str, document: DiffDocument) -> None:
        super().__init__(deck)
        self._gist = gist
        self._document = document

    def compose(self) -> ComposeResult:
        """Head, the documents, strip, keys."""
        yield Bar(id="head")
        yield DiffView(id="diff")
        yield Bar(id="strip")
        yield Bar(id="keys")

    @property
    def text(self) -> DiffView:
        """What is read."""
        return self.query_one(DiffView)

    def on_mount(self) -> None:
        """Shows the documents."""
        self.text.wrap = self.deck.preferences.wrap
        self.show_texts()
        self.show_bars()

    def show_texts(self) -> None:
        """Shows the documents, with their secrets covered unless they are shown."""
        document = self._document
        self.text.show(document if self.deck.shows_secrets else redacted(document))

    def show_bars(self) -> None:
        head = bars.styled(" As the model would get it with this change  ", "strong")
        head += bars.styled(self._gist, "text")
        self.bar("head").show(head.truncate(self.width, ellipsis=True))
        end = bars.key_words(self.keys_here(END))
        self.bar("keys").show(bars.fitted_keys(self.keys_here(SHORT), end, self.width))

    def action_scroll(self, lines: int) -> None:
        """Scrolls."""
        self.text.scroll_lines(lines)

    def action_page(self, pages: float) -> None:
        """Scrolls by a part of a page."""
        self.text.scroll_pages(pages)

    def action_wrap(self) -> None:
        """Wraps long lines, or not."""
        self.text.wrap = not self.text.wrap

    def action_sideways(self, step: int) -> None:
        """Scrolls sideways, where lines do not wrap."""
        self.text.scroll_columns(step * self.text.sideways)

    def action_leave(self) -> None:
        """Back."""
        self.dismiss(None)
