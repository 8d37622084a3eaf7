"""Undoing an operation, and reopening a rejection.

An undo is a proposal like any other: planned, judged, journaled and undoable. A reopened proposal
is pending again, and its rejection counts against nothing any more.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from reviewdeck.engine.authorisation import is_begun_as
from reviewdeck.engine.auto import stage_again
from reviewdeck.engine.context import Desk, id_from
from reviewdeck.engine.decide import carry_out
from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.engine.journal import Approval
from reviewdeck.errors import LedgerDamaged, NotDecidable, NotVerified
from reviewdeck.model import (
    ABSENT,
    Conflict,
    Dead,
    Decision,
    Operation,
    OperationState,
    Proposal,
    Ready,
    RecordedChange,
    Relation,
    Restore,
    Revision,
    State,
    Verb,
    revision_of,
)


def undo(desk: Desk, operation: str) -> Operation:
    """Takes an operation back. When its document moved on, the undo waits as a conflict."""
    operator = desk.operator()
    target = desk.ledger.operation(operation)
    _check_undoable(desk, target)
    proposal = _undo_proposal(desk, target)
    evaluation = desk.evaluator(proposal).evaluate(proposal)
    if not isinstance(evaluation.staged.outcome, Dead):
        desk.ledger.add([proposal], {})
        desk.ledger.stage([evaluation.as_staging()])
    match evaluation.staged.outcome:
        case Ready(plan):
            approval = Approval(evaluation.proposal, operator)
            return carry_out(desk, evaluation, plan, approval, plan.digest)
        case Conflict(reason=reason):
            hint = f"It waits in the queue: see `reviewdeck diff {proposal.id}`, then merge it."
            raise NotDecidable(f"The undo meets a later change. {reason}", hint=hint)
        case Dead(message=message):
            raise NotDecidable(f"There is nothing to take back. {message}")


def propose_undo(desk: Desk, operation: str) -> Evaluation:
    """Puts the taking back of an operation into the queue, as it stands now.

    Raises NotDecidable.
    """
    target = desk.ledger.operation(operation)
    _check_undoable(desk, target)
    proposal = _undo_proposal(desk, target)
    desk.ledger.add([proposal], {})
    evaluation = desk.evaluator(proposal).evaluate(proposal)
    desk.ledger.stage([evaluation.as_staging()])
    return evaluation


def _check_undoable(desk: Desk, target: Operation) -> None:
    if target.undone_by is not None:
        raise NotDecidable(
            f"The operation {target.id} was taken back already, by {target.undone_by}.",
            hint=f"`reviewdeck undo {target.undone_by}` brings it back.",
        )
    if target.state is not OperationState.DONE:
        raise NotDecidable(f"The operation {target.id} is {target.state}: it wrote nothing.")
    if not target.settled:
        raise NotDecidable(
            f"The operation {target.id} is not finished: something that follows it is left to do.",
            hint="`reviewdeck recover` finishes it.",
        )
    if desk.authority.signs and not is_begun_as(desk.ledger.begun(target.id), target):
        raise NotVerified(f"The operation {target.id} is not what the log says was begun.")


def _undo_proposal(desk: Desk, target: Operation) -> Proposal:
    """Taking back is a proposal like any other: planned, judged, journaled, undoable."""
    original = desk.ledger.proposal(target.proposal)
    seed = f"undo:{target.id}"
    known = desk.ledger.state_of(id_from(seed))
    if known is not None and not known.is_open:
        seed = f"undo:{target.id}:{desk.new_id()}"  # An earlier undo of it was decided.
    return Proposal(
        id=id_from(seed),
        home=target.home,
        kind=original.kind,
        action="undo",
        target=original.target,
        edits=tuple(_restoring(desk, change) for change in reversed(target.changes)),
        payload_sha=hashlib.sha256(seed.encode()).hexdigest(),
        origin="operator",
        summary=f"take back: {original.summary}",
        created_at=desk.now(),
        ingested_at=desk.now(),
        undoes=target.id,
    )


def _restoring(desk: Desk, change: RecordedChange) -> Restore:
    return Restore(
        document=change.path,
        applied=_kept(desk, change.path, change.after),
        previous=_kept(desk, change.path, change.before),
        mode=change.mode,
        tree=change.tree,
    )


def _kept(desk: Desk, path: str, revision: Revision) -> bytes | None:
    """The bytes of a revision; None for no document. Raises NotDecidable when they were pruned."""
    data = desk.ledger.content(revision)
    if data is None and revision != ABSENT:
        raise NotDecidable(
            f"What {path} was at that time is not kept any more.",
            hint="It is older than the retention of the ledger. A backup of it may have the text.",
        )
    if data is not None and revision_of(data) != revision:
        raise LedgerDamaged(f"What is kept of {path} is not what was stored.")
    return data


def reopen(desk: Desk, id: str, reason: str) -> tuple[Decision, Proposal]:
    """Puts a rejected proposal back into the queue, under an id of its own.

    The rejection stays in the log. What was proposed against the rejected text meanwhile is
    looked at afresh. Raises NotDecidable for anything that is not rejected, or that waits again.
    """
    operator = desk.operator()
    whole = desk.ledger.resolve(id, desk.home_ids)
    _check_rejected(whole, desk.ledger.state_of(whole))
    rejected = desk.ledger.proposal(whole)
    decision = Decision(
        id=desk.new_id(),
        proposal=whole,
        verb=Verb.REOPEN,
        actor=operator,
        at=desk.now(),
        digest=desk.ledger.item(whole).digest,
        reason=reason.strip(),
        policy=desk.judge(),
    )
    if not rejected.edits:  # A record that could not be read lies where it lay: it waits as itself.
        desk.record(decision, State.QUARANTINED, (State.REJECTED,))
        return decision, rejected
    again = _again(desk, rejected)
    desk.record(decision, State.REJECTED, (State.REJECTED,))
    desk.ledger.forget(again.home, Relation.REJECTED, whole)
    desk.ledger.add([again], {})
    desk.ledger.stage([desk.evaluator(again).evaluate(again).as_staging()])
    stage_again(desk, desk.home_of(again))
    return decision, again


def _check_rejected(id: str, state: State | None) -> None:
    if state is not State.REJECTED:
        raise NotDecidable(
            f"The proposal {id} is {state}: only a rejection can be taken back like this.",
            hint="`reviewdeck undo OPERATION` takes back what was written.",
        )


def _again(desk: Desk, rejected: Proposal) -> Proposal:
    """The same edits from the same author and time: only the record is ours now."""
    seed = f"reopen:{rejected.id}"
    known = desk.ledger.state_of(id_from(seed))
    if known is not None and known.is_open:
        raise NotDecidable(f"It waits again already, as {id_from(seed)}.")
    if known is not None:
        seed = f"{seed}:{desk.new_id()}"  # What waited again was decided meanwhile.
    return replace(
        rejected,
        id=id_from(seed),
        source=None,
        payload_sha=hashlib.sha256(seed.encode()).hexdigest(),
        ingested_at=desk.now(),
    )
