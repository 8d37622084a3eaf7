"""`reviewdeck withdraw`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options, ProposalId
from reviewdeck.cli.outcomes import print_decision
from reviewdeck.cli.session import engine_for_proposal
from reviewdeck.engine.quorum import withdraw_vote


def withdraw(id: ProposalId, /, *, options: Options = DEFAULTS) -> int:
    """Where two operators have to approve a proposal, the first approval is a vote."""
    with engine_for_proposal(options, id) as engine:
        decision = withdraw_vote(engine, id)
        item = engine.find(decision.proposal)
        print_decision("withdrew the vote about", decision, item, options)
    return 0
