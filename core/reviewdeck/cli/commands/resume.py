"""`reviewdeck resume`."""

from __future__ import annotations

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import open_engine
from reviewdeck.engine import pause as automatic


def resume(*, options: Options = DEFAULTS) -> int:
    """Apply safe additions automatically again."""
    with open_engine(options, everywhere=True) as engine:
        admit(engine, who=lambda: automatic.resumer(engine))
        is_news = automatic.resume(engine)
        remaining = automatic.paused_elsewhere(engine)
    lines = [
        f"{sight.full_name} was paused on {sight.machine}: `reviewdeck resume` there ends that."
        for sight in remaining
    ]
    if is_news:
        lines.insert(0, "Safe additions are applied automatically again.")
    homes = [sight.home for sight in remaining]
    told = {"paused": bool(homes), "changed": is_news, "paused_elsewhere": homes}
    answer(options, told, *(lines or ["Nothing was paused."]))
    return 0
