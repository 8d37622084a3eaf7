"""`reviewdeck reopen`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.presentation.items import decision_json
from reviewdeck.presentation.proposal_words import request_line


def reopen(
    id: Annotated[str, Parameter(help="The rejected proposal: its id, or a unique prefix.")],
    /,
    *,
    reason: Annotated[str, Parameter(help="Why, for the log.")] = "",
    options: Options = DEFAULTS,
) -> int:
    """Reopen a rejected proposal: it is waiting again, under a new id."""
    with engine_for_proposal(options, id) as engine:
        decision, again = engine.reopen(id, reason)
        if options.json:
            print_json({"decision": decision_json(decision), "proposal": again.id})
        else:
            say(f"reopened {decision.proposal}: {request_line(engine.find(again.id))}")
            if again.id != decision.proposal:
                say(f"it is waiting as {again.id}, and its text no longer counts as rejected")
    return 0
