"""The proposals held back only by their origin, read in a row and drafted with one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reviewdeck.model import QueueItem
from reviewdeck.presentation.words import count
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.keys import SKIM
from reviewdeck_tui.proposal.skim import HeldByOrigin, redaction_of, skim_cards
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.base import Room
from reviewdeck_tui.screens.secondary import CardScreen

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

MARGIN: Final = 11
SHORT: Final = (
    ("a", "draft what was shown"),
    ("space", "page down"),
    ("x", "leave out"),
    ("e", "your own sentence"),
    ("enter", "read one"),
)


@dataclass(frozen=True, slots=True)
class Skimmed:
    """The result of the screen."""

    items: tuple[QueueItem, ...] = ()
    """The proposals to approve: shown whole, and not left out."""
    opened: str = ""
    """The proposal to open in the deck."""
    is_to_write: bool = False
    """Whether the opened one is to get the operator's own text."""


class SkimScreen(CardScreen[Skimmed]):
    """Each proposal whole, with its origin. Drafts what was shown whole; writes nothing."""

    KEYS = SKIM
    MARGIN = MARGIN

    def __init__(self, deck: DeckScreen, proposals: Sequence[HeldByOrigin], guard: Guard) -> None:
        super().__init__(deck)
        self._proposals = {proposal.item.id: proposal for proposal in proposals}
        self._guard = guard
        self._left_out: set[str] = set()
        self._lines_shown: dict[str, set[int]] = {}
        self._redaction = redaction_of(proposals)

    def on_mount(self) -> None:
        """Shows the entries; from now on, what scrolls into view counts as shown."""
        self.show_texts()
        self.watch(self.card_list, "scroll_y", self._note_later, init=False)

    def on_screen_resume(self) -> None:
        """Notes what a dialog covered."""
        self._note_later()

    @property
    def room(self) -> Room:
        return *super().room, self.card_list.size

    def redraw(self) -> None:
        """Forgets the lines shown so far, which were made for another width."""
        super().redraw()
        self._lines_shown.clear()
        self._note_later()

    def show_texts(self) -> None:
        """Redraws the entries, with their secrets covered unless they are shown."""
        cards = skim_cards(tuple(self._proposals.values()), self._left_out, self.deck.now())
        self.card_list.show(self.cards(cards, self._redaction))
        self._note_later()

    def _note_later(self) -> None:
        self.call_after_refresh(self._note_shown)

    def _note_shown(self) -> None:
        """Notes the entries whose every line was on the screen as painted."""
        for id, lines, height in self.card_list.visible_cards:
            shown_lines = self._lines_shown.setdefault(id, set())
            shown_lines.update(lines)
            if len(shown_lines) >= height:
                self._guard.note_painted(id, self._proposals[id].item.digest, 1.0)
        head = bars.styled(" Waiting only for its origin  ", "strong")
        head += bars.styled(count(len(self._proposals), "addition"), "text")
        unread = len(self._proposals) - len(self._left_out) - len(self.to_approve)
        rest = f", {unread} not shown yet " if unread else " "
        amounts = count(len(self.to_approve), "approval"), str(len(self.to_approve))
        note, short = (bars.styled(f"a drafts {amount}{rest}", "quiet") for amount in amounts)
        self.bar("head").show(bars.spread(head, note, self.width, short))
        self.show_keys(SHORT)

    @property
    def to_approve(self) -> tuple[QueueItem, ...]:
        """The proposals that would be drafted: shown whole, and not left out."""
        items = (
            proposal.item for id, proposal in self._proposals.items() if id not in self._left_out
        )
        return tuple(item for item in items if self._is_shown(item))

    def _is_shown(self, item: QueueItem) -> bool:
        is_seen = self._guard.is_seen(item.id, item.digest)
        return is_seen and self._guard.coverage(item.id) == 1.0

    def action_spare(self) -> None:
        if id := self.card_list.cursor_id:
            self._left_out ^= {id}
            self.show_texts()
            self.card_list.move(1)

    def action_take(self) -> None:
        if self._guard.is_repeat("take"):
            return
        if self.to_approve:
            self.dismiss(Skimmed(items=self.to_approve))
        else:
            self.say("None of these was shown in full: enter reads one alone.", "flag")

    def action_read(self) -> None:
        self.dismiss(Skimmed(opened=self.card_list.cursor_id))

    def action_write(self) -> None:
        """Opens the editor, with the user's own sentence where there is one."""
        self.dismiss(Skimmed(opened=self.card_list.cursor_id, is_to_write=True))

    def action_leave(self) -> None:
        """Back; nothing is drafted."""
        self.dismiss(Skimmed())
