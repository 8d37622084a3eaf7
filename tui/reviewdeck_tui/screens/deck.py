"""The deck's screen: all its keys, the live refresh, the way to the summary and the help."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Final

from textual import events, on
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.message import Message
from textual.worker import get_current_worker

from reviewdeck_tui.actions import ACTIONS, SECRETS, bindings
from reviewdeck_tui.board import Lane, Stock, View, warm
from reviewdeck_tui.messages import Stocked, Summed
from reviewdeck_tui.painting import PaintedApp
from reviewdeck_tui.screens.clustering import Clustering
from reviewdeck_tui.screens.picking import Picking
from reviewdeck_tui.screens.resuming import Resuming
from reviewdeck_tui.screens.wide import Wide

POLL: Final = 1.0
"""Seconds between two looks at the stamp of each home."""


class DeckScreen(Resuming, Wide, Picking, Clustering, inherit_bindings=False):
    """What an operator lives in."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    OFFERED = ACTIONS

    def on_mount(self) -> None:
        """The first page is on the screen; now the ORM loads and the homes are taken in."""
        self.setup()
        super().on_mount()
        for problem in self.preferences.problems:
            self.say(problem, "flag")
        self._polling = False
        # Loading the engine keeps the interpreter busy: the first page is painted before that.
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        gc.freeze()
        self._is_started = True
        self.look_at(self.current)
        self.refresh_stock(force=True)
        self.set_interval(POLL, self.refresh_stock)

    def refresh_stock(self, *, force: bool = False) -> None:
        """Asks a worker whether anything moved. One at a time."""
        if self._polling:
            return
        self._polling = True

        def job() -> Message | None:
            try:
                stock = self.bench.refresh(force=force)
            finally:
                self._polling = False
            return Stocked(stock) if stock is not None else None

        self.work(job, group="poll")

    @on(Stocked)
    def _stocked(self, event: Stocked) -> None:
        before, item = self.stock, self.current
        self.stock = event.stock
        now = event.stock.shelf.by_id.get(item.id) if item is not None else None
        if item is not None and now is not None and item.digest != now.digest:
            self.guard.hold(item.id)
            self.say(
                "This proposal changed just now: look again, then move a key to go on.", "flag"
            )
        elif event.said:
            self.say(event.said, "draft")
        elif before.is_whole:
            self._say_news(before, event.stock)
        self.show_queue()
        if not event.said:
            self.look_again_below()
        if event.stock.is_whole and not before.is_whole:
            self.resume()
        if before.shelf is not event.stock.shelf:
            self._warm(event.stock)

    def _warm(self, stock: Stock) -> None:
        """Works out beforehand what sorting and filtering will need."""

        def run() -> None:
            worker = get_current_worker()
            warm(stock, lambda: worker.is_cancelled)
            # What is loaded by now stays: looking through it for garbage stops a key for 0.1 s.
            gc.freeze()

        self.run_worker(run, thread=True, group="warm", exclusive=True)

    def _say_news(self, before: Stock, now: Stock) -> None:
        if before.shelf is now.shelf:
            return
        new = now.shelf.columns.newer_than(before.shelf.columns)
        if new:
            self.say(f"{new} new arrived; your place is kept.", "heading")

    def offers(self) -> Iterator[SystemCommand]:
        """The actions, and what is rarely wanted."""
        yield from super().offers()
        yield SystemCommand(SECRETS, "secrets", self.action_secrets)

    def action_secrets(self) -> None:
        """Shows secrets, or covers them again: on every screen."""
        self.shows_secrets = not self.shows_secrets
        if self.look is not None:
            self.diff.show(self.shown_of(self.look))
            self.show_facts()
        self.say("Secrets are shown." if self.shows_secrets else "Secrets are covered.")

    def action_reload(self) -> None:
        """Looks at everything again."""
        self.refresh_stock(force=True)
        if isinstance(self.app, PaintedApp):
            self.app.repaint()
        self.say("Looked again.")

    def action_quit(self) -> None:
        """Back from the diff; else out, and says what is not written."""
        if self.in_diff:
            self.in_diff = False
        else:
            self.app.exit(len(self.stock.drafts) if self.stock.is_whole else 0)

    def view_of(self, lane: Lane) -> View:
        """The view as it is in a lane."""
        return replace(self.view, lane=lane)

    def action_lane_applied(self) -> None:
        """What the agent learnt: a screen of its own."""
        from reviewdeck_tui.screens.learnt import LearntScreen

        def ended(lane: Lane | None) -> None:
            if lane is not None and lane is not Lane.APPLIED:
                self.set_view(lane=lane)

        self.app.push_screen(LearntScreen(self), ended)

    def action_documents(self) -> None:
        """The documents of the homes."""
        from reviewdeck_tui.screens.documents import DocumentsScreen

        item, at = self.current, ""
        if item is not None and self.look is not None and self.look.document.sections:
            at = f"{item.home}\n{self.look.document.sections[0].title}"
        self.app.push_screen(DocumentsScreen(self, at))

    def action_insights(self) -> None:
        """Pictures of the queue over time; a proposal of theirs is opened here."""
        from reviewdeck_tui.screens.insights import InsightsScreen

        def ended(id: str | None) -> None:
            if id is not None:
                self.drop_filter()
                self.set_view(lane=Lane.ALL, home=None)
                self.queue.move_to(id, by_key=True)

        self.app.push_screen(InsightsScreen(self), ended)

    def action_help(self) -> None:
        """The keys."""
        from reviewdeck_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.preferences.keys))

    def action_summary(self) -> None:
        """What all drafts come to together."""
        if self.stock.is_whole and not self.stock.drafts:
            self.say("There are no drafts: a, r and d make them.")
            return
        self.say("Working the drafts out together ...")
        self.work(lambda: Summed(self.bench.summary()))

    @on(Summed)
    def _summed(self, event: Summed) -> None:
        from reviewdeck_tui.screens.summary import SummaryScreen

        def ended(operations: tuple[str, ...] | None) -> None:
            if screen.stock is not None:
                self._stocked(Stocked(screen.stock))
            if operations:
                self.wrote(operations)
                self.say("Written. z drafts the undo.", "ready")
            self.refresh_stock(force=True)

        screen = SummaryScreen(
            self.open_bench,
            event.shown,
            self.guard.coverage,
            self.stock.homes,
            secrets=self.shows_secrets,
        )
        self.app.push_screen(screen, ended)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()
