"""The regions of three versions of a sequence in which at least one side changed the base.

The regions are those of diff3 (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3",
2007), with git's rule that edits which touch belong together.
"""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.text.hunks import Hunk
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """A range of the base that at least one side changed, and the matching ranges of the sides."""

    base_start: int
    base_end: int
    ours_start: int
    ours_end: int
    theirs_start: int
    theirs_end: int
    by_ours: bool
    """Whether ours changed something here."""
    by_theirs: bool


def regions(ours: Sequence[Hunk], theirs: Sequence[Hunk], *, apart: int = 0) -> list[Region]:
    """The changed regions, in order; the base between two of them is common to all versions.

    Both arguments are diffs from the base, in order. Edits that overlap, touch, or have no more
    than `apart` items between them fall into one region. Linear in the number of hunks.
    """
    changed_regions: list[Region] = []
    i = j = 0
    while i < len(ours) or j < len(theirs):
        first_i, first_j = i, j
        end = min(side[at].a_start for side, at in ((ours, i), (theirs, j)) if at < len(side))
        while True:
            if i < len(ours) and ours[i].a_start <= end + apart:
                end, i = max(end, ours[i].a_end), i + 1
            elif j < len(theirs) and theirs[j].a_start <= end + apart:
                end, j = max(end, theirs[j].a_end), j + 1
            else:
                break
        changed_regions.append(_region(ours, theirs, (first_i, i), (first_j, j), end))
    return changed_regions


def _region(
    ours: Sequence[Hunk],
    theirs: Sequence[Hunk],
    our_span: tuple[int, int],
    their_span: tuple[int, int],
    end: int,
) -> Region:
    start = min(
        side[span[0]].a_start
        for side, span in ((ours, our_span), (theirs, their_span))
        if span[0] < span[1]
    )
    ours_shift, ours_growth = _shift(ours, our_span)
    theirs_shift, theirs_growth = _shift(theirs, their_span)
    return Region(
        start,
        end,
        start + ours_shift,
        end + ours_shift + ours_growth,
        start + theirs_shift,
        end + theirs_shift + theirs_growth,
        our_span[0] < our_span[1],
        their_span[0] < their_span[1],
    )


def _shift(hunks: Sequence[Hunk], span: tuple[int, int]) -> tuple[int, int]:
    """A side's offset against the base before these hunks, and how many items they add."""
    first, after = span
    before = hunks[first - 1].b_end - hunks[first - 1].a_end if first else 0
    last = hunks[after - 1].b_end - hunks[after - 1].a_end if after else 0
    return before, last - before
