"""`reviewdeck defer`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.chosen import Id, Outcomes, States, Targets, Words
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.outcomes import print_decision
from reviewdeck.model import Verb


def defer(
    *ids: Id,
    reason: Annotated[str, Parameter(help="The reason, for whoever decides later.")] = "",
    state: States = (),
    words: Words = None,
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """A deferred proposal comes back when it changes, and is never applied automatically."""
    choice = Targets("defer", ids, state, words)
    with choice.opened(options) as (engine, items):
        if choice.is_single:
            decision = engine.defer(items[0].id, reason)
            print_decision("deferred", decision, engine.find(decision.proposal), options)
            return 0
        if not choice.is_agreed(items, options, yes=yes):
            return 0
        return Outcomes(options).decide_each(engine, items, Verb.DEFER, reason, "deferred")
