"""`reviewdeck diff`."""

from __future__ import annotations

from typing import Any

from reviewdeck.cli.options import DEFAULTS, Options, ProposalId, Reveal
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import fresh_engine
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Conflict, Dead
from reviewdeck.presentation.document_diff import (
    TEXTS,
    changed_documents,
    conflict_view,
    operation_documents,
)
from reviewdeck.presentation.inspection import Inspection, inspect, redaction_of


def diff(
    id: ProposalId,
    /,
    *,
    reveal: Reveal = False,
    options: Options = DEFAULTS,
) -> int:
    """Show what a proposal changes, word by word, and the digest of exactly that."""
    with fresh_engine(options, everywhere=True) as engine:
        inspected = inspect(engine, id)
        if options.json:
            print_json(diff_json(inspected, engine.ledger), exact=TEXTS)
            return 0
        print_diff(inspected, engine.ledger, options, reveal=reveal)
    return 0


def print_diff(
    inspected: Inspection,
    contents: Ledger,
    options: Options,
    *,
    reveal: bool = False,
    is_question: bool = False,
) -> None:
    """Prints what a proposal changes, and the commands; before a question, its findings instead."""
    from reviewdeck.cli import render_proposal

    screen = console(options)
    coloured = screen.color_system is not None
    redaction = redaction_of(inspected, is_off=reveal)
    for line in (
        *render_proposal.diff_lines(inspected, contents, redaction, coloured=coloured),
        *(
            render_proposal.finding_lines(inspected, redaction)
            if is_question
            else render_proposal.command_lines(inspected, options)
        ),
    ):
        screen.print(line, soft_wrap=True)


def diff_json(inspected: Inspection, contents: Ledger) -> dict[str, Any]:
    """The texts and the diff rows of a proposal."""
    outcome = inspected.evaluation.staged.outcome if inspected.evaluation is not None else None
    documents = (
        changed_documents(outcome, inspected.snapshot, inspected.readers)
        if outcome is not None
        else operation_documents(inspected.operations, contents, inspected.snapshot)
    )
    conflict = dead = None
    if isinstance(outcome, Conflict) and inspected.proposal is not None:
        conflict = conflict_view(outcome, inspected.proposal, inspected.snapshot).as_json()
    if isinstance(outcome, Dead):
        dead = {
            "reason": outcome.reason.value,
            "message": outcome.message,
            "candidate": outcome.candidate,
        }
    return {
        "proposal": inspected.proposal.id if inspected.proposal is not None else None,
        "id": inspected.item.id,
        "state": inspected.state.value,
        "reason": inspected.reason,
        "digest": inspected.digest,
        "code": inspected.code,
        "revisions": inspected.revisions,
        "documents": [document.as_json() for document in documents],
        "conflict": conflict,
        "dead": dead,
    }
