"""Proposals that come from no file: judged as they come, and taken in when there is something
to decide.
"""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.engine.proposed import NothingNew, Proposed, TakenUp, TurnedAway
from reviewdeck.engine.refresh import refresh
from reviewdeck.engine.similarity import indexed_of, subjects_of
from reviewdeck.model import (
    Dead,
    DeadReason,
    Edit,
    Likeness,
    Proposal,
    Relation,
    SkillChange,
    State,
)

REJECTED = "An operator has rejected this. It is not proposed again."

_ON_THE_WAY = (State.APPROVED, State.APPLYING)


def propose(context: EngineContext, proposal: Proposal, record: bytes) -> Proposed:
    """Takes a proposal in, unless there is nothing in it to decide.

    Nobody is asked the same question twice, and what cannot be applied never waits: its author is
    told, and may correct it.
    """
    state = context.ledger.state_of(proposal.id)
    if state is State.REJECTED:
        return TurnedAway(REJECTED)
    if state is not None and (state.is_open or state in _ON_THE_WAY):
        return NothingNew("The same proposal is waiting for an operator already.", proposal.id)
    if state is not None:  # It was decided, and things came to be as they were before.
        proposal = replace(proposal, id=context.new_id())
    evaluation = context.evaluator(proposal).evaluate(proposal)
    if isinstance(dead := evaluation.staged.outcome, Dead):
        is_there = dead.reason is DeadReason.ALREADY_THERE
        return NothingNew(dead.message) if is_there else TurnedAway(dead.message)
    if (known := _known(evaluation)) is not None:
        return known
    context.ledger.add([proposal], {proposal.payload_sha: record}, {}, indexed_of(proposal))
    refresh(context.home_of(proposal).home, context.ledger, context.now(), policy=context.policy())
    return TakenUp(context.evaluator(proposal).evaluate(proposal))


def _known(evaluation: Evaluation) -> Proposed | None:
    """What is known of every text that it brings in; None when something is new."""
    said, edits = subjects_of(evaluation.proposal), evaluation.proposal.edits
    if not said or len(said) < len(edits) or _rewrites(edits):
        return None
    same = {one.text.strip(): one for one in evaluation.alike if one.exact and _settles(one)}
    if not all(subject.text in same for subject in said):
        return None
    first = same[said[0].text]
    if first.relation is Relation.REJECTED:
        return TurnedAway(REJECTED)
    return NothingNew("The same proposal is waiting for an operator already.", first.where)


def _settles(likeness: Likeness) -> bool:
    return likeness.relation in {Relation.PENDING, Relation.REJECTED}


def _rewrites(edits: tuple[Edit, ...]) -> bool:
    """For skills the texts that are compared are not all that an edit says."""
    return any(isinstance(edit, SkillChange) for edit in edits)
