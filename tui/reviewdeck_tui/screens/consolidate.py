"""Entries that say the same, next to each other, and the merge of several into one as a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from reviewdeck.engine.drafts import draft_own
from reviewdeck.engine.restore import propose_rewrite
from reviewdeck.errors import BadInput
from reviewdeck.policy.redact import NOTHING, Redaction
from reviewdeck.presentation.words import count
from reviewdeck_tui.documents.cards import bar_words
from reviewdeck_tui.documents.consolidation import (
    Memories,
    Merger,
    cards_of,
    merger,
    read_memories,
    rewritten,
    suggestion,
)
from reviewdeck_tui.keys import CONSOLIDATE, END_OF_DRAFTS, bindings, mapped
from reviewdeck_tui.proposal.redaction import complaint
from reviewdeck_tui.queue import bars
from reviewdeck_tui.screens.dialogs import SureDialog
from reviewdeck_tui.screens.secondary import DeckBelow, Drafted, SecondaryScreen
from reviewdeck_tui.widgets.bar import Bar
from reviewdeck_tui.widgets.card_list import CardList

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

SHORT: Final = (
    ("a", "keep this wording"),
    ("e", "write one of them all"),
    ("space", "mark"),
    ("J K", "group"),
)
MOST_LOST: Final = 4


class Grouped(Message):
    """The memories are read."""

    def __init__(self, memories: Memories) -> None:
        super().__init__()
        self.memories = memories


class ConsolidateScreen(SecondaryScreen[None]):
    """The memories of one home, by what belongs together."""

    AUTO_FOCUS = "#roll"
    KEYS = CONSOLIDATE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(CONSOLIDATE)]
    DEFAULT_CSS = "ConsolidateScreen { #head, #keys { background: $panel; } }"

    def __init__(self, deck: DeckBelow, home: str) -> None:
        super().__init__(deck)
        self._home = home
        self.memories = Memories(home)
        self._marked: set[int] = set()

    def compose(self) -> ComposeResult:
        """Head with the budgets, the entries, strip, keys."""
        yield Bar(id="head")
        yield CardList(id="roll")
        yield Bar(id="strip")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Reads."""
        self.show_bars()
        self._read()

    def on_resize(self) -> None:
        """The lines are made for a width."""
        self.call_after_refresh(self.show_bars)

    @property
    def roll(self) -> CardList:
        """The entries."""
        return self.query_one(CardList)

    @property
    def current(self) -> int | None:
        """The entry under the cursor."""
        id = self.roll.cursor_id
        return int(id) if id else None

    def show_bars(self) -> None:
        """Writes the lines around the entries."""
        amount = count(len(self.memories.groups), "group")
        said = bars.styled(f" Merge entries that are alike: {amount}", "strong")
        rooms = "  ".join(
            f"{path.rpartition('/')[2].removesuffix('.md')} {bar_words(used, limit)}"
            for path, used, limit in self.memories.rooms
        )
        self.bar("head").show(bars.spread(said, bars.styled(f"{rooms} ", "quiet"), self.width))
        keys = mapped(SHORT, CONSOLIDATE, self.keymap)
        end = bars.key_words(mapped(END_OF_DRAFTS, CONSOLIDATE, self.keymap))
        self.bar("keys").show(bars.fitted_keys(keys, end, self.width))

    def _read(self) -> None:
        home = self._home
        self.work(lambda: Grouped(self.engine.with_deck(lambda deck: read_memories(deck, home))))

    @on(Grouped)
    def _grouped(self, event: Grouped) -> None:
        if event.memories != self.memories:
            self._marked.clear()
        self.memories = event.memories
        self._show()

    def _show(self) -> None:
        self.show_texts()
        self.show_bars()

    def show_texts(self) -> None:
        """Shows the entries."""
        self.roll.show(self.cards(cards_of(self.memories, self._marked), self._hidden))

    @property
    def _hidden(self) -> Redaction:
        return NOTHING if self.deck.shows_secrets else self.memories.cover

    def action_move(self, delta: int) -> None:
        """Another entry."""
        self.roll.move(delta)

    def action_page(self, pages: float) -> None:
        """Half a page."""
        self.roll.move_page(pages)

    def action_group(self, step: int) -> None:
        """The first entry of another group."""
        here = self.current
        if here is None:
            return
        group = self.memories.group_of(here)
        self.roll.move_where(step, lambda card: int(card.id) not in group)

    def action_mark(self) -> None:
        """Marks, and goes down."""
        if self.current is not None:
            self._marked ^= {self.current}
            self._show()
            self.roll.move(1)

    def action_leave(self) -> None:
        """Drops the marks; without any, back."""
        if self._marked:
            self._marked.clear()
            self._show()
        else:
            self.dismiss(None)

    def _chosen(self) -> tuple[int, ...]:
        """The marked entries; without marks, the group under the cursor."""
        if self._marked:
            return tuple(sorted(self._marked))
        return () if self.current is None else self.memories.group_of(self.current)

    def action_keep(self) -> None:
        """The wording under the cursor stays, the others go."""
        if self.current is not None:
            self._merge(self.current, self.memories.entries[self.current].text)

    def action_write(self) -> None:
        """One text for all of them, from the operator's editor."""
        chosen = self._chosen()
        if len(chosen) < 2 or self.current is None:
            self.say("Mark the entries to be merged: space. A group needs no marks.")
            return
        kept = self.current if self.current in chosen else chosen[0]
        start = suggestion([self.memories.entries[number] for number in chosen])
        text = self.deck.edit(start, self.memories.entries[kept].path)
        if text is None:
            self.say("No editor could be started: set VISUAL or EDITOR.", "dangerous")
        else:
            self._merge(kept, text)

    def _merge(self, kept: int, text: str) -> None:
        try:
            made = merger(self.memories, self._chosen(), kept, text)
        except BadInput as error:
            self.say(complaint(error), "flag")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._draft_merge(made)

        self.app.push_screen(
            SureDialog(tuple(map(self._hidden.text, _question(made))), "draft it"), answered
        )

    def _draft_merge(self, made: Merger) -> None:
        memories = self.memories

        def change(deck: Deck) -> None:
            snapshot = deck.context.one_home(memories.home).home.snapshot()
            for path in made.paths:
                seen = snapshot.document(path).data
                before = (seen or b"").decode("utf-8")
                text = rewritten(made, memories, path, before)
                if text == before:  # The wording that is kept stands there already.
                    continue
                evaluation = propose_rewrite(
                    deck.context, memories.home, path, seen, text, made.said
                )
                draft_own(deck.context, evaluation, made.said)

        said = "The merge is drafted, nothing is written: ^s shows it."
        self._marked.clear()
        self.draft(lambda: self.engine.with_deck(change), said)

    @on(Drafted)
    def _kept(self) -> None:
        self._show()


def _question(made: Merger) -> tuple[str, ...]:
    """What is merged, what goes, and what of it no words are left for."""
    gone = [one.text for one in made.merged if one.text != made.text]
    lines = [
        f"Merge {len(made.merged)} entries into one?",
        f"  stays   {_short(made.text)}",
        *(f"  goes    {_short(text)}" for text in gone),
    ]
    lost = made.lost
    lines += [f"  LOST    “{_short(one)}”" for one in lost[:MOST_LOST]]
    if len(lost) > MOST_LOST:
        lines.append(f"  LOST    and {len(lost) - MOST_LOST} more")
    if not lost:
        lines.append("  Nothing is lost: the words of all of them are in it.")
    return tuple(lines)


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= 88 else f"{said[:87]}…"
