"""What waits only because of its origin, read in a row and drafted with one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from reviewdeck.model import QueueItem
from reviewdeck.presentation.words import count
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.keys import END, SKIM, bindings, mapped
from reviewdeck_tui.proposal.skim import HeldByOrigin, cover_of, skim_cards
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.secondary import DeckBelow, SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

MARGIN: Final = 11
SHORT: Final = (
    ("a", "draft what was shown"),
    ("space", "read on"),
    ("x", "leave out"),
    ("enter", "read one"),
)


@dataclass(frozen=True, slots=True)
class Skimmed:
    """How the screen was left."""

    taken: tuple[QueueItem, ...] = ()
    """What is to be approved: shown whole, and not left out."""
    opened: str = ""
    """The proposal that is to be read by itself."""


class SkimScreen(SecondaryScreen[Skimmed]):
    """Each entry whole, with what took part. Writes nothing, and drafts what was shown."""

    AUTO_FOCUS = "#entries"
    KEYS = SKIM
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(SKIM)]
    DEFAULT_CSS = """
    SkimScreen {
        #head, #keys { background: $panel; }
        #entries { height: 1fr; }
    }
    """

    def __init__(self, deck: DeckBelow, held: Sequence[HeldByOrigin], guard: Guard) -> None:
        super().__init__(deck)
        self._held = {one.item.id: one for one in held}
        self._guard = guard
        self._left_out: set[str] = set()
        self._lines_shown: dict[str, set[int]] = {}
        self._redaction = cover_of(held)

    def compose(self) -> ComposeResult:
        """Head, the entries, strip, keys."""
        yield Bar(id="head")
        yield CardList(id="entries", margin=MARGIN)
        yield Bar(id="strip")
        yield Bar(id="keys")

    @property
    def entries(self) -> CardList:
        """One card for each proposal."""
        return self.query_one(CardList)

    def on_mount(self) -> None:
        """Shows them; what comes into view from now on counts as shown."""
        self.show_texts()
        self.watch(self.entries, "scroll_y", self._note_later, init=False)

    def on_resize(self) -> None:
        """The lines are made for a width: what was shown of another one does not count."""
        self._lines_shown.clear()
        self._note_later()

    def show_texts(self) -> None:
        """The entries, secrets in them covered unless they are shown."""
        cards = skim_cards(tuple(self._held.values()), self._left_out, self.deck.now())
        self.entries.show(self.cards(cards, self._redaction))
        self._note_later()

    def _note_later(self) -> None:
        self.call_after_refresh(self._note)

    def _note(self) -> None:
        """What was on the screen from its first line to its last was shown, as it is now."""
        for id, lines, height in self.entries.in_sight:
            shown = self._lines_shown.setdefault(id, set())
            shown.update(lines)
            if len(shown) >= height:
                self._guard.painted(id, self._held[id].item.digest, 1.0)
        self._show_bars()

    @property
    def taken(self) -> tuple[QueueItem, ...]:
        """What would be drafted: shown whole and not left out."""
        items = (one.item for id, one in self._held.items() if id not in self._left_out)
        return tuple(item for item in items if self._is_shown(item))

    def _is_shown(self, item: QueueItem) -> bool:
        is_seen = self._guard.is_seen(item.id, item.digest)
        return is_seen and self._guard.coverage(item.id) == 1.0

    def _show_bars(self) -> None:
        head = bars.styled(" Waiting only for its origin  ", "strong")
        head += bars.styled(count(len(self._held), "addition"), "text")
        left = len(self._held) - len(self._left_out) - len(self.taken)
        said = f"a drafts {count(len(self.taken), 'approval')}"
        said += f", {left} not shown yet " if left else " "
        self.bar("head").show(bars.spread(head, bars.styled(said, "quiet"), self.width))
        end = bars.key_words(mapped(END, SKIM, self.keymap))
        self.bar("keys").show(bars.fitted_keys(mapped(SHORT, SKIM, self.keymap), end, self.width))

    def action_move(self, step: int) -> None:
        """Another entry."""
        self.entries.move(step)

    def action_page(self, pages: float) -> None:
        """A part of what is visible."""
        self.entries.move_page(pages)

    def action_spare(self) -> None:
        """Leaves this one out, or takes it in again."""
        if id := self.entries.cursor_id:
            self._left_out ^= {id}
            self.show_texts()
            self.entries.move(1)

    def action_take(self) -> None:
        """Drafts the approval of everything that was shown whole."""
        if self._guard.is_repeat("take"):
            return
        if self.taken:
            self.dismiss(Skimmed(taken=self.taken))
        else:
            self.say("Nothing of these was shown whole: enter reads one by itself.", "flag")

    def action_read(self) -> None:
        """The one under the cursor, in the deck."""
        self.dismiss(Skimmed(opened=self.entries.cursor_id))

    def action_leave(self) -> None:
        """Back; nothing is drafted."""
        self.dismiss(Skimmed())
