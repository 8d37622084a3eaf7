"""Caps on what goes in without an operator, counted from what the ledger knows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from reviewdeck.desk import Desk
from reviewdeck.model import (
    ActorKind,
    MemoryAdd,
    Operation,
    OperationKind,
    OperationState,
    Proposal,
)
from reviewdeck.policy.caps import Ask, Caps, Choice, Load, Spent, choose
from reviewdeck.ports import OpenHome

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_RECENT = 5_000
"""Operations that are looked at: more within a day are beyond every cap."""


def within_caps(
    desk: Desk, one: OpenHome, safe: Mapping[str, str], caps: Caps | None = None
) -> dict[str, str]:
    """What of these proposals may go in now; the rest stays in the queue."""
    chosen = set(choose_now(desk, one, safe, caps or Caps()).now)
    return {id: rule for id, rule in safe.items() if id in chosen}


def choose_now(desk: Desk, one: OpenHome, safe: Mapping[str, str], caps: Caps) -> Choice:
    """Which of these proposals go in now, and why the others wait."""
    found = {proposal.id: proposal for proposal in desk.ledger.proposals(list(safe))}
    asks = [Ask(id, _loads(found[id])) for id in safe if id in found]
    return choose(asks, spent_at(desk, one), caps)


def spent_at(desk: Desk, one: OpenHome) -> Spent:
    """What went into this home without an operator lately."""
    now = desk.now()
    operations = [
        operation
        for operation in desk.ledger.operations(home=one.home.id, limit=_RECENT)
        if _counts(operation) and now - operation.started_at <= _DAY
    ]
    today: dict[str, Load] = {}
    for operation in operations:
        for path, load in _loads(desk.ledger.proposal(operation.proposal)).items():
            today[path] = today.get(path, Load()) + load
    counts = desk.ledger.counts([one.home.id])
    snapshot = one.home.snapshot()
    limits = {path: snapshot.budget(path) for path in one.home.documents()}
    return Spent(
        waiting=sum(number for state, number in counts.by_state.items() if state.is_open),
        last_hour=sum(now - operation.started_at <= _HOUR for operation in operations),
        today=today,
        limits={path: limit for path, limit in limits.items() if limit is not None},
    )


def _counts(operation: Operation) -> bool:
    is_automatic = operation.actor.kind is ActorKind.POLICY
    went_in = operation.state in {OperationState.DONE, OperationState.INTENT}
    return is_automatic and went_in and operation.kind is OperationKind.APPLY


def _loads(proposal: Proposal) -> dict[str, Load]:
    loads: dict[str, Load] = {}
    for edit in proposal.edits:
        if isinstance(edit, MemoryAdd):
            load = Load(1, len(edit.content))
            loads[edit.document] = loads.get(edit.document, Load()) + load
    return loads
