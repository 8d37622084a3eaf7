"""How much of a memory or an instruction reaches a model, and what is taken out of it before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reviewdeck.reading.agents import (
    CLAUDE,
    HERMES,
    HERMES_22,
    OPENCLAW,
    OPENCLAW_UNITS,
    OPENCLAW_USER,
    Agent,
)
from reviewdeck.text import entries
from reviewdeck.text.lines import split
from reviewdeck.values import dataclass

CLAUDE_LINES: Final = 200
CLAUDE_UNITS: Final = 25_000
"""Claude Code loads an index up to so many lines, and so many UTF-16 units."""
INDEX: Final = "MEMORY.md"
"""The index of a memory of Claude Code."""
_HERMES_MEMORIES: Final = frozenset({"MEMORY.md", "USER.md"})
_FRONT: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(?:.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_COMMENT: Final = re.compile(r"^[ \t]*<!--.*?-->[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The part of a memory or an instruction that is in the prompt."""

    text: str
    notes: tuple[str, ...] = ()
    """How it differs from the file, a clause each."""


def loaded(path: str, text: str, agent: Agent) -> Loaded:
    """What an agent loads of a document that is in every prompt."""
    name = path.rpartition("/")[2]
    if agent is CLAUDE:
        return Loaded(
            claude_index(text).text if name == INDEX else without_comments(text),
            tuple(_claude_notes(name, text)),
        )
    if agent in (HERMES, HERMES_22) and name in _HERMES_MEMORIES:
        every = entries.parse(text)
        once = tuple(dict.fromkeys(every))
        twice = len(every) - len(once)
        notes = (f"{twice} of its entries repeat others, and count once",) if twice else ()
        return Loaded(entries.join(once), notes)
    if agent is OPENCLAW:
        return _openclaw(name, text.rstrip())
    return Loaded(text.strip())


def _openclaw(name: str, text: str) -> Loaded:
    most = OPENCLAW_USER if name == "USER.md" else OPENCLAW_UNITS
    if (units := utf16_units(text)) <= most:
        return Loaded(text)
    kept = f"{_head(text, most * 3 // 4)}\n[…]\n{text[-(most // 4) :]}"
    note = f"cut: it has {units:,} UTF-16 units, of which the beginning and the end are loaded"
    return Loaded(kept, (note,))


def _claude_notes(name: str, text: str) -> Iterator[str]:
    if name == INDEX and (index := claude_index(text)).is_cut:
        yield f"cut: it has {index.lines:,} lines and {index.units:,} UTF-16 units"
    if len(without_comments(text)) < len(text.strip()):
        yield "front matter and HTML comments are taken out"


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
    lines = split(whole)
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
