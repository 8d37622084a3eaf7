"""`reviewdeck undo`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.outcomes import print_operation
from reviewdeck.cli.session import deck_for_operation


def undo(
    operation: Annotated[
        str, Parameter(help="The operation, or a unique prefix: reviewdeck log shows them.")
    ],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Take an operation back: its proposal waits again, for a person.

    Where its document moved on, the undo waits in the queue as a conflict.
    """
    with deck_for_operation(options, operation) as deck:
        undoing = deck.undo(operation)
        undone = deck.find(deck.ledger.operation(operation).proposal)
        waits = undone.id if undone.state.is_open else ""
        print_operation("took back", undoing, deck.find(undoing.proposal), options, reopened=waits)
    return 0
