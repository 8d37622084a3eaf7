"""The blocks of a Markdown text: what a reader takes for one stretch of words.

A sentence does not go on from a list item into the next one, from a cell into its neighbour, or
from a paragraph into the code below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

from reviewdeck.values import dataclass


class BlockKind(Enum):
    """What a block is."""

    FRONT = auto()
    """One field of the front matter."""
    HEADING = auto()
    PARAGRAPH = auto()
    ITEM = auto()
    """An item of a list."""
    CELL = auto()
    """A cell of a table."""
    FENCE = auto()
    """The inside of a code fence."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block, and its characters in the text."""

    kind: BlockKind
    start: int
    end: int
    language: str = ""
    """What stands behind the opening of a fence, in lower case."""


_FENCE: Final = re.compile(
    r"[ \t]*(?:>[ \t]?)*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^`\n]*)"
)
_QUOTE: Final = re.compile(r"[ \t]*(?:>[ \t]?)*")
_ITEM: Final = re.compile(r"(?:[-*+•–]|\d{1,9}[.)])(?=[ \t])")
_HEADING: Final = re.compile(r"#{1,6}(?=[ \t])|(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*\Z")
_MARKS: Final = frozenset("#-=*_+•–0123456789")
"""With what a heading or an item begins."""
_DELIMITERS: Final = re.compile(r"\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*\|?[ \t]*\Z")
_CELL: Final = re.compile(r"(?:[^|\\`]|\\.|\\|(`+)(?:(?!`).)*\1(?!`)|`)+")
_FIELD: Final = re.compile(r"[\w\"'-][\w\"' .-]{0,80}:(?=\s|\Z)|-[ \t]")
_ENDS: Final = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]*_`]*\s*\Z")
_FRONT: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(?:.*?\r?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


def front_matter_end(text: str) -> int:
    """Where the front matter of a text ends; 0 where it has none."""
    match = _FRONT.match(text)
    return match.end() if match else 0


def blocks(text: str, front_end: int | None = None) -> Iterator[Block]:
    """The blocks of a text, in order; blank lines and marks of fences are in none.

    Front matter reaches to `front_end`, or as far as `front_matter_end` says.
    """
    front = front_matter_end(text) if front_end is None else front_end
    yield from _fields(text, front)
    yield from _Body(text, front).blocks()


def _fields(text: str, end: int) -> Iterator[Block]:
    """Each field of the front matter with the lines that go on with it."""
    start = at = 0
    for line in text[:end].splitlines(keepends=True):
        if _FIELD.match(line) and text[start:at].strip():
            yield Block(BlockKind.FRONT, start, at)
            start = at
        at += len(line)
    if text[start:end].strip():
        yield Block(BlockKind.FRONT, start, end)


class _Body:
    """Reads the lines behind the front matter, one after the other."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._lines = text[at:].split("\n")
        self._number = 0
        self._at = at
        """Where the line of this number begins."""
        self._kind: BlockKind | None = None
        self._start = self._end = at
        """The open block; its end is behind its last line that is not blank."""
        self._is_parted = False

    def blocks(self) -> Iterator[Block]:
        while self._number < len(self._lines):
            line = self._lines[self._number]
            bare = line.strip()
            if bare.startswith(">"):
                bare = _QUOTE.sub("", bare, count=1)
            fence = _FENCE.match(line) if "```" in bare or "~~~" in bare else None
            if fence is not None:
                yield from self._close()
                yield from self._fence(fence[1], fence[2])
            elif "|" in bare and _is_table(self._lines, self._number):
                yield from self._close()
                yield from self._table()
            elif bare:
                yield from self._words(bare)
                self._advance()
            else:
                self._is_parted = True
                self._advance()
        yield from self._close()

    def _advance(self) -> None:
        self._at = min(self._at + len(self._lines[self._number]) + 1, len(self._text))
        self._number += 1

    def _close(self) -> Iterator[Block]:
        if self._kind is not None:
            yield Block(self._kind, self._start, self._end)
            self._kind = None

    def _words(self, bare: str) -> Iterator[Block]:
        """A line of words: it opens a block, or goes on with the open one."""
        new = _marked(bare) if bare[0] in _MARKS else None
        before = self._text[max(self._start, self._end - 80) : self._end]
        if new is None and (self._kind is None or (self._is_parted and not _goes_on(before, bare))):
            new = BlockKind.PARAGRAPH
        end = self._at + len(self._lines[self._number])
        if new is not None:
            yield from self._close()
        if new is BlockKind.HEADING:
            yield Block(new, self._at, end)
            return
        if new is not None:
            self._kind, self._start = new, self._at
        self._end, self._is_parted = end, False

    def _fence(self, mark: str, info: str) -> Iterator[Block]:
        """The inside of a fence; one that nobody closes reaches to the end."""
        closing = re.compile(rf"[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t\r]*\Z")
        self._advance()
        start = self._at
        while self._number < len(self._lines) and not closing.match(self._lines[self._number]):
            self._advance()
        if start < self._at:
            language = (info.split() or [""])[0].strip("{}.").lower()
            yield Block(BlockKind.FENCE, start, self._at, language)
        if self._number < len(self._lines):
            self._advance()

    def _table(self) -> Iterator[Block]:
        while self._number < len(self._lines) and "|" in self._lines[self._number]:
            for match in _CELL.finditer(self._lines[self._number]):
                if match.group().strip():
                    yield Block(BlockKind.CELL, self._at + match.start(), self._at + match.end())
            self._advance()


def _marked(line: str) -> BlockKind | None:
    """What begins with a line that has a mark in front."""
    if _HEADING.match(line):
        return BlockKind.HEADING
    return BlockKind.ITEM if _ITEM.match(line) else None


def _goes_on(before: str, line: str) -> bool:
    """Whether a sentence is not at its end, and goes on in small letters behind blank lines."""
    return line[0].isalpha() and line[0] == line[0].lower() and not _ENDS.search(before)


def _is_table(lines: Sequence[str], number: int) -> bool:
    if "|" not in lines[number] or "|" not in "".join(lines[number + 1 : number + 2]):
        return False
    return _DELIMITERS.match(_QUOTE.sub("", lines[number + 1], count=1).strip()) is not None
