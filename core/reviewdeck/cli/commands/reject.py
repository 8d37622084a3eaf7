"""`reviewdeck reject`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, FLAG, Options, ProposalId
from reviewdeck.cli.outcomes import print_decision, print_reversal
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.model import SENT_BACK


def reject(
    id: ProposalId,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why: kept, and shown when the same is proposed again.")],
    send_back: Annotated[
        bool, FLAG, Parameter(help="The reason is a note to the agent, which may propose again.")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Reject a proposal with a reason, or revert a change that is live."""
    with engine_for_proposal(options, id) as engine:
        item = engine.find(id)
        note = f"{SENT_BACK}{reason}" if send_back else reason
        if engine.ledger.proposal(item.id).outside:
            done = engine.take_back(item.id, note)
            print_reversal(done, engine.find(item.id), options)
            return 0
        decision = engine.reject(id, note)
        verb = "sent back" if send_back else "rejected"
        print_decision(verb, decision, engine.find(decision.proposal), options)
    return 0
