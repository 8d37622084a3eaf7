"""What happened in a period, row for row what `reviewdeck report` writes into a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual import on

from reviewdeck.presentation.report import Report, report_of
from reviewdeck.presentation.report_rows import ReportRow
from reviewdeck_tui.keys import MORNING
from reviewdeck_tui.morning.cards import ReportCards, ShownPeriod, report_cards
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.base import after
from reviewdeck_tui.screens.secondary import CardScreen
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck_tui.screens.deck import DeckScreen

SHORT: Final = (("J K", "part"), ("enter", "proposal"), ("y", "copy command"), ("s", "period"))


class MorningScreen(CardScreen[str | None]):
    """The report as cards. Ends with the id of a proposal to look at. Writes nothing."""

    KEYS = MORNING

    def __init__(self, deck: DeckScreen) -> None:
        super().__init__(deck)
        self.span = ShownPeriod.DAY
        self.report: Report | None = None
        self.listing = ReportCards((), {})

    def on_mount(self) -> None:
        self.show_bars()
        self._read()

    @property
    def row(self) -> ReportRow | None:
        """The row under the cursor."""
        return self.listing.rows.get(self.card_list.cursor_id)

    @property
    def command(self) -> str:
        """The command that writes the same report."""
        return self.engine.command("report", "--since", self.span.option)

    def show_bars(self) -> None:
        title = bars.styled(" WHAT HAPPENED  ", "heading") + bars.styled(self.span, "strong")
        title += bars.styled("  Loading…" if self.report is None else "", "quiet")
        self.bar("head").show(title)
        self.show_keys(SHORT)

    def _read(self, words: str = "") -> None:
        span, home, now = self.span, self.deck.view.home, self.deck.now()

        def read(engine: Engine) -> Report:
            homes = engine.open_homes if home is None else (engine.home_by_id(home),)
            chosen = replace(engine, open_homes=homes)
            return report_of(chosen, now - span.length, now)

        def show(report: Report) -> None:
            self.report, self.listing = report, report_cards(report, now, self.command)
            self.card_list.show(self.listing.cards)
            self.show_bars()
            if words:
                self.say(words)

        self.read(read, show)

    def action_part(self, step: int) -> None:
        rows = self.listing.rows
        self.card_list.move_where(step, lambda card: card.id in rows and rows[card.id] is None)

    def action_span(self) -> None:
        self.span = after(self.span, ShownPeriod)
        self._read(f"Showing the {self.span}.")

    def action_home(self) -> None:
        if self.next_home():
            self._read()

    def action_reload(self) -> None:
        self._read("Reloaded.")

    @on(CardList.Selected)
    def action_open(self) -> None:
        """The proposal of the row, in the queue."""
        if self.row is None or not self.row.proposal:
            self.say("No proposal is behind this.")
        else:
            self.dismiss(self.row.proposal)

    def action_copy(self) -> None:
        if self.row is None:
            self.copy(self.command, "Copied: it writes this report as a page.", self.say)
        else:
            command = self.engine.command(*self.row.command)
            self.copy(command, f"Copied: it {self.row.does}.", self.say)

    def action_secrets(self) -> None:
        self.say("A report covers secrets always: enter shows the proposal.")
