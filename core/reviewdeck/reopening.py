"""Taking a rejection back: what was wanted waits again, and is held against nothing any more."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from reviewdeck.auto import stage_again
from reviewdeck.desk import Desk, id_from
from reviewdeck.errors import NotDecidable
from reviewdeck.model import Decision, Proposal, Relation, State, Verb


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
