"""Several decisions worked out together: one before, one after, one budget, one digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewdeck.model import Change, Effect, Plan, Proposal, Ready, StagedProposal, Step
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.resolution import resolve
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Snapshot


@dataclass(frozen=True, slots=True)
class ChosenProposal:
    """One proposal that was decided on, as it is or with the operator's own text."""

    proposal: Proposal
    document: str | None = None
    """For the operator's own text: the document that it is for."""
    text: str | None = None
    """The operator's own text; None lets the document go away. Only with `document`."""
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class Composed:
    """What the decisions come to when they are applied in order."""

    plan: Plan
    staged: Mapping[str, StagedProposal]
    """By proposal: how it stood when its turn came."""

    @property
    def left_out(self) -> tuple[StagedProposal, ...]:
        """Those that do not fit after the ones before them."""
        return tuple(s for s in self.staged.values() if not isinstance(s.outcome, Ready))


def compose(wanted: Sequence[ChosenProposal], snapshot: Snapshot) -> Composed:
    """Works decisions out in order, each on what the ones before it leave."""
    overlay, steps, staged = Overlay(snapshot), list[Step](), dict[str, StagedProposal]()
    for one in wanted:
        outcome = _stage(one, snapshot, overlay)
        staged[one.proposal.id] = outcome
        if isinstance(outcome.outcome, Ready):
            steps.extend(outcome.outcome.plan.steps)
            overlay = overlay.after(outcome.outcome.plan.changes)
    return Composed(Plan(snapshot.home, tuple(steps)), staged)


def _stage(one: ChosenProposal, seen: Snapshot, overlay: Overlay) -> StagedProposal:
    if one.document is None:
        return stage(one.proposal, overlay, effects=one.effects)
    as_proposed = stage(one.proposal, seen, effects=one.effects)
    return resolve(as_proposed, one.text, one.document, seen, overlay)


def batches(plan: Plan) -> tuple[Plan, ...]:
    """Splits a plan into parts that share no document: each is written all or not at all."""
    groups: list[tuple[set[str], list[Step]]] = []
    for step in plan.steps:
        keys = _keys(step.changes)
        touching = [group for group in groups if any(_meet(key, group[0]) for key in keys)]
        if len(touching) == 1:  # nearly always: a thousand additions go to one document
            touching[0][0].update(keys)
            touching[0][1].append(step)
            continue
        groups = [group for group in groups if not any(group is one for one in touching)]
        merged = [s for group in touching for s in group[1]]
        groups.append((keys.union(*(group[0] for group in touching)), [*merged, step]))
    order = {step.proposal: position for position, step in enumerate(plan.steps)}
    return tuple(
        Plan(plan.home, tuple(sorted(steps, key=lambda step: order[step.proposal])))
        for _, steps in groups
    )


def _keys(changes: Iterable[Change]) -> set[str]:
    return {change.tree or change.path for change in changes}


def _meet(key: str, others: set[str]) -> bool:
    return key in others or any(
        key.startswith(f"{other}/") or other.startswith(f"{key}/") for other in others
    )


def writes(plan: Plan) -> tuple[Change, ...]:
    """The physical writes of a plan: what is added to a new tree is published with it."""
    changes = plan.changes
    trees = {change.tree for change in changes if change.tree and change.before is None}
    return tuple(_with_tree(change, trees) for change in changes)


def _with_tree(change: Change, trees: set[str]) -> Change:
    if change.tree is not None or change.before is not None:
        return change
    home = next((tree for tree in trees if change.path.startswith(f"{tree}/")), None)
    return replace(change, tree=home)
