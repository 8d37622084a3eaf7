"""`reviewdeck reject`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.session import deciding
from reviewdeck.cli.told import tell_decision


def reject(
    id: Annotated[str, Parameter(help="The proposal: our id, a unique prefix, or Hermes' id.")],
    /,
    *,
    reason: Annotated[str, Parameter(help="Why: it is kept, and shown when it is proposed again.")],
    options: Options = DEFAULTS,
) -> int:
    """Turn a proposal down, for good, with a reason."""
    with deciding(options, id) as deck:
        decision = deck.reject(id, reason)
        tell_decision("rejected", decision, deck.find(decision.proposal), options)
    return 0
