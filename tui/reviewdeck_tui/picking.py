"""Taking a proposal apart: its changes one by one, and the text with only some of them. Pure.

A memory is taken apart by entries, everything else by runs of lines, as the diff shows them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reviewdeck.text import diff, entries, lines
from reviewdeck.text.rows import RowKind
from reviewdeck_tui.memory_lines import pairs_of

Items = tuple[str, ...]


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

    def dropped_in(self, text: str) -> frozenset[int] | None:
        """Which changes a text leaves out; None when it is another text altogether."""
        items = tuple(entries.parse(text) if self.is_memory else lines.split(text))
        dropped: set[int] = set()
        at = number = 0
        for place, unit in enumerate(self.units):
            after = self.units[place + 1].live[:1] if place + 1 < len(self.units) else ()
            if unit.is_change and not _stands(unit.proposed, after, items, at):
                dropped.add(number)
            number += unit.is_change
            at += len(unit.live if number - 1 in dropped and unit.is_change else unit.proposed)
        return frozenset(dropped) if self.text(dropped) == text else None


def parts_of(before: str, after: str, *, is_memory: bool) -> Parts:
    """A document taken apart."""
    return Parts(tuple(_entries(before, after) if is_memory else _lines(before, after)), is_memory)


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


def _stands(wanted: Sequence[str], after: Sequence[str], items: Items, at: int) -> bool:
    end = at + len(wanted)
    return items[at:end] == tuple(wanted) and items[end : end + len(after)] == tuple(after)
