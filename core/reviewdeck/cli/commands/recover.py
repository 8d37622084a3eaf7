"""`reviewdeck recover`."""

from __future__ import annotations

from reviewdeck.bootstrap import end_on_disk
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.session import open_engine, settings_of
from reviewdeck.errors import LedgerUnavailable
from reviewdeck.presentation.words import one_line
from reviewdeck.terminal import warn


def recover(*, options: Options = DEFAULTS) -> int:
    """Finish or roll back what an interrupted run began.

    Every command that writes does this first.
    """
    is_told = True
    try:
        with open_engine(options) as engine:
            endings = engine.recover()
            if endings:
                engine.intake()
    except LedgerUnavailable as error:
        endings, is_told = end_on_disk(settings_of(options)), False
        if not endings:
            raise
        warn(f"reviewdeck: {error.message} The ledger is told once it can be opened.")
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
    return 0 if is_told and not any(ending.is_unfinished for ending in endings) else 1
