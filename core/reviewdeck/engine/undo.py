"""Undoing an operation, and reopening a rejection.

An undo is a proposal like any other: planned, judged, journaled and undoable. A reopened proposal
is pending again, and its rejection counts against nothing any more.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from functools import partial

from reviewdeck.engine import reverse
from reviewdeck.engine.authorisation import is_begun_as
from reviewdeck.engine.auto import refresh_home
from reviewdeck.engine.decide import apply_own
from reviewdeck.engine.engine import Engine, id_from
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.observe import OUTSIDE
from reviewdeck.engine.reverse import Reversal
from reviewdeck.engine.similarity import digests_of
from reviewdeck.engine.undoable import why_not_undoable
from reviewdeck.errors import (
    HomeReadOnly,
    HomeUnavailable,
    NotDecidable,
    NotVerified,
    WriteFailed,
)
from reviewdeck.model import (
    Dead,
    Decision,
    Operation,
    OperationState,
    Proposal,
    RecordedChange,
    Relation,
    Restore,
    State,
    Verb,
)


def undo(context: Engine, operation: str) -> Operation:
    """Undoes an operation: its proposal is pending again, for an operator.

    Where its document has changed since, the undo itself is pending, as a conflict.
    """
    context.operator()
    evaluation = reverse.evaluate(context, _undo_of(context, operation))
    if isinstance(outcome := evaluation.staged.outcome, Dead):
        raise NotDecidable(f"There is nothing to undo. {outcome.message}")
    return apply_own(context, evaluation, "The undo")


def propose_undo(context: Engine, operation: str) -> Evaluation:
    """Proposes the undo of an operation, evaluated against the live home.

    Raises NotDecidable.
    """
    return reverse.store(context, reverse.evaluate(context, _undo_of(context, operation)))


def _check_undoable(context: Engine, target: Operation) -> None:
    if (why := why_not_undoable(context.ledger, target)) is not None:
        hint = f"`reviewdeck undo {target.undone_by}` brings it back." if target.undone_by else None
        raise NotDecidable(why, hint=hint)
    if target.state is not OperationState.DONE:
        raise NotDecidable(f"The operation {target.id} is {target.state}: it wrote nothing.")
    if not target.settled:
        raise NotDecidable(
            f"The operation {target.id} is not finished: its follow-up steps are still to be done.",
            hint="`reviewdeck recover` finishes it.",
        )
    if context.authority.signs and not is_begun_as(context.ledger.begun(target.id), target):
        raise NotVerified(f"The operation {target.id} is not what the log says was begun.")


def _undo_of(context: Engine, operation: str) -> Reversal:
    target = context.ledger.operation(operation)
    _check_undoable(context, target)
    original = context.ledger.proposal(target.proposal)
    return Reversal(
        home=target.home,
        kind=original.kind,
        action="undo",
        target=original.target,
        edits=tuple(_restore_edit(context, change) for change in reversed(target.changes)),
        summary=f"take back the operation {target.id}",
        payload=_payload_for(context, f"undo:{target.id}"),
        undoes=target.id,
    )


def _payload_for(context: Engine, seed: str) -> str:
    """The payload of an undo: the same one again while it is open, and another once decided."""
    payload = reverse.payload_of(seed)
    state = context.ledger.state_of(payload[:12])
    if state is None or state.is_open:
        return payload
    return reverse.payload_of(f"{seed}:{context.new_id()}")


def _restore_edit(context: Engine, change: RecordedChange) -> Restore:
    return Restore(
        document=change.path,
        applied=reverse.stored_bytes(context, change.path, change.after),
        previous=reverse.stored_bytes(context, change.path, change.before),
        mode=change.mode if change.was_mode is None else change.was_mode,
        tree=change.tree,
        was_mode=None if change.was_mode is None else change.mode,
    )


def reopen(context: Engine, id: str, reason: str) -> tuple[Decision, Proposal]:
    """Puts a rejected proposal back into the queue, under a new id, or a kept one under its own.

    The rejection stays in the log. Proposals that were held because of the rejected text are
    evaluated again. Raises NotDecidable for any other state, or when it is pending again already.
    """
    operator = context.operator()
    full_id = context.ledger.resolve(id, context.home_ids)
    is_kept = context.ledger.state_of(full_id) is State.KEPT
    if not is_kept:
        _check_rejected(full_id, context.ledger.state_of(full_id))
    rejected = context.ledger.proposal(full_id)
    decision = Decision(
        id=context.new_id(),
        proposal=full_id,
        verb=Verb.REOPEN,
        actor=operator,
        at=context.now(),
        digest=context.ledger.item(full_id).digest,
        reason=reason.strip(),
        policy=context.judge(),
    )
    if is_kept:
        disclaim = partial(context.ledger.disclaim, rejected, OUTSIDE)
        context.record(decision, State.LIVE, (State.KEPT,), disclaim)
        refresh_home(context, context.home_of(rejected))
        return decision, rejected
    if not rejected.edits:  # An unreadable record keeps its id.
        context.record(decision, State.QUARANTINED, (State.REJECTED,))
        return decision, rejected
    again = _reopened(context, rejected)
    context.record(decision, State.REJECTED, (State.REJECTED,))
    context.ledger.forget(again.home, Relation.REJECTED, full_id)
    with suppress(WriteFailed, HomeReadOnly, HomeUnavailable):  # Then it waits for an operator.
        digests = digests_of(rejected)
        context.home_of(again).writer.note_rejected(digests, taken_back=True)
    context.ledger.add([again], {})
    context.ledger.stage([context.evaluator(again).evaluate(again).as_staging()])
    refresh_home(context, context.home_of(again))
    return decision, again


def _check_rejected(id: str, state: State | None) -> None:
    if state is not State.REJECTED:
        raise NotDecidable(
            f"The proposal {id} is {state}: only a rejection can be reopened.",
            hint="`reviewdeck undo OPERATION` undoes a write.",
        )


def _reopened(context: Engine, rejected: Proposal) -> Proposal:
    """The rejected proposal under a new id and without a pending file."""
    seed = f"reopen:{rejected.id}"
    state = context.ledger.state_of(id_from(seed))
    if state is not None and state.is_open:
        raise NotDecidable(f"It is waiting again already, as {id_from(seed)}.")
    if state is not None:
        seed = f"{seed}:{context.new_id()}"  # The reopened one was decided meanwhile.
    return replace(
        rejected,
        id=id_from(seed),
        source=None,
        outside=(),
        payload_sha=hashlib.sha256(seed.encode()).hexdigest(),
        ingested_at=context.now(),
    )
