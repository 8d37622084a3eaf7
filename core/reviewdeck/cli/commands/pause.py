"""`reviewdeck pause`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.cli.session import open_engine
from reviewdeck.engine import pause as automatic


def pause(*, options: Options = DEFAULTS) -> int:
    """Apply nothing automatically until `resume`."""
    with open_engine(options, everywhere=True) as engine:
        is_news = automatic.pause(engine)
    answer(
        options,
        {"paused": True, "changed": is_news},
        "Nothing is applied automatically now." if is_news else "It was paused already.",
        "`reviewdeck resume` starts it again.",
    )
    return 0
