"""Similar entries next to each other, and the merge of several into one, as a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reviewdeck.engine import reverse
from reviewdeck.engine.drafts import draft_own
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import BadInput
from reviewdeck.presentation.words import count
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck_tui.documents.cards import bar_words
from reviewdeck_tui.documents.consolidation import (
    EntryMerge,
    Memories,
    cards_of,
    merge_entries,
    read_memories,
    rewrite,
    suggestion,
)
from reviewdeck_tui.keys import CONSOLIDATE, END_OF_DRAFTS
from reviewdeck_tui.proposal.redaction import error_words
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.screens.dialogs import SureDialog
from reviewdeck_tui.screens.secondary import CardScreen

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

SHORT: Final = (
    ("a", "keep this wording"),
    ("e", "write one of them all"),
    ("space", "mark"),
    ("J K", "group"),
)
MOST_LOST: Final = 4


class ConsolidateScreen(CardScreen[None]):
    """The memories of one home, by groups of similar entries."""

    KEYS = CONSOLIDATE

    def __init__(self, deck: DeckScreen, home: str) -> None:
        super().__init__(deck)
        self._home = home
        self.memories = Memories(home)
        self._marked: set[int] = set()

    def on_mount(self) -> None:
        self.show_bars()
        self._read()

    @property
    def current(self) -> int | None:
        """The number of the entry under the cursor."""
        id = self.card_list.cursor_id
        return int(id) if id else None

    def show_bars(self) -> None:
        """Writes the lines around the entries."""
        amount = count(len(self.memories.groups), "group")
        title = bars.styled(f" Merge similar entries: {amount}", "strong")
        budgets = "  ".join(
            f"{path.rpartition('/')[2].removesuffix('.md')} {bar_words(used, limit)}"
            for path, used, limit in self.memories.budgets
        )
        self.bar("head").show(bars.spread(title, bars.styled(f"{budgets} ", "quiet"), self.width))
        self.show_keys(SHORT, END_OF_DRAFTS)

    def _read(self) -> None:
        home = self._home
        self.read(lambda engine: read_memories(engine, home), self._show_memories)

    def _show_memories(self, memories: Memories) -> None:
        if memories != self.memories:
            self._marked.clear()
        self.memories = memories
        self._show()

    def _show(self) -> None:
        self.show_texts()
        self.show_bars()

    def show_texts(self) -> None:
        self.card_list.show(self.cards(cards_of(self.memories, self._marked), self._redaction))

    @property
    def _redaction(self) -> Redaction:
        return NOTHING if self.deck.shows_secrets else self.memories.redaction

    def action_group(self, step: int) -> None:
        current = self.current
        if current is None:
            return
        group = self.memories.group_of(current)
        self.card_list.move_where(step, lambda card: int(card.id) not in group)

    def action_mark(self) -> None:
        if self.current is not None:
            self._marked ^= {self.current}
            self._show()
            self.card_list.move(1)

    def action_leave(self) -> None:
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
        if self.current is not None:
            self._merge(self.current, self.memories.entries[self.current].text)

    def action_write(self) -> None:
        numbers = self._chosen()
        if len(numbers) < 2 or self.current is None:
            self.say("Mark the entries to be merged: space. A group needs no marks.")
            return
        survivor = self.current if self.current in numbers else numbers[0]
        start = suggestion([self.memories.entries[number] for number in numbers])
        path = self.memories.entries[survivor].path
        if (text := self.edited(self.deck.edit, start, path)) is not None:
            self._merge(survivor, text)

    def _merge(self, survivor: int, text: str) -> None:
        try:
            plan = merge_entries(self.memories, self._chosen(), survivor, text)
        except BadInput as error:
            self.say(error_words(error), "flag")
            return

        def on_answer(yes: bool | None) -> None:
            if yes:
                self._draft_merge(plan)

        self.app.push_screen(
            SureDialog(tuple(map(self._redaction.text, _question(plan))), "draft it"), on_answer
        )

    def _draft_merge(self, plan: EntryMerge) -> None:
        memories = self.memories

        def change(engine: Engine) -> None:
            snapshot = engine.home_by_id(memories.home).home.snapshot()
            for path in plan.paths:
                live = snapshot.document(path).data
                before = (live or b"").decode("utf-8")
                text = rewrite(plan, memories, path, before)
                if text == before:  # The kept wording is in this document already.
                    continue
                evaluation = reverse.rewrite(
                    engine, memories.home, path, live, text, plan.description
                )
                draft_own(engine, evaluation, plan.description)

        report = "The merge is drafted, nothing is written: ^s shows it."
        self._marked.clear()
        self.draft(lambda: self.engine.run(change), report)

    def show_drafts(self, backlog: Backlog, report: str) -> None:
        super().show_drafts(backlog, report)
        self._show()


def _question(plan: EntryMerge) -> tuple[str, ...]:
    """The entries to merge, the ones to remove, and the words that would be lost."""
    removed = [entry.text for entry in plan.merged if entry.text != plan.text]
    lines = [
        f"Merge {len(plan.merged)} entries into one?",
        f"  stays   {_short(plan.text)}",
        *(f"  goes    {_short(text)}" for text in removed),
    ]
    lost = plan.lost
    lines += [f"  LOST    “{_short(words)}”" for words in lost[:MOST_LOST]]
    if len(lost) > MOST_LOST:
        lines.append(f"  LOST    and {len(lost) - MOST_LOST} more")
    if not lost:
        lines.append("  Nothing is lost: the words of all of them are in it.")
    return tuple(lines)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 88 else f"{words[:87]}…"
