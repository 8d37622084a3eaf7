"""`reviewdeck reject`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.chosen import Id, Outcomes, States, Targets, Words
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.outcomes import print_decision, print_reversal
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import SENT_BACK, QueueItem, Verb
from reviewdeck.presentation.elsewhere import waiting_for


def reject(
    *ids: Id,
    reason: Annotated[str, Parameter(help="Why: kept, and shown when the same is proposed again.")],
    send_back: Annotated[
        bool, Parameter(help="The reason is a note to the agent, which may propose again.")
    ] = False,
    state: States = (),
    words: Words = None,
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """What was applied automatically or changed outside review is reverted by it."""
    choice, note = (
        Targets("reject", ids, state, words),
        f"{SENT_BACK}{reason}" if send_back else reason,
    )
    verb = "sent back" if send_back else "rejected"
    with choice.opened(options) as (engine, items):
        if choice.is_single:
            return _reject_one(engine, items[0], note, verb, options)
        if not choice.is_agreed(items, options, yes=yes):
            return 0
        outcomes = Outcomes(options)
        live = [item for item in items if engine.ledger.proposal(item.id).outside]
        for item in live:
            try:
                outcomes.decided("reverted", item, engine.take_back(item.id, note))
            except ReviewdeckError as error:
                outcomes.failed(item.id, error)
        others = [item for item in items if item not in live]
        return outcomes.decide_each(engine, others, Verb.REJECT, note, verb)


def _reject_one(engine: Engine, item: QueueItem, note: str, verb: str, options: Options) -> int:
    if engine.ledger.proposal(item.id).outside:
        done = engine.take_back(item.id, note)
        machine = "" if done is None else waiting_for(engine, done)
        print_reversal(done, engine.find(item.id), options, waits_for=machine)
        return 0
    decision = engine.reject(item.id, note)
    print_decision(verb, decision, engine.find(decision.proposal), options)
    return 0
