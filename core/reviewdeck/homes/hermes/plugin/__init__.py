"""reviewdeck's plugin in Hermes: it records evidence, informs reviews and shows what waits.

Hermes loads this folder with its own Python. So it uses only the standard library, imports nothing
of reviewdeck, and imports Hermes only in `agent` and `review`. Every failure is logged and has no
effect on the agent.
"""

from __future__ import annotations

import logging
from typing import Any

from . import chat, direct, guard, review, sidecar, terminal, turns

PARTS = (sidecar, direct, terminal, guard, chat, turns, review)
"""Modules with a `register(ctx)` each: they fail independently."""

_log = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Registers the hooks, tools and commands of this plugin with Hermes."""
    for part in PARTS:
        try:
            part.register(ctx)
        except Exception:  # noqa: BLE001 - the agent must not fail because of us
            _log.warning("reviewdeck: %s was not registered", part.__name__, exc_info=True)
