"""Three-way merges of plain text, memory documents and skills.

`merge` works by lines and is tested against git; `merge_memory` and `merge_skill` know the
structure of the two kinds of document. None of them guesses: edits that are not plainly safe to
combine become a conflict, and a conflict is a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reviewdeck.text import entries, lines, markdown
from reviewdeck.text.conflicts import Clean, Conflicted, ConflictRegion, Merged, Part, assemble
from reviewdeck.text.linemerge import merge_lines, two_way

MOST_ENTRIES: Final = 1_000


def merge(base: str, ours: str, theirs: str) -> Clean | Conflicted:
    """The text with the edits of both sides, by lines. Edits that overlap or touch conflict.

    This is diff3 over the hunks of a histogram diff, with git's rule for edits that touch.
    Positions in conflicts are indices of lines. Never raises; symmetric up to the names of the
    sides; linear in time and memory.
    """
    return merge_lines(base, ours, theirs)


def merge_memory(base: str | None, ours: str, theirs: str) -> Clean | Conflicted:
    """A memory document with the edits of both sides, by entries.

    The result is in Hermes' format: entries joined by the delimiter, no newline at the end, with
    the newlines of `ours`. Without a base every difference is a conflict. Documents of more than
    `MOST_ENTRIES` entries, which no budget allows, merge by lines: pairing is quadratic.
    """
    newline = lines.newline_of(ours)
    if ours == theirs or theirs == base:
        return Clean(ours)
    if ours == base:
        return Clean(lines.with_newline(theirs, newline))
    our_entries, their_entries = entries.parse(ours), entries.parse(theirs)
    if base is None:
        return _document(entries.two_way_entries(our_entries, their_entries), newline)
    old = entries.parse(base)
    if max(map(len, (old, our_entries, their_entries))) > MOST_ENTRIES:
        return merge_lines(*(lines.with_newline(text, newline) for text in (base, ours, theirs)))
    parts = entries.merged_parts(old, our_entries, their_entries)
    if parts == list(our_entries):
        return Clean(ours)  # theirs adds nothing: the white space of ours stays as it is
    return _document(parts, newline)


def merge_skill(base: str | None, ours: str, theirs: str) -> Clean | Conflicted:
    """A skill (Markdown with front matter) with the edits of both sides.

    By lines first; a conflict is then resolved by structure where that is safe. Without a base
    every difference is a conflict.
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
