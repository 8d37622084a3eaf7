"""How much of an index of memories reaches a model, and what is taken out of it before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

CLAUDE_LINES: Final = 200
CLAUDE_UNITS: Final = 25_000
"""Claude Code loads an index up to so many lines, and so many UTF-16 units."""
_FRONT: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(?:.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_COMMENT: Final = re.compile(r"^[ \t]*<!--.*?-->[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoadedIndex:
    """The part of an index that is in the prompt."""

    text: str
    lines: int
    """Lines of the index, without front matter and comments."""
    units: int
    """The same in UTF-16 units."""

    @property
    def is_cut(self) -> bool:
        """Whether a part of it is missing from the prompt."""
        return self.lines > CLAUDE_LINES or self.units > CLAUDE_UNITS


def without_comments(text: str) -> str:
    """A text of Claude Code's without front matter and block comments, which are not loaded."""
    front = _FRONT.match(text)
    return _COMMENT.sub("", text[front.end() :] if front else text).strip()


def claude_index(text: str) -> LoadedIndex:
    """The part of an index that Claude Code loads."""
    whole = without_comments(text)
    lines = whole.splitlines(keepends=True)
    kept = _head("".join(lines[:CLAUDE_LINES]), CLAUDE_UNITS)
    return LoadedIndex(kept, len(lines), utf16_units(whole))


def utf16_units(text: str) -> int:
    """The length of a text as JavaScript counts it: a character beyond the BMP counts twice."""
    return len(text) + sum(character > "\uffff" for character in text)


def _head(text: str, units: int) -> str:
    if utf16_units(text) <= units:
        return text
    cut = text.encode("utf-16-le", "surrogatepass")[: 2 * units]
    return cut.decode("utf-16-le", "ignore")
