"""The six checks of one proposal, each with what its answer rests on."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from reviewdeck.model import CheckName, Judgement
from reviewdeck.presentation.checks import ticks
from reviewdeck_tui.keys import CHECKS, END, bindings, mapped
from reviewdeck_tui.proposal.checks import MARGIN, check_cards
from reviewdeck_tui.proposal.view import ProposalView
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.secondary import DeckBelow, SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

SHORT: Final = (("j k", "check"), *((str(name)[0], str(name)) for name in CheckName))


class ChecksScreen(SecondaryScreen[None]):
    """What each check answered, and why. Writes nothing."""

    AUTO_FOCUS = "#checks"
    KEYS = CHECKS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(CHECKS)]
    DEFAULT_CSS = """
    ChecksScreen {
        #head, #ticks, #keys { background: $panel; }
        #checks { height: 1fr; }
    }
    """

    def __init__(
        self, deck: DeckBelow, gist: str, view: ProposalView, judgement: Judgement
    ) -> None:
        super().__init__(deck)
        self._gist = gist
        self._view = view
        self._judgement = judgement

    def compose(self) -> ComposeResult:
        """Head, the answers in one line, the checks, strip, keys."""
        yield Bar(id="head")
        yield Bar(id="ticks")
        yield CardList(id="checks", margin=MARGIN)
        yield Bar(id="strip")
        yield Bar(id="keys")

    @property
    def checks(self) -> CardList:
        """One card for each check."""
        return self.query_one(CardList)

    def on_mount(self) -> None:
        """Everything is known already; the cursor stands on the first check that says no."""
        self.show_texts()
        first = next((one for one in self._judgement.checks if not one.ok), None)
        if first is not None:
            self.checks.move_to(str(first.name))
        self._show_bars()

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self._show_bars)

    def show_texts(self) -> None:
        """The cards, secrets in them covered unless they are shown."""
        self.checks.show(self.cards(check_cards(self._judgement), self._view.cover))

    def _show_bars(self) -> None:
        head = bars.styled(" The six checks  ", "strong") + bars.styled(self._gist, "text")
        self.bar("head").show(head.truncate(self.width, ellipsis=True))
        marks = self._judgement.marks
        self.bar("ticks").show(bars.styled(f" {ticks(marks) if marks else ''}", "quiet"))
        end = bars.key_words(mapped(END, CHECKS, self.keymap))
        self.bar("keys").show(bars.fitted_keys(mapped(SHORT, CHECKS, self.keymap), end, self.width))

    def action_move(self, step: int) -> None:
        """Another check."""
        self.checks.move(step)

    def action_page(self, pages: float) -> None:
        """A part of what is visible."""
        self.checks.move_page(pages)

    def action_check(self, name: str) -> None:
        """This check, by the letter that stands for it in the queue."""
        self.checks.move_to(name)

    def action_leave(self) -> None:
        """Back."""
        self.dismiss(None)
