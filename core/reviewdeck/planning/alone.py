"""What of a merge needed nobody: which side changed what, where the other left it as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewdeck.planning.merging import Merging
from reviewdeck.text import entries, lines
from reviewdeck.text.conflicts import Clean, Take, resolve
from reviewdeck.text.diff import diff


class By(StrEnum):
    """Whose change it is."""

    LIVE = "live"
    PROPOSED = "proposed"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Alone:
    """One change that merged by itself."""

    by: By
    at: int
    """Index of the entry or line in the merged text."""
    removed: tuple[str, ...]
    added: tuple[str, ...]


def merged_alone(merging: Merging) -> tuple[Alone, ...]:
    """Every change outside of the places, in order. None is known without a base."""
    sides, ground = merging.sides, merging.ground
    if not sides.base_known or sides.base is None or merging.is_whole:
        return ()
    kept = resolve(ground, dict.fromkeys(range(len(ground.hunks)), Take.BASE))
    if not isinstance(kept, Clean) or kept.text == sides.base:
        return ()
    is_memory = bool(ground.joint)
    base, merged, live, proposed = (
        units_of(text or "", is_memory=is_memory)
        for text in (sides.base, kept.text, sides.live, sides.proposed)
    )
    known = frozenset(live), frozenset(proposed)
    found = []
    for hunk in diff(base, merged):
        removed, added = base[hunk.a_start : hunk.a_end], merged[hunk.b_start : hunk.b_end]
        by = _by(removed, added, *known)
        found.append(Alone(by, hunk.b_start, tuple(removed), tuple(added)))
    return tuple(found)


def units_of(text: str, *, is_memory: bool) -> list[str]:
    """What a text is made of: entries for a memory, else lines with their ends."""
    return list(entries.parse(text)) if is_memory else lines.split(text)


def _by(
    removed: Sequence[str], added: Sequence[str], live: frozenset[str], proposed: frozenset[str]
) -> By:
    by_live, by_proposed = (
        all(unit in side for unit in added) and (bool(added) or _lacks(side, removed))
        for side in (live, proposed)
    )
    if by_live == by_proposed:
        return By.BOTH
    return By.LIVE if by_live else By.PROPOSED


def _lacks(side: frozenset[str], removed: Sequence[str]) -> bool:
    return any(unit not in side for unit in removed)
