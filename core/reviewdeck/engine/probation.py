"""Automatically applied additions that nobody has seen yet."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from reviewdeck.model import ActorKind, Operation, OperationKind, OperationState

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine
    from reviewdeck.ports import Home

NEWEST: Final = 1_000
"""Operations of a home that are looked through, the newest."""


def on_probation(view: Engine, home: Home) -> tuple[Operation, ...]:
    """The additions that count as accepted only once marked seen, or when probation ends.

    Newest first, without undone ones.
    """
    since = view.now() - timedelta(days=view.policy().settings.probation_days)
    marks = view.ledger.marks(home.id)
    return tuple(
        operation
        for operation in view.ledger.operations(home=home.id, limit=NEWEST)
        if operation.actor.kind is ActorKind.POLICY
        and operation.kind is OperationKind.APPLY
        and operation.state is OperationState.DONE
        and operation.undone_by is None
        and operation.started_at > since
        and not all(
            marks.cover(change.path, operation.finished_at or operation.started_at)
            for change in operation.changes
        )
    )
