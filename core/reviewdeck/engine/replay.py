"""Recorded proposals with their outcomes, for a backtest of the policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewdeck.engine.backtest import Backtest, Outcome, Recorded, replay_all
from reviewdeck.engine.engine import Engine
from reviewdeck.model import ActorKind, Decision, Operation, OperationKind, QueueItem, State, Verb
from reviewdeck.model.ledger import Filter
from reviewdeck.origin.agreement import hearings
from reviewdeck.policy.settings import PolicySettings

_PAGE = 500
_DECIDED = frozenset({State.APPLIED, State.REJECTED})


def backtest(engine: Engine, tried: PolicySettings | None = None) -> Backtest:
    """Judges every stored proposal of these homes again, by these settings or today's."""
    today = engine.policy().settings
    return replay_all(_records(engine), today if tried is None else tried, today=today)


def _records(engine: Engine) -> Iterator[Recorded]:
    operations = {
        operation.proposal: operation
        for open_home in engine.open_homes
        for operation in reversed(engine.ledger.operations(home=open_home.home.id))
        if operation.kind is OperationKind.APPLY
    }
    for item in _items(engine):
        operation = operations.get(item.id)
        decisions = engine.ledger.decisions(item.id) if item.state in _DECIDED else ()
        proposal, judgement = engine.ledger.proposal(item.id), engine.ledger.judgement(item.id)
        typed = judgement.origin.typed if judgement is not None and judgement.origin else ()
        yield Recorded(
            proposal,
            _outcome(item, operation, decisions),
            judgement,
            hearings(proposal.edits, typed),
            judged_by=decisions[-1].policy if decisions else "",
            went_in_by_itself=operation is not None and operation.actor.kind is ActorKind.POLICY,
        )


def _items(engine: Engine) -> Iterator[QueueItem]:
    after: int | None = None
    while page := engine.ledger.page(Filter(engine.home_ids), after=after, limit=_PAGE):
        yield from (item for item in page if item.state is not State.QUARANTINED)
        after = page[-1].position


def _outcome(
    item: QueueItem, operation: Operation | None, decisions: Sequence[Decision]
) -> Outcome:
    if item.state is State.REJECTED:
        return Outcome.REJECTED
    if operation is not None and operation.undone_by is not None:
        return Outcome.UNDONE
    if item.state is not State.APPLIED or operation is None:
        return Outcome.OPEN
    if operation.actor.kind is ActorKind.POLICY:
        return Outcome.AUTOMATIC
    verbs = {decision.verb for decision in decisions}
    return Outcome.CHANGED if Verb.MERGE in verbs else Outcome.TAKEN
