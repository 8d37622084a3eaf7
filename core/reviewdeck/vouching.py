"""Whether an interrupted batch may be ended: its decisions are checked, or worked out again.

Where decisions are signed, a row of the ledger is no reason to write. What operators decided has
to carry their signature. What the policy decided carries none: it is worked out once more from the
proposals, and has to come to the same bytes by the same judgement.
"""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.desk import Desk
from reviewdeck.model import ActorKind, Change
from reviewdeck.planning.compose import ChosenProposal, compose, writes
from reviewdeck.planning.overlay import Overlay
from reviewdeck.ports import OpenBatch, OpenHome
from reviewdeck.recovery import Check
from reviewdeck.standing import batch_flaw


def flaw_of(desk: Desk, one: OpenHome) -> Check:
    """The check for the batches of one home."""

    def check(batch: OpenBatch) -> str | None:
        if not desk.authority.signs:
            return None
        operators = [op for op in batch.operations if op.actor.kind is not ActorKind.POLICY]
        flaw = batch_flaw(desk.authority, operators, batch.decisions, batch.about)
        if flaw is None and len(operators) < len(batch.operations):
            flaw = _policy_flaw(desk, one, batch) if not operators else "It is of two minds."
        return flaw

    return check


def _policy_flaw(desk: Desk, one: OpenHome, batch: OpenBatch) -> str | None:
    """Why the policy would not write this batch now, on the home as it was before."""
    desk = desk.holding()
    suspended = desk.authority.why_nothing_is_automatic(desk.policy().mark)
    if suspended is not None:
        return f"Nothing is applied by itself: {suspended}."
    evaluator = desk.evaluator(desk.ledger.proposal(batch.operations[0].proposal))
    before = [_taken_back(change) for change in batch.writes]
    evaluator.snapshot = Overlay(evaluator.snapshot, before)
    proposals = [desk.ledger.proposal(op.proposal) for op in batch.operations]
    known = [evaluator.with_bases(proposal) for proposal in proposals]
    composed = compose([ChosenProposal(proposal) for proposal in known], evaluator.snapshot)
    if not _is_same(writes(composed.plan), batch.writes):
        return "It is not what its proposals come to."
    if not all(evaluator.evaluate(proposal).is_automatic for proposal in proposals):
        return "The policy does not let it through."
    return None


def _taken_back(change: Change) -> Change:
    return replace(change, before=change.after, after=change.before)


def _is_same(planned: tuple[Change, ...], stored: tuple[Change, ...]) -> bool:
    def said(changes: tuple[Change, ...]) -> set[tuple[str, bytes | None, bytes | None]]:
        return {(one.path, one.before, one.after) for one in changes}

    return said(planned) == said(stored)
