"""Taking a proposal apart: its changed lines one by one, and the text with only some of them. Pure.

What is taken or left is a changed line, as the diff shows it: one that is added, one that goes, or
one that took the place of another. An entry of a memory is the lines that it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, TypeAlias

from reviewdeck.model import Conflict, Dead, Ready
from reviewdeck.text import diff, entries, lines
from reviewdeck.text.rows import Row, RowKind
from reviewdeck_tui.proposal.diff_document import DiffDocument, Notice, Tone
from reviewdeck_tui.proposal.memory import ending, pairs_of

_ENDS: Final = frozenset({Tone.LOST, Tone.OVER, Tone.QUIET})
"""How the lines below a memory's entries are meant."""


@dataclass(frozen=True, slots=True)
class LinePair:
    """A line as it is live, and what is proposed for it; None where there is none."""

    live: str | None
    proposed: str | None

    @property
    def is_change(self) -> bool:
        """Whether anything happens to it."""
        return self.live != self.proposed


Block: TypeAlias = tuple[LinePair, ...]
"""All lines of a file, or those of one entry of a memory."""


@dataclass(frozen=True, slots=True)
class _Way:
    """The changed lines that were left out on a way to some place of a text, the last first."""

    number: int = -1
    before: _Way | None = None
    """None where the way begins."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A document in blocks of lines. Its changed lines are counted from 0."""

    blocks: tuple[Block, ...]
    is_memory: bool
    limit: int | None = None
    """How many characters the document may have; None for no limit."""

    @property
    def amount(self) -> int:
        """How many lines are changed."""
        return sum(map(_changes, self.blocks))

    def text(self, dropped: Collection[int]) -> str:
        """The live text with all changes but these."""
        texts = [_text(block, first, dropped) for first, block in self._numbered()]
        if not self.is_memory:
            return "".join(texts)
        return entries.join([entry for text in texts if (entry := text.strip())])

    def ending(self, dropped: Collection[int]) -> list[Notice]:
        """The lines below a memory's entries when these changes are left out; else none."""
        if not self.is_memory or not dropped:
            return []
        live = self.text(range(self.amount))
        return ending(live, self.text(dropped), self.limit, drafted=True)

    def dropped_in(self, text: str) -> frozenset[int] | None:
        """Which changes a text leaves out; None when it is another text altogether."""
        items = [f"{entry}\n" for entry in entries.parse(text)] if self.is_memory else [text]
        split = [lines.split(item) for item in items]
        # What was left out on the ways that lead to a place of the text: two can lead to one.
        ways = {0: _Way()}
        for first, block in self._numbered():
            onward: dict[int, _Way] = {}
            for at, way in ways.items():
                if at < len(split) and (on := _left_out(block, first, split[at], way)):
                    onward.setdefault(at + 1, on)
                if self.is_memory and (on := _left_out(block, first, [], way)):
                    onward.setdefault(at, on)
            ways = onward
        if len(split) not in ways:
            return None
        dropped = frozenset(_numbers(ways[len(split)]))
        return dropped if self.text(dropped) == text else None

    def _numbered(self) -> Iterator[tuple[int, Block]]:
        """Each block, and the number of the first change in it."""
        firsts = accumulate(map(_changes, self.blocks), initial=0)
        yield from zip(firsts, self.blocks, strict=False)


def parts_in(outcome: Ready | Conflict | Dead, path: str, limit: int | None) -> Parts | None:
    """A document that a plan changes, taken apart; None when it goes, or is no text."""
    changes = outcome.plan.changes if isinstance(outcome, Ready) else ()
    change = next((one for one in changes if one.path == path), None)
    if change is None or change.after is None:
        return None
    before, after = (
        (data or b"").decode("utf-8", "replace") for data in (change.before, change.after)
    )
    return parts_of(before, after, is_memory=path.startswith("memories/"), limit=limit)


def parts_of(before: str, after: str, *, is_memory: bool, limit: int | None = None) -> Parts:
    """A document taken apart."""
    blocks = tuple(_entries(before, after)) if is_memory else (_block(before, after),)
    return Parts(blocks, is_memory, limit)


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


def _entries(before: str, after: str) -> Iterator[Block]:
    for pair in pairs_of(entries.parse(before), entries.parse(after)):
        if pair.kind is not RowKind.NOTICE:
            left, right = ("" if text is None else f"{text}\n" for text in (pair.left, pair.right))
            yield _block(left, right)


def _block(before: str, after: str) -> Block:
    old, new = lines.split(before), lines.split(after)
    rows = diff.unified(before, after, context=None)
    return tuple(_pair(row, old, new) for row in rows if row.kind is not RowKind.NOTICE)


def _pair(row: Row, old: Sequence[str], new: Sequence[str]) -> LinePair:
    return LinePair(
        None if row.left_at is None else old[row.left_at],
        None if row.right_at is None else new[row.right_at],
    )


def _changes(block: Block) -> int:
    return sum(pair.is_change for pair in block)


def _text(block: Block, first: int, dropped: Collection[int]) -> str:
    kept: list[str] = []
    number = first
    for pair in block:
        line = pair.live if pair.is_change and number in dropped else pair.proposed
        kept += () if line is None else (line,)
        number += pair.is_change
    return "".join(kept)


def _left_out(block: Block, first: int, text: Sequence[str], way: _Way) -> _Way | None:
    """The way on through a block whose lines make this text; None when they cannot."""
    ways = {0: way}
    number = first
    for pair in block:
        onward: dict[int, _Way] = {}
        for at, before in ways.items():
            if (end := _end_of(pair.proposed, text, at)) is not None:
                onward.setdefault(end, before)
            if pair.is_change and (end := _end_of(pair.live, text, at)) is not None:
                onward.setdefault(end, _Way(number, before))
        ways, number = onward, number + pair.is_change
    return ways.get(len(text))


def _end_of(line: str | None, text: Sequence[str], at: int) -> int | None:
    """Where a line of a text ends that begins here; None when it does not stand here."""
    if line is None:
        return at
    return at + 1 if at < len(text) and text[at] == line else None


def _numbers(way: _Way) -> Iterator[int]:
    while way.before is not None:
        yield way.number
        way = way.before
