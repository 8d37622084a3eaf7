"""The six checks of one proposal, each with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult

from reviewdeck.model import CheckName, Judgement
from reviewdeck.presentation.checks import ticks
from reviewdeck_tui.keys import CHECKS
from reviewdeck_tui.proposal.checks import MARGIN, check_cards
from reviewdeck_tui.proposal.view import ProposalView
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.secondary import SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

SHORT: Final = (("j k", "check"), *((str(name)[0], str(name)) for name in CheckName))


class ChecksScreen(SecondaryScreen[None]):
    """The answer of each check, and the evidence for it. Writes nothing."""

    AUTO_FOCUS = "#checks"
    KEYS = CHECKS
    DEFAULT_CSS = """
    ChecksScreen {
        #head, #ticks, #keys { background: $panel; }
        #checks { height: 1fr; }
    }
    """

    def __init__(
        self, deck: DeckScreen, gist: str, view: ProposalView, judgement: Judgement
    ) -> None:
        super().__init__(deck)
        self._gist = gist
        self._view = view
        self._judgement = judgement

    def compose(self) -> ComposeResult:
        yield Bar(id="head")
        yield Bar(id="ticks")
        yield CardList(id="checks", margin=MARGIN)
        yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Shows the checks; the cursor starts on the first one that failed."""
        self.show_texts()
        failed = next((check for check in self._judgement.checks if not check.ok), None)
        if failed is not None:
            self.card_list.move_to(str(failed.name))
        self.show_bars()

    def show_texts(self) -> None:
        """Shows the cards, with their secrets covered unless they are shown."""
        self.card_list.show(self.cards(check_cards(self._judgement), self._view.redaction))

    def show_bars(self) -> None:
        head = bars.styled(" The six checks  ", "strong") + bars.styled(self._gist, "text")
        self.bar("head").show(head.truncate(self.width, ellipsis=True))
        marks = self._judgement.marks
        self.bar("ticks").show(bars.styled(f" {ticks(marks) if marks else ''}", "quiet"))
        self.show_keys(SHORT)

    def action_check(self, name: str) -> None:
        """The check of this letter, the one that the queue shows for it."""
        self.card_list.move_to(name)
