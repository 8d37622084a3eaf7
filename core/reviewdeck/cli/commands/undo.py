"""`reviewdeck undo`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.outcomes import print_operation
from reviewdeck.cli.session import engine_for_operation
from reviewdeck.engine.written import written_item


def undo(
    operation: Annotated[
        str, Parameter(help="The operation, or a unique prefix: reviewdeck log shows them.")
    ],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Undo an operation: its proposal is waiting again, for an operator.

    If its document has changed since, the undo is queued as a conflict.
    """
    with engine_for_operation(options, operation) as engine:
        undoing = engine.undo(operation)
        undone = engine.find(engine.ledger.operation(operation).proposal)
        waits = undone.id if undone.state.is_open else ""
        item = written_item(engine.ledger, undoing)
        print_operation("undid", undoing, item, options, reopened=waits)
    return 0
