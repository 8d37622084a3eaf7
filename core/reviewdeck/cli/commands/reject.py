"""`reviewdeck reject`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.session import deciding
from reviewdeck.cli.told import tell_decision, tell_reverted


def reject(
    id: Annotated[str, Parameter(help="The proposal: our id, a unique prefix, or Hermes' id.")],
    /,
    *,
    reason: Annotated[str, Parameter(help="Why: it is kept, and shown when it is proposed again.")],
    options: Options = DEFAULTS,
) -> int:
    """Turn a proposal down, for good, with a reason, or take back what is live."""
    with deciding(options, id) as deck:
        item = deck.find(id)
        if deck.ledger.proposal(item.id).outside:
            done = deck.take_back(item.id, reason)
            tell_reverted(done, deck.find(item.id), options)
            return 0
        decision = deck.reject(id, reason)
        tell_decision("rejected", decision, deck.find(decision.proposal), options)
    return 0
