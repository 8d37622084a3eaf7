"""Entries of memories that say the same, next to each other; several merged into one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reviewdeck.errors import BadInput
from reviewdeck.planning.losses import lost_clauses
from reviewdeck.policy.redact import NOTHING, Redaction
from reviewdeck.presentation.words import count
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline
from reviewdeck.text.similarity import Kinship, alike, clusters
from reviewdeck_tui.documents.cards import ALL
from reviewdeck_tui.documents.library import memory_entries
from reviewdeck_tui.widgets.cards import Card, Leaf

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

NO_GROUPS: Final = "No two entries are about the same thing. space marks, a and e merge the marked."
ALONE: Final = "nothing else is about these"


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One entry of one memory."""

    path: str
    number: int
    """Its place among all entries of the home."""
    text: str


@dataclass(frozen=True, slots=True)
class Memories:
    """All memories of a home, and which entries belong together."""

    home: str
    entries: tuple[MemoryEntry, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    """Numbers of entries that are alike; at least two each."""
    rooms: tuple[tuple[str, int, int], ...] = ()
    """Document, used, limit."""
    cover: Redaction = field(default=NOTHING, compare=False)
    """Knows the secrets in them."""

    def group_of(self, number: int) -> tuple[int, ...]:
        """The entries that belong together with this one; itself alone when none do."""
        return next((group for group in self.groups if number in group), (number,))


@dataclass(frozen=True, slots=True)
class Merger:
    """Several entries that become one."""

    kept: MemoryEntry
    """Whose place the text takes."""
    text: str
    merged: tuple[MemoryEntry, ...]
    """All of them, the kept one included."""

    @property
    def lost(self) -> tuple[str, ...]:
        """What the entries say and the text does not."""
        return tuple(
            dict.fromkeys(
                clause for one in self.merged for clause in lost_clauses(one.text, [self.text])
            )
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The memories that change: that of the kept one first."""
        return tuple(dict.fromkeys([self.kept.path, *(one.path for one in self.merged)]))

    @property
    def said(self) -> str:
        """What it is, for the summary and the log."""
        lost = "; ".join(f"“{one}”" for one in self.lost)
        check = f"LOST: {lost}" if lost else "nothing is lost"
        return f"{len(self.merged)} entries into one: {check}"


def read_memories(deck: Deck, home: str) -> Memories:
    """Everything that the memories of a home say, grouped."""
    one = deck.context.one_home(home).home
    found = [MemoryEntry(path, at, text) for at, (path, text) in enumerate(memory_entries(one))]
    snapshot, rooms = one.snapshot(), []
    for path in dict.fromkeys(entry.path for entry in found):
        own = [entry.text for entry in found if entry.path == path]
        rooms.append((path, entries.size(own), snapshot.budget(path) or 0))
    groups = clusters([entry.text for entry in found])
    cover = Redaction(entry.text for entry in found)
    return Memories(one.id, tuple(found), tuple(groups), tuple(rooms), cover)


def cards_of(memories: Memories, marked: Collection[int]) -> tuple[Card, ...]:
    """The groups first, each under what is the same or differs; then what stands alone."""
    cards: list[Card] = []
    grouped = {number for group in memories.groups for number in group}
    for at, group in enumerate(memories.groups, 1):
        cards.append(_title(f"{at}  {count(len(group), 'entry', 'entries')} alike"))
        cards += [_card(memories, number, group[0], marked) for number in group]
    alone = [entry.number for entry in memories.entries if entry.number not in grouped]
    if not memories.groups:
        cards.append(Card("", (Leaf(NO_GROUPS, "quiet"),), gap=True))
    if alone:
        cards.append(_title(ALONE))
        cards += [_card(memories, number, number, marked) for number in alone]
    return tuple(cards)


def _title(words: str) -> Card:
    return Card("", (Leaf(words, "heading", strong=True),), rule="─", gap=True)


def _card(memories: Memories, number: int, first: int, marked: Collection[int]) -> Card:
    entry = memories.entries[number]
    sign = "*" if number in marked else "•"
    tone = "draft" if number in marked else "text"
    lines = entry.text.split("\n")
    leaves = [Leaf(line, tone, " " if at else sign) for at, line in enumerate(lines)]
    where = entry.path.rpartition("/")[2]
    aside = [Leaf(where, "quiet")]
    if number != first:
        aside.append(Leaf(_difference(memories.entries[first].text, entry.text), "flag"))
    return Card(str(number), tuple(leaves), tuple(aside))


def _difference(first: str, other: str) -> str:
    """What is the same, or differs, in words."""
    found = alike(other, [first])
    if not found:
        return "alike by another one of these"
    match = found[0]
    if match.kinship is Kinship.SAME_SUBJECT:
        how = "one says more" if match.score > ALL else f"{match.score:.0f}% like the first"
        return f"{how}; {match.reason}"
    return match.reason


def suggestion(chosen: Sequence[MemoryEntry]) -> str:
    """The text that an editor opens: every entry on lines of its own, to be made one."""
    return "\n".join(dict.fromkeys(one.text for one in chosen)) + "\n"


def merger(memories: Memories, chosen: Sequence[int], kept: int, text: str) -> Merger:
    """Several entries as one. Raises BadInput when that is not one entry, or not several."""
    wanted = entries.parse(text)
    if len(wanted) != 1:
        raise BadInput("That is not one entry.", hint="Leave one, without a line that is §.")
    merged = tuple(memories.entries[number] for number in sorted({*chosen, kept}))
    if len(merged) < 2:
        raise BadInput("Mark the entries to be merged: space.", hint="A group needs no marks.")
    return Merger(memories.entries[kept], wanted[0], merged)


def rewritten(made: Merger, memories: Memories, path: str, seen: str) -> str:
    """A memory once the entries are merged: its line ends and its mark as they were."""
    gone = {entry.number for entry in made.merged}
    parts = list(_remaining(made, memories, path, gone))
    mark = entries.BOM if seen.startswith(entries.BOM) else ""
    return mark + with_newline(entries.join(parts), newline_of(seen))


def _remaining(made: Merger, memories: Memories, path: str, gone: Collection[int]) -> Iterator[str]:
    for entry in memories.entries:
        if entry.path == path:
            if entry.number == made.kept.number:
                yield made.text
            elif entry.number not in gone:
                yield entry.text
