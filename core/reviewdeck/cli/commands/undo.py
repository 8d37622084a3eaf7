"""`reviewdeck undo`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.commands.restore import print_outcome
from reviewdeck.cli.consent import is_confirmed
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.outcomes import print_operation
from reviewdeck.cli.output import say
from reviewdeck.cli.session import engine_for_operation, fresh_engine
from reviewdeck.cli.usage import missing
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.reverse import undo as evaluate_undo
from reviewdeck.engine.written import written_item
from reviewdeck.errors import NotDecidable
from reviewdeck.model import OperationState
from reviewdeck.presentation.elsewhere import waiting_for
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import age_of
from reviewdeck.terminal import is_terminal


def undo(
    operation: Annotated[
        str | None,
        Parameter(
            help="The operation, or a unique prefix: reviewdeck log shows them. Without it, a"
            " terminal shows the last one and asks."
        ),
    ] = None,
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Its proposal is waiting again, for an operator.

    If its document has changed since, the undo is queued as a conflict.
    """
    digest = None
    if operation is None:
        if options.json or not is_terminal():
            raise missing("undo", "OPERATION", "`reviewdeck log` shows the operations.")
        with fresh_engine(options, everywhere=True, writes=True) as engine:
            operation, digest = _show_last(engine, options)
        if not is_confirmed(yes=False, question="Undo exactly this? [y/N] "):
            return 0
    with engine_for_operation(options, operation) as engine:
        undoing = engine.undo(operation, digest)
        named = engine.ledger.operation(operation)
        undone = engine.find(named.proposal)
        waits = undone.id if undone.state.is_open else ""
        item = written_item(engine.ledger, undoing)
        print_operation(
            "undid",
            undoing,
            item,
            options,
            reopened=waits,
            undone=named.id,
            waits_for=waiting_for(engine, undoing),
        )
    return 0


def _show_last(engine: Engine, options: Options) -> tuple[str, str | None]:
    """Prints what undoing the last operation would do; gives its id, and the digest of that."""
    done = [
        operation
        for home in engine.home_ids
        for operation in engine.ledger.operations(home=home)
        if operation.state is OperationState.DONE
        and operation.undone_by is None
        and operation.undoes is None
    ]
    if not done:
        raise NotDecidable(
            "There is no operation to undo.", hint="`reviewdeck log` shows the past."
        )
    last = max(done, key=lambda operation: operation.started_at)
    request = request_line(written_item(engine.ledger, last))
    say(f"{last.id}: {request}, {age_of(last.started_at, utc_now())} ago, by {last.actor.name}")
    evaluation = evaluate_undo(engine, last.id)
    print_outcome(engine.home(last.home), evaluation, options)
    return last.id, evaluation.digest
