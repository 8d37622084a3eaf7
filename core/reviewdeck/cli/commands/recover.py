"""`reviewdeck recover`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import open_engine
from reviewdeck.presentation.words import one_line

FAILED = ("busy",)


def recover(*, options: Options = DEFAULTS) -> int:
    """Finish or roll back what an interrupted run began.

    Every command that writes does this first.
    """
    with open_engine(options) as engine:
        endings = engine.recover()
        if endings:
            engine.intake()
    if options.json:
        print_json(
            [
                {
                    "batch": ending.batch,
                    "proposals": [*ending.proposals],
                    "ending": ending.ending,
                    "detail": ending.detail,
                }
                for ending in endings
            ]
        )
    elif not endings:
        say("No interrupted run was found.")
    for ending in () if options.json else endings:
        say(f"{ending.ending}: {', '.join(ending.proposals)} {one_line(ending.detail)}".rstrip())
    return 1 if any(ending.ending in FAILED for ending in endings) else 0
