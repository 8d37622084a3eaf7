"""The base of the screens over the deck: a strip for messages, and drafts made by workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from reviewdeck.engine.drafts import draft_own
from reviewdeck.text.redact import Redaction
from reviewdeck_tui.proposal.redaction import RedactedCards
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.screens.base import Answer, EngineScreen, Movable
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList
from reviewdeck_tui.widgets.cards import Cards

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.engine.evaluation import Evaluation
    from reviewdeck_tui.screens.deck import DeckScreen


class SecondaryScreen(EngineScreen[Answer]):
    """A screen over the deck. It must yield a bar with the id `strip`."""

    def __init__(self, deck: DeckScreen) -> None:
        super().__init__(deck.open_engine)
        self.deck = deck

    @property
    def card_list(self) -> CardList:
        """The list, on a screen that has one."""
        return self.query_one(CardList)

    @property
    def in_front(self) -> Movable:
        """What the keys move in."""
        return self.card_list

    def show_bars(self) -> None:
        """Writes the lines around what is shown."""

    def redraw(self) -> None:
        self.show_bars()

    def cards(self, cards: Cards, redaction: Redaction) -> Cards:
        """The cards to show: with secrets covered, unless the operator shows them."""
        return cards if self.deck.shows_secrets else RedactedCards(cards, redaction)

    def action_secrets(self) -> None:
        self.deck.action_secrets()
        self.show_texts()
        self.say("Secrets are shown." if self.deck.shows_secrets else "Secrets are covered.")

    def show_texts(self) -> None:
        """Redraws whatever may hold secrets."""

    def draft(self, change: Callable[[], object], report: str) -> None:
        """Makes or drops drafts in a thread. Writes to no home."""

        def job() -> Backlog:
            change()
            return self.engine.refresh(force=True) or Backlog()

        self.work(job, lambda backlog: self.show_drafts(backlog, report))

    def draft_own(self, make: Callable[[Engine], Evaluation], reason: str, report: str) -> None:
        """Drafts a proposal of the operator's own, as it is made then. Writes to no home."""
        self.draft(
            lambda: self.engine.run(lambda engine: draft_own(engine, make(engine), reason)), report
        )

    def show_drafts(self, backlog: Backlog, report: str) -> None:
        """Shows that drafts were made or dropped, here and in the deck."""
        self.deck.call_later(self.deck.show_backlog, backlog)
        self.say(report, "draft")

    def next_home(self) -> bool:
        """Shows the next home, or all homes; False if there is only one."""
        if len(self.deck.backlog.homes) < 2:
            self.say("Only one home is open.")
            return False
        self.deck.action_home()
        return True

    def action_summary(self) -> None:
        self.say("Combining drafts…")
        self.deck.action_summary()


class CardScreen(SecondaryScreen[Answer]):
    """A screen over the deck that is one list of cards between its head and its keys."""

    AUTO_FOCUS = "#cards"
    DEFAULT_CSS = """
    CardScreen {
        #head, #keys { background: $panel; }
        #cards { height: 1fr; }
    }
    """
    MARGIN: ClassVar[int] = 0
    """Columns before a card's words."""

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield CardList(id="cards", margin=self.MARGIN)
        yield Bar(id="strip")
        yield Bar(id="keys")
