"""Reopening: a rejection is taken back, and counts against nothing any more."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from functools import partial

from reviewdeck.engine.auto import refresh_home
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.observe import OUTSIDE
from reviewdeck.engine.similarity import digests_of
from reviewdeck.errors import HomeReadOnly, HomeUnavailable, NotDecidable, WriteFailed
from reviewdeck.model import Decision, Proposal, Relation, State, Verb


def reopen(engine: EngineContext, id: str, reason: str) -> tuple[Decision, Proposal]:
    """Puts a rejected proposal back into the queue, under a new id, or a kept one under its own.

    The rejection stays in the log. Proposals that were held because of the rejected text are
    evaluated again. Raises NotDecidable for any other state, or when it is pending again already.
    """
    operator = engine.operator()
    full_id = engine.ledger.resolve(id, engine.home_ids)
    is_kept = engine.ledger.state_of(full_id) is State.KEPT
    if not is_kept:
        _check_rejected(full_id, engine.ledger.state_of(full_id))
    rejected = engine.ledger.proposal(full_id)
    decision = Decision(
        id=engine.new_id(),
        proposal=full_id,
        verb=Verb.REOPEN,
        actor=operator,
        at=engine.now(),
        digest=engine.ledger.item(full_id).digest,
        reason=reason.strip(),
        policy=engine.judge(),
    )
    if is_kept:
        disclaim = partial(engine.ledger.disclaim, rejected, OUTSIDE)
        engine.record(decision, State.LIVE, (State.KEPT,), disclaim)
        refresh_home(engine, engine.home_of(rejected))
        return decision, rejected
    if not rejected.edits:  # An unreadable record keeps its id.
        engine.record(decision, State.QUARANTINED, (State.REJECTED,))
        return decision, rejected
    again = _reopened(engine, rejected)
    is_here = engine.home_of(again).sight is None

    def requeue() -> None:
        engine.ledger.forget(again.home, Relation.REJECTED, full_id)
        engine.ledger.add([again], {})
        if not is_here:
            engine.ledger.put_errand(decision, digests_of(rejected))

    with engine.uninterrupted():
        engine.record(decision, State.REJECTED, (State.REJECTED,), requeue)
        with suppress(WriteFailed, HomeReadOnly, HomeUnavailable):  # Then it waits for an operator.
            digests = digests_of(rejected)
            engine.home_of(again).writer.note_rejected(digests, taken_back=True)
    refresh_home(engine, engine.home_of(again))
    return decision, again


def _check_rejected(id: str, state: State | None) -> None:
    if state is not State.REJECTED:
        raise NotDecidable(
            f"The proposal {id} is {state}: only a rejection can be reopened.",
            hint="`reviewdeck undo OPERATION` undoes a write.",
        )


def _reopened(engine: EngineContext, rejected: Proposal) -> Proposal:
    """The rejected proposal under a new id and without a pending file."""
    seed = f"reopen:{rejected.id}"
    state = engine.ledger.state_of(_id_from(seed))
    if state is not None and state.is_open:
        raise NotDecidable(f"It is waiting again already, as {_id_from(seed)}.")
    if state is not None:
        seed = f"{seed}:{engine.new_id()}"  # The reopened one was decided meanwhile.
    return replace(
        rejected,
        id=_id_from(seed),
        source=None,
        outside=(),
        payload_sha=hashlib.sha256(seed.encode()).hexdigest(),
        ingested_at=engine.now(),
    )


def _id_from(seed: str) -> str:
    """The same seed gives the same id."""
    return hashlib.sha256(seed.encode()).hexdigest()[:12]
