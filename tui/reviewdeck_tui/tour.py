"""`reviewdeck demo`: the deck on a temporary sample home, with a bar that guides."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.screen import Screen

from reviewdeck.bootstrap import open_engine
from reviewdeck.clock import utc_now
from reviewdeck.demo import write_demo
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.environment import present_operator
from reviewdeck.errors import ReviewdeckError
from reviewdeck.ledger.place import ledger_in
from reviewdeck.model import Kind, QueueItem, State
from reviewdeck.ports import Clock
from reviewdeck.terminal import ensure_size, exit_on_hangup, exits_on_signals
from reviewdeck_tui.app import DeckApp, open_app
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.preferences import load_preferences, preferences_path
from reviewdeck_tui.queue.view import WAITING, Backlog
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.deck import DeckScreen
from reviewdeck_tui.screens.dialogs import ReasonDialog
from reviewdeck_tui.screens.merge import MergeScreen
from reviewdeck_tui.screens.summary import SummaryScreen
from reviewdeck_tui.tour_steps import TourPlace, TourPosition, TourStep, steps_done, tour_line
from reviewdeck_tui.widgets.bar import Bar

SAMPLE: Final = "sample"
"""The name of the home in the head."""
RESET: Final = -1
"""The result of a tour that is to begin again."""
PULSE: Final = 0.2
"""Seconds between two checks of the operator's progress."""


class TourBar(Bar):
    """The bar with the next step, above everything else."""

    DEFAULT_CSS = "TourBar { dock: top; background: $deck-cursor-line; }"


class TourEngine(EngineWorker):
    """The engine, whose home is named as made up."""

    def _read_backlog(self, engine: Engine) -> Backlog:
        self._last = _with_home_name(super()._read_backlog(engine))
        return self._last


def _with_home_name(backlog: Backlog) -> Backlog:
    """The same backlog, with the home named as made up."""
    return replace(backlog, homes=dict.fromkeys(backlog.homes, SAMPLE))


class TourApp(DeckApp):
    """The deck, with the tour's bar on every screen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "reset", "restart the tour", show=False)]
    done: frozenset[TourStep] = frozenset()
    _is_cursor_placed = False
    _read_stocks: tuple[Backlog, Backlog | None] | None = None
    """The backlog for which the facts were read."""

    def on_mount(self) -> None:
        """Adds the bar to the first screen and to all later ones."""
        self.screen_change_signal.subscribe(self, self._add_bar_later)
        self.call_after_refresh(lambda: self._add_bar_later(self.screen))
        self.set_interval(PULSE, self.update_progress)

    def end_by_signal(self, number: int) -> None:
        """Leaves because of this signal; the result tells it from a crash."""
        self.exit(128 + number)

    def get_default_screen(self) -> Screen[None]:
        self._first = _with_home_name(self._first)
        return super().get_default_screen()

    def make_engine(self, settings: Settings, now: Clock) -> EngineWorker:
        """Makes the engine over the sample home."""
        return TourEngine(settings, now)

    def action_reset(self) -> None:
        self.exit(RESET)

    def _place_cursor(self) -> None:
        """Puts the cursor on a rewrite from an old snapshot, the case that the deck is for."""
        deck = self.deck
        if self._is_cursor_placed or deck is None or not deck.backlog.is_complete:
            return
        if not any(bar.size for bar in deck.query(TourBar)):
            return  # The queue is as high as it will be once the bar below it has its lines.
        self._is_cursor_placed = True
        stale = (id for id, item in deck.items.items() if _is_stale_rewrite(item))
        if (id := next(stale, None)) is not None:
            deck.call_after_refresh(deck.queue.move_to, id, by_key=True)

    def _add_bar_later(self, screen: Screen[Any]) -> None:
        if not isinstance(screen, CommandPalette):
            screen.call_later(self._add_bar, screen)

    def _add_bar(self, screen: Screen[Any]) -> None:
        if screen.is_attached and not screen.query(TourBar):
            screen.mount(TourBar())
        self.update_progress()

    def update_progress(self) -> None:
        """Updates the progress and the bar, unless the screens are just opening or closing."""
        if not (self.is_running and self.screen.is_mounted):
            return
        self._place_cursor()
        position = self.position()
        if position.place is TourPlace.LEARNT:
            self.done |= {TourStep.SKIM}
        self._read_facts_if_changed()
        keys, width = self.preferences.keys, self.size.width
        for bar in self.screen.query(TourBar):
            bar.show(tour_line(self.done, position, keys, width))

    @property
    def deck(self) -> DeckScreen | None:
        """The deck's own screen, also while another one is in front."""
        bottom = self.screen_stack[0] if self.screen_stack else None
        return bottom if isinstance(bottom, DeckScreen) else None

    def position(self) -> TourPosition:
        match self.screen:
            case DeckScreen() as deck:
                return _queue_position(deck)
            case ChangesScreen():
                return TourPosition(TourPlace.LEARNT)
            case ReasonDialog():
                return TourPosition(TourPlace.REASON)
            case MergeScreen() as merge:
                drafts = len(self.deck.backlog.drafts) if self.deck else 0
                open_places = len(merge.session.merging.open)
                live = "it keeps the live text" if merge.checked.keeps_live else ""
                against = merge.against or merge.checked.against or live
                return TourPosition(
                    TourPlace.MERGE,
                    open_places=open_places,
                    has_both=merge.session.can("pick_words"),
                    against=against,
                    drafts=drafts,
                )
            case SummaryScreen() as summary:
                return TourPosition(
                    TourPlace.SUMMARY if summary.backlog is None else TourPlace.WRITTEN
                )
            case _:
                return TourPosition(TourPlace.ELSEWHERE)

    def _read_facts_if_changed(self) -> None:
        deck, front = self.deck, self.screen
        if deck is None or not deck.backlog.is_complete:
            return
        written = front.backlog if isinstance(front, SummaryScreen) else None
        stocks = (deck.backlog, written)
        if self._read_stocks is None or any(
            a is not b for a, b in zip(stocks, self._read_stocks, strict=True)
        ):
            self._read_stocks = stocks
            self.run_worker(self._read_facts, thread=True, group="tour")

    def _read_facts(self) -> None:
        with suppress(ReviewdeckError):  # The deck itself reports the error.
            steps = self.open_engine().run(_facts)
            self.call_from_thread(self._add_steps, steps)

    def _add_steps(self, steps: frozenset[TourStep]) -> None:
        self.done |= steps
        self.update_progress()


def _facts(engine: Engine) -> frozenset[TourStep]:
    return steps_done(engine.drafts, engine.operations(), engine.log())


def _queue_position(deck: DeckScreen) -> TourPosition:
    item, drafts = deck.current, deck.backlog.drafts
    is_undecided = item is not None and item.id not in drafts and item.state in WAITING
    items = deck.backlog.store
    undos = (
        draft_item
        for id in drafts
        if (draft_item := items.get(id)) is not None and draft_item.action == "undo"
    )
    return TourPosition(
        TourPlace.QUEUE,
        on_conflict=is_undecided and item is not None and _is_text_conflict(item),
        on_undecided=is_undecided,
        only_conflicts=deck.view.conflicts_only,
        in_diff=deck.in_diff,
        drafts=len(drafts),
        has_undo=next(undos, None) is not None,
    )


def _is_text_conflict(item: QueueItem) -> bool:
    """Whether two texts conflict: a removal is a poor first merge."""
    return item.state is State.CONFLICT and item.action in ("replace", "patch", "edit")


def _is_stale_rewrite(item: QueueItem) -> bool:
    return _is_text_conflict(item) and item.kind is Kind.MEMORY


def settings_in(folder: Path) -> Settings:
    """Settings for the sample home: nothing of the operator's is read or stored."""
    return Settings(
        homes=(folder / "home",),
        ledger=ledger_in(folder),
        user_home=folder,
        actor=present_operator(),
    )


def prepare(folder: Path) -> Settings:
    """Writes the sample home, and applies what is plainly safe. Raises OSError."""

    settings = settings_in(folder)
    write_demo(folder / "home", utc_now())
    deck = open_engine(settings)
    try:
        deck.auto()
    finally:
        deck.close()
    return settings


def run_tour() -> int:
    """Runs tours until the operator quits; returns the exit code."""
    exit_on_hangup(sys.__stdin__)
    ensure_size(sys.__stdout__)
    with exits_on_signals():  # The home must not be left behind.
        while (result := _tour()) == RESET:
            pass
    if result is not None and result > 128:
        return result  # A signal ended it, and there may be no terminal to print to.
    print("Tour finished; the sample home was deleted.")
    print("`reviewdeck` opens your own Hermes home, `reviewdeck --home PATH` any other.")
    return 0 if result is not None else 1


def _tour() -> int | None:
    """Runs one tour on its own home; RESET to begin again, None after a crash."""
    print("Preparing a sample home…")
    with TemporaryDirectory(prefix="reviewdeck-tour-", ignore_cleanup_errors=True) as folder:
        settings = prepare(Path(folder))
        app = open_app(settings, load_preferences(preferences_path()), kind=TourApp)
        try:
            with exits_on_signals():
                return app.run()
        finally:
            app.close_engine(is_exit=True)
