"""`reviewdeck demo`: the deck on a made-up home that is gone afterwards, with a bar that leads."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.screen import Screen

from reviewdeck.clock import utc_now
from reviewdeck.demo import write_demo
from reviewdeck.engine.options import Settings
from reviewdeck.environment import present_operator
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import Kind, QueueItem, State
from reviewdeck.ports import Clock
from reviewdeck.terminal import end_with, give_size
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.engine import Engine
from reviewdeck_tui.preferences import load_preferences, preferences_path
from reviewdeck_tui.queue.view import WAITING, Stock
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.dialogs import ReasonDialog
from reviewdeck_tui.screens.merge import MergeScreen
from reviewdeck_tui.screens.summary import SummaryScreen
from reviewdeck_tui.tour_steps import Here, TourPlace, TourStep, done_by, tour_line
from reviewdeck_tui.widgets.bar import Bar

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

MADE_UP: Final = "made-up"
"""What the head calls the home."""
RESET: Final = -1
"""What a tour ends with that is to begin anew."""
PULSE: Final = 0.2
"""Seconds between two looks at where the operator is."""


class TourBar(Bar):
    """What to do next, above everything else."""

    DEFAULT_CSS = "TourBar { dock: top; background: $deck-cursor-line; }"


class TourEngine(Engine):
    """The engine, over a home that says that it is none of the operator's."""

    def _stock(self, deck: Deck) -> Stock:
        self._last = _named(super()._stock(deck))
        return self._last


def _named(stock: Stock) -> Stock:
    """The same queue; its head says what the home is."""
    return replace(stock, homes=dict.fromkeys(stock.homes, MADE_UP))


class TourApp(DeckApp):
    """The deck, with the bar of the tour on every screen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "reset", "the tour anew", show=False)]
    done: frozenset[TourStep] = frozenset()
    _has_begun = False
    _known: tuple[Stock, Stock | None] | None = None
    """The queue for which the facts were read."""

    def on_mount(self) -> None:
        """The bar is on the first screen, and on all that come."""
        self.screen_change_signal.subscribe(self, self._entered)
        self.call_after_refresh(lambda: self._entered(self.screen))
        self.set_interval(PULSE, self.lead)

    def get_default_screen(self) -> Screen[None]:
        """The deck."""
        self._first = _named(self._first)
        return super().get_default_screen()

    def make_bench(self, settings: Settings, now: Clock) -> Engine:
        """The engine over the made-up home."""
        return TourEngine(settings, now)

    def action_reset(self) -> None:
        """The tour from its beginning, on a home that is made anew."""
        self.exit(RESET)

    def _begin(self) -> None:
        """The cursor begins on a rewrite from an old snapshot: what the deck is for."""
        deck = self.deck
        if self._has_begun or deck is None or not deck.stock.is_whole:
            return
        self._has_begun = True
        stale = (id for id, item in deck.items.items() if _is_stale_rewrite(item))
        if (id := next(stale, None)) is not None:
            deck.queue.move_to(id, by_key=True)

    def _entered(self, screen: Screen[Any]) -> None:
        if not isinstance(screen, CommandPalette):
            screen.call_later(self._lead_on, screen)

    def _lead_on(self, screen: Screen[Any]) -> None:
        if screen.is_attached and not screen.query(TourBar):
            screen.mount(TourBar())
        self.lead()

    def lead(self) -> None:
        """Looks at what came of it all, and says what is next."""
        self._begin()
        here = self.here()
        if here.place is TourPlace.LEARNT:
            self.done |= {TourStep.SKIM}
        self._read_when_moved()
        keys, width = self.preferences.keys, self.size.width
        for bar in self.screen.query(TourBar):
            bar.show(tour_line(self.done, here, keys, width))

    @property
    def deck(self) -> DeckScreen | None:
        """The deck's own screen, whatever is in front of it."""
        found = self.screen_stack[0] if self.screen_stack else None
        return found if isinstance(found, DeckScreen) else None

    def here(self) -> Here:
        """Where the operator stands."""
        match self.screen:
            case DeckScreen() as deck:
                return _on_queue(deck)
            case ChangesScreen():
                return Here(TourPlace.LEARNT)
            case ReasonDialog():
                return Here(TourPlace.REASON)
            case MergeScreen() as merge:
                drafts = len(self.deck.stock.drafts) if self.deck else 0
                open_places = len(merge.session.merging.open)
                live = "what is live stays" if merge.checked.keeps_live else ""
                against = merge.against or merge.checked.against or live
                return Here(
                    TourPlace.MERGE, open_places=open_places, against=against, drafts=drafts
                )
            case SummaryScreen() as summary:
                return Here(TourPlace.SUMMARY if summary.stock is None else TourPlace.WRITTEN)
            case _:
                return Here(TourPlace.ELSEWHERE)

    def _read_when_moved(self) -> None:
        deck, front = self.deck, self.screen
        if deck is None or not deck.stock.is_whole:
            return
        written = front.stock if isinstance(front, SummaryScreen) else None
        now = (deck.stock, written)
        if self._known is None or any(a is not b for a, b in zip(now, self._known, strict=True)):
            self._known = now
            self.run_worker(self._read_facts, thread=True, group="tour")

    def _read_facts(self) -> None:
        with suppress(ReviewdeckError):  # The deck itself says what is wrong.
            found = self.open_bench().with_deck(_facts)
            self.call_from_thread(self._learn, found)

    def _learn(self, found: frozenset[TourStep]) -> None:
        self.done |= found
        self.lead()


def _facts(deck: Deck) -> frozenset[TourStep]:
    return done_by(deck.ledger.drafts(), deck.operations(), deck.log())


def _on_queue(deck: DeckScreen) -> Here:
    item, drafts = deck.current, deck.stock.drafts
    waits = item is not None and item.id not in drafts and item.state in WAITING
    shelf = deck.stock.shelf.by_id
    undos = (one for id in drafts if (one := shelf.get(id)) is not None and one.action == "undo")
    return Here(
        TourPlace.QUEUE,
        on_conflict=waits and item is not None and _is_of_texts(item),
        on_undecided=waits,
        only_conflicts=deck.view.conflicts_only,
        in_diff=deck.in_diff,
        drafts=len(drafts),
        has_undo=next(undos, None) is not None,
    )


def _is_of_texts(item: QueueItem) -> bool:
    """Whether two texts clash: what is removed as a whole is a poor first merge."""
    return item.state is State.CONFLICT and item.action in ("replace", "patch", "edit")


def _is_stale_rewrite(item: QueueItem) -> bool:
    return _is_of_texts(item) and item.kind is Kind.MEMORY


def settings_in(place: Path) -> Settings:
    """A deck of its own on the made-up home: nothing of the operator's is read or kept."""
    return Settings(
        homes=(place / "home",),
        ledger=str(place / "ledger.db"),
        user_home=place,
        actor=present_operator(),
        working=str(place / "working.db"),
    )


def prepare(place: Path) -> Settings:
    """Writes the made-up home, and lets in by itself what is plainly safe. Raises OSError."""
    from reviewdeck.bootstrap import compose_deck

    settings = settings_in(place)
    write_demo(place / "home", utc_now())
    deck = compose_deck(settings)
    try:
        deck.auto()
    finally:
        deck.close()
    return settings


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def run_tour() -> int:
    """The tour, from its home to the end of it; the exit code."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _leave)  # Else a closed window would leave the home behind.
    end_with(sys.__stdin__)
    give_size(sys.__stdout__)
    while (ended := _tour()) == RESET:
        pass
    print("The tour is over, and its home is gone.")
    print("`reviewdeck` opens your own Hermes home, `reviewdeck --home PATH` any other.")
    return 0 if ended is not None else 1


def _tour() -> int | None:
    """One tour on a home of its own; RESET when it is to begin anew, None after a crash."""
    print("A made-up home is being written for the tour ...")
    with TemporaryDirectory(prefix="reviewdeck-tour-", ignore_cleanup_errors=True) as place:
        settings = prepare(Path(place))
        app = open_app(settings, load_preferences(preferences_path()), kind=TourApp)
        try:
            return app.run()
        finally:
            app.close_engine(left=True)
