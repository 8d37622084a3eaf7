"""`reviewdeck reject`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.session import deciding
from reviewdeck.cli.told import tell_decision
from reviewdeck.model import SENT_BACK


def reject(
    id: Annotated[str, Parameter(help="The proposal: our id, a unique prefix, or Hermes' id.")],
    /,
    *,
    reason: Annotated[str, Parameter(help="Why: it is kept, and shown when it is proposed again.")],
    send_back: Annotated[
        bool, FLAG, Parameter(help="The reason is a note to the agent: it may propose anew.")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Turn a proposal down, for good, with a reason."""
    with deciding(options, id) as deck:
        decision = deck.reject(id, f"{SENT_BACK}{reason}" if send_back else reason)
        tell_decision(
            "sent back" if send_back else "rejected",
            decision,
            deck.find(decision.proposal),
            options,
        )
    return 0
