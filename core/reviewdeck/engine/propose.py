"""Proposals that come from no file: judged as they come, and taken in when there is something
to decide.
"""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.proposed import AlreadyKnown, Declined, Proposed, Queued
from reviewdeck.engine.refresh import refresh
from reviewdeck.engine.similarity import indexed_of, subjects_of
from reviewdeck.model import Dead, DeadReason, Edit, Proposal, Relation, SkillChange, State

REJECTED = "An operator has rejected this. It is not proposed again."

_ON_THE_WAY = (State.APPROVED, State.APPLYING)


def propose(engine: EngineContext, proposal: Proposal, record: bytes) -> Proposed:
    """Takes a proposal in, unless there is nothing in it to decide.

    The same question is not asked twice, and an inapplicable proposal never waits: its author
    gets the reason, and may correct it.
    """
    state = engine.ledger.state_of(proposal.id)
    if state is State.REJECTED:
        return Declined(REJECTED)
    if state is not None and (state.is_open or state in _ON_THE_WAY):
        return AlreadyKnown("The same proposal is waiting for an operator already.", proposal.id)
    if state is not None:  # An earlier one was decided, and proposed again.
        proposal = replace(proposal, id=engine.new_id())
    evaluation = engine.evaluator(proposal).evaluate(proposal)
    if isinstance(dead := evaluation.staged.outcome, Dead):
        is_there = dead.reason is DeadReason.ALREADY_THERE
        return AlreadyKnown(dead.message) if is_there else Declined(dead.message)
    if (answer := _known_answer(evaluation)) is not None:
        return answer
    engine.ledger.add([proposal], {proposal.payload_sha: record}, {}, indexed_of(proposal))
    refresh(engine.home_of(proposal).home, engine.ledger, engine.now(), policy=engine.policy())
    return Queued(engine.evaluator(proposal).evaluate(proposal))


def _known_answer(evaluation: Evaluation) -> Proposed | None:
    """The answer for a proposal whose texts are all pending or rejected already; None otherwise."""
    subjects, edits = subjects_of(evaluation.proposal), evaluation.proposal.edits
    if not subjects or len(subjects) < len(edits) or _rewrites(edits):
        return None
    same = {
        likeness.text.strip(): likeness
        for likeness in evaluation.similar
        if likeness.exact and likeness.relation in {Relation.PENDING, Relation.REJECTED}
    }
    if not all(subject.text in same for subject in subjects):
        return None
    first = same[subjects[0].text]
    if first.relation is Relation.REJECTED:
        return Declined(REJECTED)
    return AlreadyKnown("The same proposal is waiting for an operator already.", first.where)


def _rewrites(edits: tuple[Edit, ...]) -> bool:
    """Whether it edits a skill: there the compared texts are not the whole edit."""
    return any(isinstance(edit, SkillChange) for edit in edits)
