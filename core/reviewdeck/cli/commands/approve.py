"""`reviewdeck approve`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, FLAG, Options, ProposalId
from reviewdeck.cli.outcomes import print_decision, print_operation
from reviewdeck.cli.prompts import confirm
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.engine.decide import CommitReport
from reviewdeck.engine.written import written_item
from reviewdeck.model import OUTSIDE
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact


def approve(
    id: ProposalId,
    /,
    *,
    digest: Annotated[
        str,
        Parameter(help="The digest at the end of reviewdeck diff ID; 12 digits are enough."),
    ],
    supersede: Annotated[
        bool,
        Parameter(
            negative=(), help="Supersede all other waiting proposals about the same subject."
        ),
    ] = False,
    mine: Annotated[
        bool, FLAG, Parameter(help="Keep a live change as written by you: the history names you.")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Apply a proposal exactly as its diff showed it, or keep a change that is live.

    If the change would now do anything else, nothing is written.
    """
    with engine_for_proposal(options, id) as engine:
        item, named, ask = engine.find(id), digest.strip().lower(), partial(confirm, engine)
        if mine or item.action == OUTSIDE:
            keep = engine.claim if mine else engine.keep
            decision = keep(item.id, named, confirm=ask)
            verb = "claimed" if mine else "kept"
            print_decision(verb, decision, engine.find(decision.proposal), options)
            return 0
        if supersede:
            operation, others = engine.approve_for_all(item.id, named, ask)
        else:
            operation, others = engine.approve(item.id, named, ask), CommitReport()
        superseded = [(engine.find(each.proposal), each) for each in others.decisions]
        item = written_item(engine.ledger, operation)
        print_operation("applied", operation, item, options, superseded, digest=named)
        for id, warning in others.warnings.items():
            warn(f"reviewdeck: {id}: " + redact(f"{warning.message} {warning.hint}".rstrip()))
    return 0
