"""Recorded proposals with what became of them, for a look back at the policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewdeck.desk import Desk
from reviewdeck.likeness import live_subjects
from reviewdeck.model import ActorKind, Decision, Operation, OperationKind, QueueItem, State, Verb
from reviewdeck.policy.backtest import Backtest, Case, Outcome, look_back
from reviewdeck.policy.tuning import Tuning
from reviewdeck.ports import Filter

_PAGE = 500
_DECIDED = frozenset({State.APPLIED, State.REJECTED})


def backtest(desk: Desk, tuning: Tuning | None = None) -> Backtest:
    """Judges everything that the ledger has of these homes again, by this policy or today's."""
    today = desk.policy().tuning
    tried = today if tuning is None else tuning
    texts = {
        one.home.id: "\n".join(
            subject.text for subject in live_subjects(one.home.documents(), one.home.snapshot())
        )
        for one in desk.homes
    }
    return look_back(_cases(desk), tried, today=today, live_text=lambda home: texts.get(home, ""))


def _cases(desk: Desk) -> Iterator[Case]:
    operations = {
        operation.proposal: operation
        for one in desk.homes
        for operation in reversed(desk.ledger.operations(home=one.home.id))
        if operation.kind is OperationKind.APPLY
    }
    for item in _items(desk):
        yield _case(desk, item, operations.get(item.id))


def _case(desk: Desk, item: QueueItem, operation: Operation | None) -> Case:
    decisions = desk.ledger.decisions(item.id) if item.state in _DECIDED else ()
    return Case(
        desk.ledger.proposal(item.id),
        _outcome(item, operation, decisions),
        judged_by=decisions[-1].policy if decisions else "",
        went_in_by_itself=operation is not None and operation.actor.kind is ActorKind.POLICY,
    )


def _items(desk: Desk) -> Iterator[QueueItem]:
    after: int | None = None
    while page := desk.ledger.page(Filter(desk.home_ids), after=after, limit=_PAGE):
        yield from (item for item in page if item.state is not State.QUARANTINED)
        after = page[-1].position


def _outcome(
    item: QueueItem, operation: Operation | None, decisions: Sequence[Decision]
) -> Outcome:
    if item.state is State.REJECTED:
        return Outcome.REJECTED
    if item.state is not State.APPLIED or operation is None:
        return Outcome.OPEN
    if operation.undone_by is not None:
        return Outcome.UNDONE
    if operation.actor.kind is ActorKind.POLICY:
        return Outcome.AUTOMATIC
    verbs = {decision.verb for decision in decisions}
    return Outcome.CHANGED if Verb.MERGE in verbs else Outcome.TAKEN
