"""A version in which one entry alone is another one, or gone, merged without pairing everything.

A short cut and no rule of its own: where the other side cannot have done anything to that entry,
or did nothing but let it go, the general merge comes to the same list. It compares every entry
that went with every one that came, for each of the proposals that wait, whenever a memory changes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from reviewdeck.text.pairing import EDITED, RIVALS, likeness

Entries: TypeAlias = Sequence[str]
"""Entries of which each stands once."""


def merge_lone(base: Entries, ours: Entries, theirs: Entries) -> list[str] | None:
    """Ours with the one edit of theirs; None where there may be more to it."""
    at = _first_difference(base, theirs)
    rest = base[at + 1 :]
    if at >= len(base) or rest not in (theirs[at:], theirs[at + 1 :]):
        return None
    old, known = base[at], frozenset(base)
    came = [entry for entry in ours if entry not in known]
    is_there = old in ours
    if not is_there and _is_any_like(old, came, EDITED):
        return None  # ours may have edited it
    left = [entry for entry in ours if entry != old]
    if rest == theirs[at:]:
        return left
    new = theirs[at]
    if likeness(old, new, EDITED):
        return [new if entry == old else entry for entry in ours] if is_there else None
    if new in ours or _is_any_like(new, came, RIVALS):
        return None
    place = _place(base, left, at)
    return None if place is None else [*left[:place], new, *left[place:]]


def _place(base: Entries, left: Entries, at: int) -> int | None:
    """Where an entry goes that theirs has at this place of the base: behind what stands before.

    Only where neither what stands before it nor what follows is an entry that came.
    """
    if at == len(base) - 1:
        return len(left)
    if not any(entry in left for entry in base[at + 1 :]):
        return None
    if at and base[at - 1] not in left:
        return None
    place = left.index(base[at - 1]) + 1 if at else 0
    return place if place == len(left) or left[place] in base else None


def _is_any_like(one: str, others: Collection[str], least: float) -> bool:
    return any(likeness(one, other, least) for other in others)


def _first_difference(one: Entries, other: Entries) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))
