"""A proposal in parts: its changed lines one by one, and its text with only some of them. Pure.

The unit is a changed line, as the diff shows it: one that is added, one that is removed, or
one that replaces another. An entry of a memory is the lines that it has.
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
from reviewdeck_tui.proposal.memory import ending, lost_rule_notices, pairs_of

_ENDS: Final = frozenset({Tone.LOST, Tone.OVER, Tone.QUIET})
"""The tones of the lines below a memory's entries."""


@dataclass(frozen=True, slots=True)
class LinePair:
    """A live line and the proposed one; None where there is none."""

    live: str | None
    proposed: str | None

    @property
    def is_change(self) -> bool:
        """Whether the two differ."""
        return self.live != self.proposed


Block: TypeAlias = tuple[LinePair, ...]
"""The lines of a file, or those of one entry of a memory."""


@dataclass(frozen=True, slots=True)
class _Path:
    """The changed lines dropped on a path to some place of a text, the last first."""

    number: int = -1
    before: _Path | None = None
    """None at the start of the path."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A document in blocks of lines. Its changed lines are numbered from 0."""

    blocks: tuple[Block, ...]
    is_memory: bool
    limit: int | None = None
    """The character limit of the document; None for no limit."""
    path: str = ""

    @property
    def amount(self) -> int:
        """The number of changed lines."""
        return sum(map(_change_count, self.blocks))

    def text(self, dropped: Collection[int]) -> str:
        """The live text with all changes but these."""
        texts = [_text(block, first, dropped) for first, block in self._numbered_blocks()]
        if not self.is_memory:
            return "".join(texts)
        return entries.join([entry for text in texts if (entry := text.strip())])

    def ending(self, dropped: Collection[int]) -> list[Notice] | None:
        """The lines at the end of the document if these changes are dropped; None if none are."""
        if not dropped:
            return None
        live = self.text(range(self.amount))
        if not self.is_memory:
            return lost_rule_notices(self.path, live, self.text(dropped), is_draft=True)
        return ending(live, self.text(dropped), self.limit, is_draft=True)

    def dropped_in(self, text: str) -> frozenset[int] | None:
        """The changes that a text leaves out; None if it is another text altogether."""
        items = [f"{entry}\n" for entry in entries.parse(text)] if self.is_memory else [text]
        split = [lines.split(item) for item in items]
        # The lines dropped on the paths to each place of the text: two paths can lead to one place.
        paths = {0: _Path()}
        for first, block in self._numbered_blocks():
            onward: dict[int, _Path] = {}
            for at, path in paths.items():
                if at < len(split) and (next_path := _follow(block, first, split[at], path)):
                    onward.setdefault(at + 1, next_path)
                if self.is_memory and (next_path := _follow(block, first, [], path)):
                    onward.setdefault(at, next_path)
            paths = onward
        if len(split) not in paths:
            return None
        dropped = frozenset(_numbers(paths[len(split)]))
        return dropped if self.text(dropped) == text else None

    def _numbered_blocks(self) -> Iterator[tuple[int, Block]]:
        firsts = accumulate(map(_change_count, self.blocks), initial=0)
        yield from zip(firsts, self.blocks, strict=False)


def parts_of_plan(outcome: Ready | Conflict | Dead, path: str, limit: int | None) -> Parts | None:
    """A document that a plan changes, in parts; None if it is deleted, or is no text."""
    changes = outcome.plan.changes if isinstance(outcome, Ready) else ()
    change = next((changed for changed in changes if changed.path == path), None)
    if change is None or change.after is None:
        return None
    before, after = (
        (data or b"").decode("utf-8", "replace") for data in (change.before, change.after)
    )
    parts = parts_of(before, after, is_memory=path.startswith("memories/"), limit=limit)
    return replace(parts, path=path)


def parts_of(before: str, after: str, *, is_memory: bool, limit: int | None = None) -> Parts:
    """A document in parts."""
    blocks = tuple(_entries(before, after)) if is_memory else (_block(before, after),)
    return Parts(blocks, is_memory, limit)


def as_drafted(document: DiffDocument, at: int, ending: Sequence[Notice] | None) -> DiffDocument:
    """A document whose section ends with the outcome of its draft instead of the proposal's.

    None for a draft that takes all of it.
    """
    if ending is None:
        return document
    section = document.sections[at]
    lines = list(section.lines)
    while lines and isinstance(lines[-1], Notice) and lines[-1].tone in _ENDS:
        lines.pop()
    drafted = replace(section, lines=(*lines, *ending))
    sections = (*document.sections[:at], drafted, *document.sections[at + 1 :])
    return replace(document, sections=sections)


def _entries(before: str, after: str) -> Iterator[Block]:
    for pair in pairs_of(entries.parse(before), entries.parse(after)):
        if pair.kind is not RowKind.NOTICE:
            left, right = ("" if text is None else f"{text}\n" for text in (pair.left, pair.right))
            yield _block(left, right)


def _block(before: str, after: str) -> Block:
    old, new = lines.split(before), lines.split(after)
    rows = diff.unified(before, after, context=None)
    return tuple(_line_pair(row, old, new) for row in rows if row.kind is not RowKind.NOTICE)


def _line_pair(row: Row, old: Sequence[str], new: Sequence[str]) -> LinePair:
    return LinePair(
        None if row.left_at is None else old[row.left_at],
        None if row.right_at is None else new[row.right_at],
    )


def _change_count(block: Block) -> int:
    return sum(pair.is_change for pair in block)


def _text(block: Block, first: int, dropped: Collection[int]) -> str:
    kept_lines: list[str] = []
    number = first
    for pair in block:
        line = pair.live if pair.is_change and number in dropped else pair.proposed
        kept_lines += () if line is None else (line,)
        number += pair.is_change
    return "".join(kept_lines)


def _follow(block: Block, first: int, text: Sequence[str], path: _Path) -> _Path | None:
    """The path through a block whose lines make this text; None if they cannot."""
    paths = {0: path}
    number = first
    for pair in block:
        onward: dict[int, _Path] = {}
        for at, before in paths.items():
            if (end := _match_line(pair.proposed, text, at)) is not None:
                onward.setdefault(end, before)
            if pair.is_change and (end := _match_line(pair.live, text, at)) is not None:
                onward.setdefault(end, _Path(number, before))
        paths, number = onward, number + pair.is_change
    return paths.get(len(text))


def _match_line(line: str | None, text: Sequence[str], at: int) -> int | None:
    """The end of this line at a place of a text; None if the text has another line there."""
    if line is None:
        return at
    return at + 1 if at < len(text) and text[at] == line else None


def _numbers(path: _Path) -> Iterator[int]:
    while path.before is not None:
        yield path.number
        path = path.before
