"""Preparing decisions: drafts are put, replaced and withdrawn, and have no effect yet."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.engine import reverse
from reviewdeck.engine.decidable import approvable
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.model import Draft, Verb


def put_drafts(engine: Engine, drafts: Sequence[Draft]) -> bool:
    """Stores drafts, each in the place of an earlier one; says whether the queue changed.

    The rejection of a live change is drafted with its revert, and replaced with it.
    Raises what `draft_rejection` raises.
    """
    earlier = {draft.proposal: draft for draft in engine.drafts}
    is_queue_changed = False
    for draft in drafts:
        last = earlier.get(draft.proposal)
        if last is not None and reverse.is_take_back(engine, last):
            is_queue_changed |= withdraw(engine, draft.proposal)
        if reverse.is_take_back(engine, draft):
            draft_rejection(engine, draft)
            is_queue_changed = True
        else:
            engine.ledger.put_draft(draft)
    return is_queue_changed


def draft_undo(engine: Engine, operation: str) -> Draft:
    """Drafts the undo of an operation: it goes through the summary like every decision.

    Raises NotDecidable when it was taken back already, or when only a merge can do it.
    """
    return draft_own(engine, reverse.undo(engine, operation), f"undo of {operation}")


def draft_own(engine: Engine, evaluation: Evaluation, reason: str) -> Draft:
    """Drafts an operator's own proposal: an undo, a revert, a restore, a text of their own.

    Raises NotDecidable when only a merge can do it: then it waits in the queue.
    """
    digest = approvable(reverse.store(engine, evaluation)).digest
    draft = Draft(evaluation.proposal.id, Verb.APPROVE, digest, engine.now(), reason=reason)
    engine.ledger.put_draft(draft)
    return draft


def draft_rejection(engine: Engine, draft: Draft) -> None:
    """Drafts the rejection of a live change, and with it the proposal that takes it back.

    Raises NotDecidable when only a merge can do it: then it waits in the queue.
    """
    change = engine.ledger.proposal(draft.proposal)
    draft_own(engine, reverse.take_back(engine, change, draft.reason), draft.reason)
    engine.ledger.put_draft(draft)


def withdraw(engine: Engine, proposal: str) -> bool:
    """Takes a draft back. An operator's own proposal leaves the queue with its draft.

    That is no decision: nothing is rejected or signed, and it can be drafted again.
    """
    drafts = {draft.proposal: draft for draft in engine.drafts}
    cleared = engine.ledger.clear_draft(proposal)
    if cleared and reverse.is_take_back(engine, drafts[proposal]):
        withdraw(engine, reverse.take_back_id(engine, proposal, drafts[proposal].reason))
    if cleared:
        reverse.drop_own(engine, proposal)
    return cleared
