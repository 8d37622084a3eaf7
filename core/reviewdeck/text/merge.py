"""What a text becomes when three versions of it meet.

`merge` is for lines and is judged by git; `merge_memory` and `merge_skill` know what the agent's
two kinds of document are made of. None of them ever guesses: what is not plainly safe is a
conflict, and a conflict is a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reviewdeck.text import entries, lines, markdown
from reviewdeck.text.conflicts import (
    Choice,
    Clean,
    Conflicted,
    ConflictRegion,
    Merged,
    Own,
    Part,
    Take,
    assemble,
    from_data,
    resolve,
    to_data,
)
from reviewdeck.text.linemerge import merge_lines, two_way

__all__ = [
    "Choice",
    "Clean",
    "ConflictRegion",
    "Conflicted",
    "Merged",
    "Own",
    "Take",
    "from_data",
    "merge",
    "merge_memory",
    "merge_skill",
    "resolve",
    "to_data",
    "two_way",
]

MOST_ENTRIES: Final = 1_000


def merge(base: str, ours: str, theirs: str) -> Clean | Conflicted:
    """The text with the edits of both sides, by lines. Edits that overlap or touch conflict.

    This is diff3 over the hunks of a histogram diff, with git's rule for what touches. Positions
    in conflicts are indices of lines. Never raises; symmetric up to the names of the sides; linear
    in time and memory.
    """
    return merge_lines(base, ours, theirs)


def merge_memory(base: str | None, ours: str, theirs: str) -> Clean | Conflicted:
    """A memory document with the edits of both sides, by entries.

    The result is as Hermes writes it: entries joined by the delimiter, no newline at the end, with
    the kind of newline that `ours` has. Without a base every difference is a choice. Documents of
    more than `MOST_ENTRIES` entries, which no budget allows, merge by lines: pairing is quadratic.
    """
    newline = lines.newline_of(ours)
    if ours == theirs or theirs == base:
        return Clean(ours)
    if ours == base:
        return Clean(lines.with_newline(theirs, newline))
    own, other = entries.parse(ours), entries.parse(theirs)
    if base is None:
        return _document(entries.two_way_entries(own, other), newline)
    old = entries.parse(base)
    if max(map(len, (old, own, other))) > MOST_ENTRIES:
        return merge_lines(*(lines.with_newline(text, newline) for text in (base, ours, theirs)))
    return _document(entries.merged_parts(old, own, other), newline)


def merge_skill(base: str | None, ours: str, theirs: str) -> Clean | Conflicted:
    """A skill (Markdown with front matter) with the edits of both sides.

    Lines first; inside a conflict the structure resolves what is safe. Without a base every
    difference is a choice.
    """
    if base is None:
        return two_way(ours, theirs)
    merged = merge_lines(base, ours, theirs)
    return markdown.settle(merged, base, ours, theirs)


def _document(parts: Sequence[Part], newline: str) -> Merged:
    joint = lines.with_newline(entries.DELIMITER, newline)
    return assemble([_with_newline(part, newline) for part in parts], joint)


def _with_newline(part: Part, newline: str) -> Part:
    if isinstance(part, str):
        return lines.with_newline(part, newline)
    base = None if part.base is None else lines.with_newline(part.base, newline)
    ours, theirs = (lines.with_newline(text, newline) for text in (part.ours, part.theirs))
    return ConflictRegion(base, ours, theirs, part.base_at, part.ours_at, part.theirs_at)
