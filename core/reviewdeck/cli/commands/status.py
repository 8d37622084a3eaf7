"""`reviewdeck status`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import glancing, ledger_of, looking
from reviewdeck.clock import utc_now
from reviewdeck.ports import Counts
from reviewdeck.presentation.situation import short as shortened
from reviewdeck.presentation.situation import situations_of, together_json


def status(
    *,
    short: Annotated[bool, FLAG, Parameter(help="One line, for a prompt or a status bar.")] = False,
    options: Options = DEFAULTS,
) -> int:
    """How many proposals wait, how full the memories are, what changed outside review."""
    if short and not options.json:
        say(shortened(_counts(options), utc_now()))
        return 0
    with looking(options, everywhere=True) as deck:
        found = situations_of(deck, ledger_of(options), utc_now())
    if options.json:
        print_json(together_json(found))
        return 0
    from reviewdeck.cli.render_status import status_lines

    screen = console(options)
    for number, one in enumerate(found):
        if number:
            screen.print()
        screen.print(status_lines(one))
    return 0


def _counts(options: Options) -> Counts:
    with glancing(options) as glance:
        if glance is not None:
            return glance.reader.counts(glance.ids)
    with looking(options, everywhere=True) as deck:
        return deck.ledger.counts(deck.context.home_ids)
