"""`reviewdeck recover`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import open_deck
from reviewdeck.presentation.words import one_line

FAILED = ("busy",)


def recover(*, options: Options = DEFAULTS) -> int:
    """Finish or take back what an interrupted run had begun.

    Commands that write do this by themselves, first of all.
    """
    with open_deck(options) as deck:
        endings = deck.recover()
        if endings:
            deck.intake()
    if options.json:
        print_json(
            [
                {
                    "batch": one.batch,
                    "proposals": [*one.proposals],
                    "ending": one.ending,
                    "detail": one.detail,
                }
                for one in endings
            ]
        )
    elif not endings:
        say("Nothing was left half done.")
    for one in () if options.json else endings:
        say(f"{one.ending}: {', '.join(one.proposals)} {one_line(one.detail)}".rstrip())
    return 1 if any(one.ending in FAILED for one in endings) else 0
