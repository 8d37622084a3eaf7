"""Whether an operation can still be undone."""

from __future__ import annotations

from collections.abc import Iterator

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Operation, State


def why_not_undoable(ledger: Ledger, operation: Operation) -> str | None:
    """Why an operation that wrote cannot be undone any more; None where it can.

    An undo that is undone applies the proposal again that it had taken back: unless an operator
    has applied that one anew.
    """
    if operation.undone_by is not None:
        return f"The operation {operation.id} was undone already, by {operation.undone_by}."
    for proposal in applied_again(ledger, operation):
        if ledger.state_of(proposal) is State.APPLIED:
            return f"The proposal {proposal} was applied again since it was undone."
    return None


def applied_again(ledger: Ledger, operation: Operation) -> Iterator[str]:
    """The proposals that the undo of an operation applies again: those that it had undone."""
    undone = operation.undoes
    while undone is not None:
        again = ledger.operation(undone)
        yield again.proposal
        undone = None if again.undoes is None else ledger.operation(again.undoes).undoes
