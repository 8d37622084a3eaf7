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
        remaining = automatic.paused_elsewhere(engine)
    if options.json:
        homes = [sight.home for sight in remaining]
        print_json({"paused": bool(homes), "changed": is_news, "paused_elsewhere": homes})
        return 0
    if is_news or not remaining:
        say("Safe additions are applied automatically again." if is_news else "Nothing was paused.")
    for sight in remaining:
        say(
            f"{sight.full_name} was paused on {sight.machine}: `reviewdeck resume` there ends that."
        )
    return 0
