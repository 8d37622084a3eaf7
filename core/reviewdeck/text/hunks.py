"""Hunks: the places where one sequence was changed into another.

A change that could be in several places is moved to the one where a reader expects it: an insertion
before "x" that itself begins with "x" is the same change one item further down. The place decides
how a diff reads, and which edits touch in a merge. The rules are git's: removals and additions
slide separately; groups that meet are joined; a group goes where the other side changed too, if
possible, and otherwise as far down as it goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeAlias, TypeVar

from reviewdeck.text.match import Range
from reviewdeck.values import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Hunk:
    """``a[a_start:a_end]`` became ``b[b_start:b_end]``; half open, counted in items."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


def apply(a: Sequence[T], b: Sequence[T], hunks: Sequence[Hunk]) -> list[T]:
    """`a` with the hunks applied; added items are taken from `b`."""
    result: list[T] = []
    at = 0
    for hunk in hunks:
        result.extend(a[at : hunk.a_start])
        result.extend(b[hunk.b_start : hunk.b_end])
        at = hunk.a_end
    result.extend(a[at:])
    return result


Lines: TypeAlias = Sequence[str]
Group: TypeAlias = tuple[int, int, int]
"""Common items before a group of changed ones, and its start and end on its own side."""
Place: TypeAlias = Callable[[Lines, int, int, int], int]
"""Chooses how far down from its highest place a group (start, length, slack) goes."""

MAX_SLACK: Final = 100
"""Places that are compared for one group."""
EFFORT: Final = 20
"""Steps per item of the input; once they are used up, groups stay where they are."""
_STARTS: Final = re.compile(r"\s*(?:#{1,6} |[-*+] |\d+[.)] |```|~~~|\||>)")


def slide_down(a: Lines, b: Lines, changes: Sequence[Range]) -> list[Hunk]:
    """Each group of removed or added items as far down as it goes."""
    return _slide(a, b, changes, lambda lines, start, length, slack: slack)


def slide_to_boundaries(a: Lines, b: Lines, changes: Sequence[Range]) -> list[Hunk]:
    """Each group to where headings, list items and paragraphs begin."""
    return _slide(a, b, changes, _readable)


def _slide(a: Lines, b: Lines, changes: Sequence[Range], place: Place) -> list[Hunk]:
    """Removed items first, then added ones."""
    removed: list[Group] = []
    added: list[Group] = []
    common = at_a = 0
    for a_start, a_end, b_start, b_end in changes:
        common += a_start - at_a
        at_a = a_end
        if a_start < a_end:
            removed.append((common, a_start, a_end))
        if b_start < b_end:
            added.append((common, b_start, b_end))
    removed = _slide_groups(a, removed, {common for common, _, _ in added}, place)
    added = _slide_groups(b, added, {common for common, _, _ in removed}, place)
    return _pair_groups(removed, added)


def _pair_groups(removed: Sequence[Group], added: Sequence[Group]) -> list[Hunk]:
    """Hunks: a removed and an added group with equally many common items before them make one."""
    sizes: dict[int, list[int]] = {}
    for side, groups in enumerate((removed, added)):
        for common, start, end in groups:
            sizes.setdefault(common, [0, 0])[side] = end - start
    hunks = []
    grown_a = grown_b = 0
    for common, (less, more) in sorted(sizes.items()):
        a_start, b_start = common + grown_a, common + grown_b
        hunks.append(Hunk(a_start, a_start + less, b_start, b_start + more))
        grown_a, grown_b = grown_a + less, grown_b + more
    return hunks


def _slide_groups(
    lines: Lines, groups: Sequence[Group], changed_opposite: Collection[int], place: Place
) -> list[Group]:
    """The groups of one side, slid; `changed_opposite` has the common items before each group of
    the other side."""
    waiting = list(groups)[::-1]
    done: list[Group] = []
    effort = EFFORT * len(lines)
    while waiting:
        group = waiting.pop()
        if not _is_loose(lines, group) or effort < 0:
            done.append(group)
            continue
        size = 0
        highest = group
        while size != group[2] - group[1]:
            size = group[2] - group[1]
            highest = group = _up(lines, group, done)
            group = _down(lines, group, waiting)
            effort -= group[0] - highest[0] + size
        done.append(_choose_place(lines, highest, group, changed_opposite, place))
    return done


def _is_loose(lines: Lines, group: Group) -> bool:
    _, start, end = group
    return (start > 0 and lines[start - 1] == lines[end - 1]) or (
        end < len(lines) and lines[start] == lines[end]
    )


def _up(lines: Lines, group: Group, before: list[Group]) -> Group:
    """The group as far up as it goes, joined with the groups that it meets."""
    common, start, end = group
    while start > 0 and lines[start - 1] == lines[end - 1]:
        common, start, end = common - 1, start - 1, end - 1
        while before and before[-1][2] == start:
            start = before.pop()[1]
    return common, start, end


def _down(lines: Lines, group: Group, after: list[Group]) -> Group:
    """The group as far down as it goes, joined with the groups that it meets."""
    common, start, end = group
    while end < len(lines) and lines[start] == lines[end]:
        common, start, end = common + 1, start + 1, end + 1
        while after and after[-1][1] == end:
            end = after.pop()[2]
    return common, start, end


def _choose_place(
    lines: Lines, highest: Group, lowest: Group, changed_opposite: Collection[int], place: Place
) -> Group:
    """The group at the lowest place where the other side changed too, else where `place` says."""
    slack = lowest[0] - highest[0]
    for by in range(slack, -1, -1):
        if highest[0] + by in changed_opposite:
            break
    else:
        by = place(lines, highest[1], highest[2] - highest[1], slack)
    common, start, end = highest
    return common + by, start + by, end + by


def _readable(lines: Lines, start: int, length: int, slack: int) -> int:
    """The offset at which both ends of the group read best; the lowest such."""
    nearest = max(0, slack - MAX_SLACK)
    return min(
        range(nearest, slack + 1),
        key=lambda by: (_cost(lines, start + by) + _cost(lines, start + by + length), -by),
    )


def _cost(lines: Lines, at: int) -> int:
    """How badly a group reads that ends between these two lines."""
    if at in (0, len(lines)):
        return 5
    line, before = lines[at], lines[at - 1]
    if not line.strip():
        return 3 if before.strip() else 2
    if not before.strip():
        return _depth(line)
    return 5 + _depth(line) - (_STARTS.match(line) is not None)


def _depth(line: str) -> int:
    return min(3, (len(line) - len(line.lstrip(" \t"))) // 2)
