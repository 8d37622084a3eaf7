"""Three versions of a text merged by lines, in the manner of diff3 and git."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.text import lines
from reviewdeck.text.conflicts import Clean, Conflicted, ConflictRegion, Part, assemble
from reviewdeck.text.diff import merging_hunks
from reviewdeck.text.threeway import Region, regions


def merge_lines(base: str, ours: str, theirs: str) -> Clean | Conflicted:
    """The text with the edits of both sides; a conflict where they overlap or touch."""
    if ours == theirs or theirs == base:
        return Clean(ours)
    if ours == base:
        return Clean(theirs)
    b, o, t = lines.split(base), lines.split(ours), lines.split(theirs)
    parts: list[Part] = []
    at = 0
    for region in regions(merging_hunks(b, o), merging_hunks(b, t)):
        parts.append("".join(b[at : region.base_start]))
        parts.append(_settle(region, b, o, t))
        at = region.base_end
    parts.append("".join(b[at:]))
    return assemble(parts)


def _settle(region: Region, b: Sequence[str], o: Sequence[str], t: Sequence[str]) -> Part:
    """The merged text of one region, or a conflict."""
    base = "".join(b[region.base_start : region.base_end])
    ours = "".join(o[region.ours_start : region.ours_end])
    theirs = "".join(t[region.theirs_start : region.theirs_end])
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    return ConflictRegion(
        base, ours, theirs, region.base_start, region.ours_start, region.theirs_start
    )


def two_way(ours: str, theirs: str) -> Clean | Conflicted:
    """A merge without a common ancestor: every difference is a conflict."""
    o, t = lines.split(ours), lines.split(theirs)
    parts: list[Part] = []
    at = 0
    for hunk in merging_hunks(o, t):
        parts.append("".join(o[at : hunk.a_start]))
        old, new = o[hunk.a_start : hunk.a_end], t[hunk.b_start : hunk.b_end]
        parts.append(
            ConflictRegion(None, "".join(old), "".join(new), -1, hunk.a_start, hunk.b_start)
        )
        at = hunk.a_end
    parts.append("".join(o[at:]))
    return assemble(parts)
