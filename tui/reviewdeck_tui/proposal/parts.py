"""Taking a proposal apart: its changes one by one, and the text with only some of them. Pure.

A memory is taken apart by entries, everything else by runs of lines, as the diff shows them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviewdeck.model import Conflict, Dead, Ready
from reviewdeck.text import diff, entries, lines
from reviewdeck.text.rows import RowKind
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Tone
from reviewdeck_tui.proposal.memory import ending, pairs_of

Items = tuple[str, ...]
_ENDS: Final = frozenset({Tone.LOST, Tone.OVER, Tone.QUIET})
"""How the lines below a memory's entries are meant."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a document: what is live, and what is proposed for it."""

    live: Items
    proposed: Items

    @property
    def is_change(self) -> bool:
        """Whether anything happens to it."""
        return self.live != self.proposed


@dataclass(frozen=True, slots=True)
class Parts:
    """A document in units."""

    units: tuple[Unit, ...]
    is_memory: bool
    limit: int | None = None
    """How many characters the document may have; None for no limit."""

    @property
    def amount(self) -> int:
        """How many changes there are."""
        return sum(unit.is_change for unit in self.units)

    def text(self, dropped: Collection[int]) -> str:
        """The live text with all changes but these; they are counted from 0."""
        items: list[str] = []
        number = 0
        for unit in self.units:
            items += unit.live if unit.is_change and number in dropped else unit.proposed
            number += unit.is_change
        return entries.join(items) if self.is_memory else "".join(items)

    def ending(self, dropped: Collection[int]) -> list[Notice]:
        """The lines below a memory's entries when these changes are left out; else none."""
        if not self.is_memory or not dropped:
            return []
        live = self.text(range(self.amount))
        return ending(live, self.text(dropped), self.limit, drafted=True)

    def dropped_in(self, text: str) -> frozenset[int] | None:
        """Which changes a text leaves out; None when it is another text altogether."""
        items = tuple(entries.parse(text) if self.is_memory else lines.split(text))
        # What was dropped on the ways that lead to a place of the text: two can lead to one.
        ways: dict[int, frozenset[int]] = {0: frozenset()}
        number = 0
        for unit in self.units:
            onward: dict[int, frozenset[int]] = {}
            for at, dropped in ways.items():
                if (end := _end_of(unit.proposed, items, at)) is not None:
                    onward.setdefault(end, dropped)
                if unit.is_change and (end := _end_of(unit.live, items, at)) is not None:
                    onward.setdefault(end, dropped | {number})
            ways, number = onward, number + unit.is_change
        found = ways.get(len(items))
        return found if found is not None and self.text(found) == text else None


def parts_in(outcome: Ready | Conflict | Dead, path: str, limit: int | None) -> Parts | None:
    """A document that a plan changes, taken apart; None when it comes or goes."""
    changes = outcome.plan.changes if isinstance(outcome, Ready) else ()
    change = next((one for one in changes if one.path == path), None)
    if change is None or change.before is None or change.after is None:
        return None
    before, after = (data.decode("utf-8", "replace") for data in (change.before, change.after))
    return parts_of(before, after, is_memory=path.startswith("memories/"), limit=limit)


def parts_of(before: str, after: str, *, is_memory: bool, limit: int | None = None) -> Parts:
    """A document taken apart."""
    units = tuple(_entries(before, after) if is_memory else _lines(before, after))
    return Parts(units, is_memory, limit)


def as_drafted(document: DiffDocument, at: int, ending: Sequence[Notice]) -> DiffDocument:
    """A document that says of one section what its draft would come to, not its proposal."""
    if not ending:
        return document
    section = document.sections[at]
    lines = list(section.lines)
    while lines and isinstance(lines[-1], Notice) and lines[-1].tone in _ENDS:
        lines.pop()
    changed = replace(section, lines=(*lines, *ending))
    sections = (*document.sections[:at], changed, *document.sections[at + 1 :])
    return replace(document, sections=sections)


def _entries(before: str, after: str) -> list[Unit]:
    return [
        Unit(
            () if pair.left is None else (pair.left,),
            () if pair.right is None else (pair.right,),
        )
        for pair in pairs_of(entries.parse(before), entries.parse(after))
        if pair.kind is not RowKind.NOTICE
    ]


def _lines(before: str, after: str) -> list[Unit]:
    old, new = lines.split(before), lines.split(after)
    units: list[Unit] = []
    at = 0
    for hunk in diff.diff(old, new):
        same = tuple(old[at : hunk.a_start])
        units.append(Unit(same, same))
        gone, come = old[hunk.a_start : hunk.a_end], new[hunk.b_start : hunk.b_end]
        units.append(Unit(tuple(gone), tuple(come)))
        at = hunk.a_end
    rest = tuple(old[at:])
    return [*units, Unit(rest, rest)]


def _end_of(wanted: Items, items: Items, at: int) -> int | None:
    """Where a part of a text ends that begins here; None when it does not stand here."""
    end = at + len(wanted)
    return end if items[at:end] == wanted else None
