"""`reviewdeck resume`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import open_engine
from reviewdeck.engine import pause as automatic


def resume(*, options: Options = DEFAULTS) -> int:
    """Apply safe additions automatically again."""
    with open_engine(options, everywhere=True) as engine:
        admit(engine)
        is_news = automatic.resume(engine)
    if options.json:
        print_json({"paused": False, "changed": is_news})
        return 0
    say("Safe additions are applied automatically again." if is_news else "Nothing was paused.")
    return 0
