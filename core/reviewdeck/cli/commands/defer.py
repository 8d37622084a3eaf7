"""`reviewdeck defer`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options, ProposalId
from reviewdeck.cli.outcomes import print_decision
from reviewdeck.cli.session import engine_for_proposal


def defer(
    id: ProposalId,
    /,
    *,
    reason: Annotated[str, Parameter(help="The reason, for whoever decides later.")] = "",
    options: Options = DEFAULTS,
) -> int:
    """Defer a proposal until it changes."""
    with engine_for_proposal(options, id) as engine:
        decision = engine.defer(id, reason)
        print_decision("deferred", decision, engine.find(decision.proposal), options)
    return 0
