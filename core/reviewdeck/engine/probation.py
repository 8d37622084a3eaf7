"""What went in without an operator and nobody has seen yet."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from reviewdeck.model import ActorKind, Operation, OperationKind, OperationState

if TYPE_CHECKING:
    from reviewdeck.engine.view import View
    from reviewdeck.ports import Home

_NEWEST: Final = 1_000
"""Operations of a home that are looked through, the newest."""


def on_probation(view: View, home: Home) -> tuple[Operation, ...]:
    """The additions that count as accepted only when somebody marks them seen or time is over.

    Newest first. One that was taken back is not among them.
    """
    since = view.now() - timedelta(days=view.policy().settings.probation_days)
    marks = view.ledger.marks(home.id)
    return tuple(
        one
        for one in view.ledger.operations(home=home.id, limit=_NEWEST)
        if one.actor.kind is ActorKind.POLICY
        and one.kind is OperationKind.APPLY
        and one.state is OperationState.DONE
        and one.undone_by is None
        and one.started_at > since
        and not all(
            marks.cover(change.path, one.finished_at or one.started_at) for change in one.changes
        )
    )
