"""What the screens over the deck share: a strip that speaks, drafts made by workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from textual import events, on
from textual.app import SystemCommand
from textual.message import Message

from reviewdeck.policy.redact import Redaction
from reviewdeck.ports import Clock
from reviewdeck_tui.keys import SECRETS
from reviewdeck_tui.messages import Refused, Stocked
from reviewdeck_tui.preferences import Preferences
from reviewdeck_tui.proposal.redaction import CoveredCards, complaint
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import QueueView, Stock
from reviewdeck_tui.screens.base import SAID_FOR, Answer, EngineScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.cards import Cards

if TYPE_CHECKING:
    from reviewdeck_tui.engine import Engine


class DeckBelow(Protocol):
    """The deck, as far as a screen over it needs it."""

    @property
    def open_bench(self) -> Callable[[], Engine]:
        """Opens the engine."""
        ...

    @property
    def stock(self) -> Stock:
        """The queue with its drafts, as it was read last."""
        ...

    @property
    def view(self) -> QueueView:
        """What of it the operator wants to see."""
        ...

    @property
    def preferences(self) -> Preferences:
        """What the operator set."""
        ...

    @property
    def shows_secrets(self) -> bool:
        """Whether secrets are shown."""
        ...

    @property
    def edit(self) -> Callable[[str, str], str | None]:
        """Lets the operator edit a text; None when there is no editor."""
        ...

    @property
    def now(self) -> Clock:
        """The time of day."""
        ...

    def post_message(self, message: Message) -> bool:
        """Tells the deck something."""
        ...

    def action_home(self) -> None:
        """The next home, or all of them."""
        ...

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again."""
        ...

    def action_summary(self) -> None:
        """What all drafts come to together."""
        ...


class Drafted(Message):
    """Drafts were made or dropped."""

    def __init__(self, stock: Stock, said: str) -> None:
        super().__init__()
        self.stock = stock
        self.said = said


class SecondaryScreen(EngineScreen[Answer]):
    """A screen over the deck. It has a bar `strip`."""

    def __init__(self, deck: DeckBelow) -> None:
        super().__init__(deck.open_bench)
        self.deck = deck
        self._said = 0

    @property
    def width(self) -> int:
        """The columns that there are."""
        return self.size.width or self.app.size.width

    def bar(self, id: str) -> Bar:
        """One of the lines."""
        return self.query_one(f"#{id}", Bar)

    def say(self, text: str, meaning: str = "text") -> None:
        """One line for the operator; it makes room again by itself."""
        self._said += 1
        mine = self._said
        self.bar("strip").show(bars.styled(f" {text}", meaning))
        self.set_timer(SAID_FOR, lambda: self.hush() if mine == self._said else None)

    def hush(self) -> None:
        """The strip is empty again."""
        self.bar("strip").show(bars.styled("", ""))

    def cards(self, cards: Cards, cover: Redaction) -> Cards:
        """Cards as they are to be shown: their secrets covered, until the operator asks."""
        return cards if self.deck.shows_secrets else CoveredCards(cards, cover)

    def offers(self) -> Iterator[SystemCommand]:
        """What is rarely wanted."""
        yield from super().offers()
        yield SystemCommand(SECRETS, "secrets", self.action_secrets)

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again: here and in the deck."""
        self.deck.action_secrets()
        self.show_texts()
        self.say("Secrets are shown." if self.deck.shows_secrets else "Secrets are covered.")

    def show_texts(self) -> None:
        """Shows again what may hold secrets."""

    def draft(self, change: Callable[[], object], said: str) -> None:
        """Makes or drops drafts in a thread. Writes nothing to a home."""

        def job() -> Message:
            change()
            return Drafted(self.engine.refresh(force=True) or Stock(), said)

        self.work(job)

    @on(Drafted)
    def _drafted(self, event: Drafted) -> None:
        self.deck.post_message(Stocked(event.stock))
        self.say(event.said, "draft")

    def next_home(self) -> bool:
        """The next home, or all of them; False where there is one."""
        if len(self.deck.stock.homes) < 2:
            self.say("There is one home here.")
            return False
        self.deck.action_home()
        return True

    def action_summary(self) -> None:
        """What all drafts come to together."""
        self.say("Working the drafts out together ...")
        self.deck.action_summary()

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        event.stop()
        self.say(complaint(event.error), "dangerous")

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()
