"""A version in which one entry alone is another one, or gone, merged without pairing everything.

A short cut and no rule of its own: the entry is there on the other side as it was in the base, so
nothing that the other side did has to do with it, and the general merge comes to the same list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reviewdeck.text.pairing import EDITED, likeness

Entries: TypeAlias = Sequence[str]
"""Entries of which each stands once."""


def merge_lone(base: Entries, ours: Entries, theirs: Entries) -> list[str] | None:
    """Ours with the one edit of theirs; None where there is more to it."""
    at = _first_difference(base, theirs)
    if at >= len(base) or base[at] not in ours:
        return None
    old = base[at]
    if base[at + 1 :] == theirs[at:]:
        return [entry for entry in ours if entry != old]
    if at >= len(theirs) or base[at + 1 :] != theirs[at + 1 :]:
        return None
    new = theirs[at]
    if not likeness(old, new, EDITED):
        return None
    return [new if entry == old else entry for entry in ours]


def _first_difference(one: Entries, other: Entries) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))
