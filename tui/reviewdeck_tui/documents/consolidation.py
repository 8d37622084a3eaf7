"""Similar entries of memories, in groups; several merged into one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reviewdeck.errors import BadInput
from reviewdeck.planning.losses import lost_clauses
from reviewdeck.presentation.words import count
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck.text.similarity import MatchKind, clusters, find_similar
from reviewdeck_tui.documents.cards import CONTAINED
from reviewdeck_tui.documents.library import memory_entries
from reviewdeck_tui.widgets.cards import Card, Leaf

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

NO_GROUPS: Final = "No two entries are about the same thing. space marks, a and e merge the marked."
ALONE: Final = "nothing else is about these"


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One entry of one memory."""

    path: str
    number: int
    """Its number among all entries of the home."""
    text: str


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories of a home, with groups of similar entries."""

    home: str
    entries: tuple[MemoryEntry, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    """The numbers of similar entries; at least two in each group."""
    budgets: tuple[tuple[str, int, int], ...] = ()
    """Document, characters used, limit."""
    redaction: Redaction = field(default=NOTHING, compare=False)
    """The redaction of their texts."""

    def group_of(self, number: int) -> tuple[int, ...]:
        """The group of an entry; the entry alone if it has none."""
        return next((group for group in self.groups if number in group), (number,))


@dataclass(frozen=True, slots=True)
class EntryMerge:
    """Several entries that become one."""

    survivor: MemoryEntry
    """The entry whose place the text takes."""
    text: str
    merged: tuple[MemoryEntry, ...]
    """All of them, the kept one included."""

    @property
    def lost(self) -> tuple[str, ...]:
        """The clauses of the entries that the text lacks."""
        return tuple(
            dict.fromkeys(
                clause for entry in self.merged for clause in lost_clauses(entry.text, [self.text])
            )
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The memories that change, that of the kept entry first."""
        return tuple(dict.fromkeys([self.survivor.path, *(entry.path for entry in self.merged)]))

    @property
    def description(self) -> str:
        """A description for the summary and the log."""
        lost = "; ".join(f"“{clause}”" for clause in self.lost)
        check = f"LOST: {lost}" if lost else "nothing is lost"
        return f"{len(self.merged)} entries into one: {check}"


def read_memories(engine: Engine, home: str) -> Memories:
    """The entries of a home's memories, in groups."""
    open_home = engine.home_by_id(home).home
    all_entries = [
        MemoryEntry(path, at, text) for at, (path, text) in enumerate(memory_entries(open_home))
    ]
    snapshot, budgets = open_home.snapshot(), []
    for path in dict.fromkeys(entry.path for entry in all_entries):
        texts = [entry.text for entry in all_entries if entry.path == path]
        budgets.append((path, entries.size(texts), snapshot.budget(path) or 0))
    groups = clusters([entry.text for entry in all_entries])
    redaction = Redaction(entry.text for entry in all_entries)
    return Memories(open_home.id, tuple(all_entries), tuple(groups), tuple(budgets), redaction)


def cards_of(memories: Memories, marked: Collection[int]) -> tuple[Card, ...]:
    """The groups first, each with its differences; then the entries without a group."""
    cards: list[Card] = []
    grouped = {number for group in memories.groups for number in group}
    for at, group in enumerate(memories.groups, 1):
        cards.append(_title(f"{at}  {count(len(group), 'entry', 'entries')} alike"))
        cards += [_card(memories, number, group[0], marked) for number in group]
    ungrouped = [entry.number for entry in memories.entries if entry.number not in grouped]
    if not memories.groups:
        cards.append(Card("", (Leaf(NO_GROUPS, "quiet"),), gap=True))
    if ungrouped:
        cards.append(_title(ALONE))
        cards += [_card(memories, number, number, marked) for number in ungrouped]
    return tuple(cards)


def _title(words: str) -> Card:
    return Card("", (Leaf(words, "heading", strong=True),), rule="─", gap=True)


def _card(memories: Memories, number: int, first: int, marked: Collection[int]) -> Card:
    entry = memories.entries[number]
    sign = "*" if number in marked else "•"
    tone = "draft" if number in marked else "text"
    lines = entry.text.split("\n")
    leaves = [Leaf(line, tone, " " if at else sign) for at, line in enumerate(lines)]
    name = entry.path.rpartition("/")[2]
    aside = [Leaf(name, "quiet")]
    if number != first:
        aside.append(Leaf(_difference(memories.entries[first].text, entry.text), "flag"))
    return Card(str(number), tuple(leaves), tuple(aside))


def _difference(first: str, second: str) -> str:
    """The similarity of two entries, in words."""
    matches = find_similar(second, [first])
    if not matches:
        return "similar to another of these"
    match = matches[0]
    if match.kind is MatchKind.SAME_SUBJECT:
        similarity = (
            "one says more" if match.score > CONTAINED else f"{match.score:.0f}% like the first"
        )
        return f"{similarity}; {match.reason}"
    return match.reason


def suggestion(chosen: Sequence[MemoryEntry]) -> str:
    """The text that the editor opens: each entry on a line of its own."""
    return "\n".join(dict.fromkeys(entry.text for entry in chosen)) + "\n"


def merge_entries(
    memories: Memories, numbers: Sequence[int], survivor: int, text: str
) -> EntryMerge:
    """Several entries as one. Raises BadInput if the text is not one entry, or they are too few."""
    parsed = entries.parse(text)
    if len(parsed) != 1:
        raise BadInput("That is not one entry.", hint="Leave one, without a line that is §.")
    merged = tuple(memories.entries[number] for number in sorted({*numbers, survivor}))
    if len(merged) < 2:
        raise BadInput("Mark the entries to be merged: space.", hint="A group needs no marks.")
    return EntryMerge(memories.entries[survivor], parsed[0], merged)


def rewrite(merge: EntryMerge, memories: Memories, path: str, before: str) -> str:
    """A memory after the merge, with its line ends and its byte order mark."""
    removed = {entry.number for entry in merge.merged}
    parts = list(_remaining(merge, memories, path, removed))
    mark = entries.BOM if before.startswith(entries.BOM) else ""
    return mark + with_newline(entries.join(parts), newline_of(before))


def _remaining(
    merge: EntryMerge, memories: Memories, path: str, removed: Collection[int]
) -> Iterator[str]:
    for entry in memories.entries:
        if entry.path == path:
            if entry.number == merge.survivor.number:
                yield merge.text
            elif entry.number not in removed:
                yield entry.text
