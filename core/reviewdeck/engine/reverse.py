"""What an operator takes back or restores: one proposal of `Restore` edits, whatever the reason.

An undo, a revert, a document as it was and an operator's own text are all documents that go from
one content to another. Each is a proposal like any other: planned against what is live, judged,
journaled and undoable.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.errors import LedgerDamaged, NotDecidable
from reviewdeck.model import ABSENT, Draft, Kind, Proposal, Restore, Revision, Verb, revision_of


@dataclass(frozen=True, slots=True)
class Reversal:
    """Documents that shall be as they were, or otherwise, and why."""

    home: str
    kind: Kind
    action: str
    target: str
    edits: tuple[Restore, ...]
    summary: str
    payload: str
    """SHA-256 of what is wanted: the same wish again is the same proposal while it is open."""
    undoes: str | None = None
    """The operation that is undone: its bookkeeping is undone as well."""
    takes_back: str | None = None
    """The change outside review that is taken back."""


def evaluate(context: Engine, reversal: Reversal) -> Evaluation:
    """The proposal of a reversal against the live home. Changes nothing."""
    now = context.now()
    proposal = Proposal(
        id=_id_for(context, reversal.payload),
        home=reversal.home,
        kind=reversal.kind,
        action=reversal.action,
        target=reversal.target,
        edits=reversal.edits,
        payload_sha=reversal.payload,
        origin="operator",
        summary=reversal.summary,
        created_at=now,
        ingested_at=now,
        undoes=reversal.undoes,
        takes_back=reversal.takes_back,
    )
    return context.evaluator(proposal).evaluate(proposal)


def store(context: Engine, evaluation: Evaluation) -> Evaluation:
    """Queues the proposal of a reversal."""
    context.ledger.add([evaluation.proposal], {})
    context.ledger.stage([evaluation.as_staging()])
    return evaluation


def payload_of(wish: str) -> str:
    """The payload of a wish."""
    return hashlib.sha256(wish.encode("utf-8", "surrogatepass")).hexdigest()


def take_back_id(context: Engine, id: str, reason: str) -> str:
    """The id of the newest proposal that takes a change back for this reason."""
    return newest_payload(context, id, reason)[:12]


def newest_payload(context: Engine, id: str, reason: str) -> str:
    """The payload of that proposal. Each but the first follows one that was decided."""
    payload = payload_of(f"{id}:{reason}")
    while context.ledger.state_of((following := next_payload(payload))[:12]) is not None:
        payload = following
    return payload


def next_payload(payload: str) -> str:
    return payload_of(f"{payload}:again")


def is_take_back(context: Engine, draft: Draft) -> bool:
    """Whether it rejects a change that is live already: then another draft undoes it."""
    return draft.verb is Verb.REJECT and bool(context.ledger.proposal(draft.proposal).outside)


def drop_own(context: Engine, proposal: str) -> None:
    """Takes an operator's own proposal out of the queue, with its draft."""
    if context.ledger.proposal(proposal).is_operators:
        context.ledger.drop(proposal, "its draft was dropped: nothing was decided")


def stored_bytes(context: Engine, path: str, revision: Revision) -> bytes | None:
    """The bytes of a document's revision; None for no document.

    Raises NotDecidable when they were pruned, LedgerDamaged when they are not what was stored.
    """
    data = context.ledger.content(revision)
    if data is None and revision != ABSENT:
        raise NotDecidable(
            f"What {path} was at that time is not kept any more.",
            hint="It is older than the retention of the ledger. A backup of it may have the text.",
        )
    if data is not None and revision_of(data) != revision:
        raise LedgerDamaged(f"What is kept of {path} is not what was stored.")
    return data


def _id_for(context: Engine, payload: str) -> str:
    """The id of a payload's proposal: a new one once the earlier one was decided."""
    state = context.ledger.state_of(payload[:12])
    if state is None or state.is_open:
        return payload[:12]
    return payload_of(f"{payload}:{context.new_id()}")[:12]
