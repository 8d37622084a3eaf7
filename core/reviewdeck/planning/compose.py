"""Composes several decisions into one plan: one before, one after, one budget, one digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewdeck.model import Change, Effect, Plan, Proposal, Ready, StagedProposal, Step
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.resolution import resolve
from reviewdeck.planning.stage import in_new_trees, stage
from reviewdeck.ports import Snapshot
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class ChosenProposal:
    """A proposal to apply, as proposed or with the operator's own text."""

    proposal: Proposal
    document: str | None = None
    """The document that `text` replaces; None to apply the proposal as it is."""
    text: str | None = None
    """The operator's own text; None removes the document. Only with `document`."""
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class Composed:
    """The plan of several decisions applied in order."""

    plan: Plan
    staged: Mapping[str, StagedProposal]
    """By proposal id: the proposal staged on what the ones before it leave."""

    @property
    def unapplicable(self) -> tuple[StagedProposal, ...]:
        """The proposals that cannot be applied after the ones before them."""
        return tuple(s for s in self.staged.values() if not isinstance(s.outcome, Ready))


def compose(choices: Sequence[ChosenProposal], snapshot: Snapshot) -> Composed:
    """Stages the choices in order, each on what the ones before it leave."""
    overlay, steps, staged = Overlay(snapshot), list[Step](), dict[str, StagedProposal]()
    for choice in choices:
        outcome = _stage(choice, snapshot, overlay)
        staged[choice.proposal.id] = outcome
        if isinstance(outcome.outcome, Ready):
            steps.extend(outcome.outcome.plan.steps)
            overlay = overlay.after(outcome.outcome.plan.changes)
    return Composed(Plan(snapshot.home, tuple(steps)), staged)


def _stage(choice: ChosenProposal, snapshot: Snapshot, overlay: Overlay) -> StagedProposal:
    if choice.document is None:
        return stage(choice.proposal, overlay, effects=choice.effects)
    as_proposed = stage(choice.proposal, snapshot, effects=choice.effects)
    return resolve(as_proposed, choice.text, choice.document, snapshot, overlay)


def batches(plan: Plan) -> tuple[Plan, ...]:
    """Splits a plan into parts that share no document; each is written completely or not at all."""
    groups: list[tuple[set[str], list[Step]]] = []
    for step in plan.steps:
        keys = {change.tree or change.path for change in step.changes}
        touching = [group for group in groups if any(_overlaps(key, group[0]) for key in keys)]
        if len(touching) == 1:  # nearly always: a thousand additions go to one document
            touching[0][0].update(keys)
            touching[0][1].append(step)
            continue
        groups = [group for group in groups if not any(group is touched for touched in touching)]
        merged = [s for group in touching for s in group[1]]
        groups.append((keys.union(*(group[0] for group in touching)), [*merged, step]))
    order = {step.proposal: position for position, step in enumerate(plan.steps)}
    return tuple(
        Plan(plan.home, tuple(sorted(steps, key=lambda step: order[step.proposal])))
        for _, steps in groups
    )


def _overlaps(key: str, paths: set[str]) -> bool:
    return key in paths or any(
        key.startswith(f"{path}/") or path.startswith(f"{key}/") for path in paths
    )


def writes(plan: Plan) -> tuple[Change, ...]:
    """The physical writes of a plan: what is added to a new tree is published with it."""
    return in_new_trees(plan.changes)
