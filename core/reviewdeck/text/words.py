"""Word-level diffs and merges of lines and paragraphs."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from reviewdeck.text.hunks import Hunk
from reviewdeck.text.match import Range, match
from reviewdeck.text.threeway import regions
from reviewdeck.values import dataclass

_TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_WORD_OR_SPACE: Final = re.compile(r"\S+|\s+")
APART: Final = 6
"""Tokens (three words and the spaces between) required between two edits of a sentence."""

LONG: Final = 4_000
"""Tokens of two lines together above which unique words anchor the comparison."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters of a line that changed; half open."""

    start: int
    end: int


def tokens(text: str) -> list[str]:
    """Words, runs of white space and single punctuation marks; joined they are the text."""
    return _TOKEN.findall(text)


def marks(old: str, new: str) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
    """The changed words and punctuation of each of two lines. Linear.

    Two changes with only white space between them are one.
    """
    a, b = tokens(old), tokens(new)
    changes = _without_gaps(a, match(a, b, anchored=len(a) + len(b) > LONG).changes)
    at_a, at_b = [0, *accumulate(map(len, a))], [0, *accumulate(map(len, b))]
    left = tuple(Mark(at_a[i], at_a[end]) for i, end, _, _ in changes if i < end)
    right = tuple(Mark(at_b[j], at_b[end]) for _, _, j, end in changes if j < end)
    return left, right


def _without_gaps(a: list[str], changes: list[Range]) -> list[Range]:
    joined: list[Range] = []
    for change in changes:
        if joined and not "".join(a[joined[-1][1] : change[0]]).strip():
            before = joined.pop()
            joined.append((before[0], change[1], before[2], change[3]))
        else:
            joined.append(change)
    return joined


def merge_words(base: str, ours: str, theirs: str) -> str | None:
    """One paragraph with the edits of both sides, or None when they are not well apart."""
    b, o, t = (_WORD_OR_SPACE.findall(text) for text in (base, ours, theirs))
    merged: list[str] = []
    at = 0
    for region in regions(_hunks(b, o), _hunks(b, t), apart=APART):
        if region.by_ours and region.by_theirs:
            return None
        merged += b[at : region.base_start]
        if region.by_ours:
            merged += o[region.ours_start : region.ours_end]
        else:
            merged += t[region.theirs_start : region.theirs_end]
        at = region.base_end
    return "".join([*merged, *b[at:]])


def combine_words(base: str, ours: str, theirs: str) -> str | None:
    """The edits of both sides in one text, however close; None where they overlap.

    A suggestion for a person to read: two edits that share no word may still contradict each
    other. None also where a side has little of the base left (the common words are chance then),
    and where the result equals one of the versions.
    """
    b, o, t = tokens(base), tokens(ours), tokens(theirs)
    edits = _edits(b, o) | _edits(b, t)
    if not (_is_edit_of(b, o) and _is_edit_of(b, t)):
        return None
    combined: list[str] = []
    at, last = 0, (-1, -1)
    for start, end, replacement in sorted(edits):
        if start < at or last == (start, end):
            return None
        combined += (*b[at:start], *replacement)
        at, last = end, (start, end)
    combined += b[at:]
    text = "".join(combined)
    is_new = text not in (base, ours, theirs)
    # Edits that ran two words together made a word that neither side wrote.
    return text if is_new and tokens(text) == combined else None


def _edits(base: list[str], side: list[str]) -> set[tuple[int, int, tuple[str, ...]]]:
    """The edits of a side: start and end in the base, and the new tokens."""
    return {(i, end, tuple(side[j:stop])) for i, end, j, stop in match(base, side).changes}


def _is_edit_of(base: list[str], side: list[str]) -> bool:
    """Whether at least half the words of the base are left."""
    words = sum(not token.isspace() for token in base)
    removed = sum(
        not token.isspace() for i, end, _, _ in match(base, side).changes for token in base[i:end]
    )
    return removed * 2 <= words


def _hunks(a: list[str], b: list[str]) -> list[Hunk]:
    return [Hunk(*change) for change in match(a, b, anchored=False).changes]
