"""Stages a proposal against a home: Ready, Conflict or Dead, with findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast, get_args

from reviewdeck.model import (
    Change,
    Conflict,
    Dead,
    DeadReason,
    DocumentWrite,
    Edit,
    Effect,
    Finding,
    Kind,
    MemoryEdit,
    Plan,
    Proposal,
    Ready,
    Restore,
    SkillChange,
    SkillCreate,
    SkillEdit,
    SkillPatch,
    SkillWriteFile,
    Staged,
    StagedProposal,
    Step,
)
from reviewdeck.planning.documents import stage_document
from reviewdeck.planning.memory import stage_memory
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.parts import EditResult, links_of
from reviewdeck.planning.skill_stage import stage_restore, stage_skill
from reviewdeck.planning.skills import check_batch, file_of, with_folder_names
from reviewdeck.ports import Snapshot
from reviewdeck.values import dataclass

Group: TypeAlias = "tuple[MemoryEdit, ...] | tuple[SkillChange, ...] | DocumentWrite | Restore"
"""Edits that are staged together: those of one memory, or of one text of a skill."""

_MEMORY_EDITS = get_args(MemoryEdit)
_SKILL_TEXTS = (SkillCreate, SkillEdit, SkillPatch, SkillWriteFile)


@dataclass(frozen=True, slots=True)
class _Progress:
    """The result of the groups staged so far."""

    overlay: Overlay
    changes: tuple[Change, ...] = ()
    effects: tuple[Effect, ...] = ()
    findings: tuple[Finding, ...] = ()
    conflict: Conflict | None = None


def stage(
    proposal: Proposal, snapshot: Snapshot, *, effects: Sequence[Effect] = ()
) -> StagedProposal:
    """Stages a proposal against a home.

    `effects` are bookkeeping in addition to that of its edits: an undo reverts the bookkeeping of
    the undone operation with them.
    """
    proposal = replace(proposal, edits=with_folder_names(proposal.edits, snapshot))
    progress = _Progress(Overlay(snapshot), effects=tuple(effects))
    if problem := _problem(proposal):
        return StagedProposal(proposal, problem)
    for group in _groups(proposal):
        part = _stage_group(group, proposal, progress.overlay)
        advanced = _advance(progress, part)
        if isinstance(advanced, Dead):
            return StagedProposal(proposal, advanced, progress.findings + part.findings)
        progress = advanced
    return StagedProposal(proposal, _conclude(proposal, progress), progress.findings)


def _problem(proposal: Proposal) -> Dead | None:
    if not proposal.edits:
        return Dead(DeadReason.INVALID, "It asks for nothing.")
    if proposal.kind is Kind.SKILLS and proposal.action == "batch":
        return check_batch(cast("tuple[SkillChange, ...]", proposal.edits))
    return None


def _groups(proposal: Proposal) -> list[Group]:
    """The edits in groups that are staged one after the other.

    Edits of one text form a group: each applies to the result of the one before, and their author
    saw the text before all of them.
    """
    groups: dict[object, list[Edit]] = {}
    for number, edit in enumerate(proposal.edits):
        groups.setdefault(_key(edit, number), []).append(edit)
    return [_group(edits) for edits in groups.values()]


def _key(edit: Edit, number: int) -> object:
    if isinstance(edit, _MEMORY_EDITS):
        return cast("MemoryEdit", edit).document
    if isinstance(edit, _SKILL_TEXTS):
        return edit.name, file_of(edit)
    return number


def _group(edits: Sequence[Edit]) -> Group:
    if isinstance(edits[0], Restore | DocumentWrite):
        return edits[0]
    return cast("tuple[MemoryEdit, ...] | tuple[SkillChange, ...]", tuple(edits))


def _stage_group(group: Group, proposal: Proposal, overlay: Overlay) -> EditResult:
    if isinstance(group, Restore):
        return stage_restore(group, proposal, overlay)
    if isinstance(group, DocumentWrite):
        return stage_document(group, proposal, overlay)
    if isinstance(group[0], _MEMORY_EDITS):
        return stage_memory(cast("tuple[MemoryEdit, ...]", group), proposal, overlay)
    return stage_skill(cast("tuple[SkillChange, ...]", group), proposal, overlay)


def _advance(progress: _Progress, part: EditResult) -> _Progress | Dead:
    """Adds the result of one group; Dead at a second conflict, which one screen cannot resolve."""
    conflict = progress.conflict
    if isinstance(part.outcome, Dead):
        return part.outcome
    if isinstance(part.outcome, Conflict):
        if conflict is not None:
            return Dead(
                DeadReason.MOVED,
                f"Both {conflict.path} and {part.outcome.path} changed since it was proposed.",
            )
        conflict = part.outcome
    return _Progress(
        overlay=progress.overlay.after(part.changes),
        changes=progress.changes + part.changes,
        effects=progress.effects + part.effects,
        findings=progress.findings + part.findings,
        conflict=conflict,
    )


def _conclude(proposal: Proposal, progress: _Progress) -> Staged:
    changes = in_new_trees(progress.changes)
    if progress.conflict is not None:
        return replace(progress.conflict, others=changes, effects=progress.effects)
    links = links_of(changes, progress.overlay)
    step = Step(proposal.id, proposal.payload_sha, changes, progress.effects, links)
    plan = Plan(proposal.home, (step,))
    if not plan.changes:
        return Dead(DeadReason.ALREADY_THERE, "All that it asks for is done already.")
    return Ready(plan)


def in_new_trees(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes, with what is added to a tree that they create: it is published with the tree."""
    trees = {change.tree for change in changes if change.tree and change.before is None}
    return tuple(_in_new_tree(change, trees) for change in changes)


def _in_new_tree(change: Change, trees: set[str]) -> Change:
    if change.tree is not None or change.before is not None:
        return change
    around = [tree for tree in trees if change.path.startswith(f"{tree}/")]
    return replace(change, tree=max(around, key=len, default=None))
