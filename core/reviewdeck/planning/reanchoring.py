"""A dead proposal aimed anew: at the nearest thing that is live, for an operator to look at.

Nothing here is ever applied by itself: it gives a merge of two texts in which all is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from rapidfuzz import fuzz

from reviewdeck.model import (
    Dead,
    Edit,
    Kind,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Ready,
    SkillPatch,
    StagedProposal,
)
from reviewdeck.planning.merging import Merging, Sides, side_by_side
from reviewdeck.planning.rebase import merge_for
from reviewdeck.planning.staging import stage
from reviewdeck.ports import Snapshot
from reviewdeck.text.conflicts import Conflicted

MOST_EDITS: Final = 50
"""Of a batch that are tried as the one whose target is gone."""


@dataclass(frozen=True, slots=True)
class Reanchored:
    """The likely new place of a dead proposal, and the merge there."""

    merging: Merging
    place: str
    """The text that is live there."""
    likeness: float
    """Of that text and what was looked for, 0 to 100."""


def reanchor(staged: StagedProposal, snapshot: Snapshot) -> Reanchored | None:
    """A two-way merge at the nearest place; None where there is none, or nothing fits there."""
    dead = staged.outcome
    if not isinstance(dead, Dead) or not dead.candidate:
        return None
    proposal = staged.proposal
    for number, edit in enumerate(proposal.edits[:MOST_EDITS]):
        for aimed, sought in _aimed(edit, dead.candidate):
            edits = (*proposal.edits[:number], aimed, *proposal.edits[number + 1 :])
            found = stage(replace(proposal, edits=edits, bases={}), snapshot).outcome
            merging = _merging(found, proposal) if isinstance(found, Ready) else None
            if merging is not None:
                likeness = fuzz.token_set_ratio(sought.casefold(), dead.candidate.casefold())
                return Reanchored(merging, dead.candidate, likeness)
    return None


def _aimed(edit: Edit, candidate: str) -> Iterator[tuple[Edit, str]]:
    """The edit at another place, and what it looked for."""
    match edit:
        case MemoryReplace() | MemoryRemove():
            sought = edit.matched_entry or edit.old_text
            yield replace(edit, old_text=candidate, matched_entry=candidate), sought
        case SkillPatch():
            yield replace(edit, old_string=candidate, replace_all=False), edit.old_string
        case _:
            return


def _merging(found: Ready, proposal: Proposal) -> Merging | None:
    """Of several documents that change, the first; all of it is a choice."""
    change = next(iter(found.plan.changes), None)
    if change is None or change.before is None or change.after is None:
        return None
    live, proposed = change.before.decode("utf-8"), change.after.decode("utf-8")
    sides = Sides(change.path, None, live, proposed, base_known=False)
    if proposal.kind is Kind.MEMORY:
        return Merging(sides, side_by_side(live, proposed))
    merged = merge_for(proposal, change.path)(None, live, proposed)
    return Merging(sides, merged) if isinstance(merged, Conflicted) else None
