"""reviewdeck inside Hermes: it notes, tells and shows. Hermes stages, and a person decides.

Hermes loads this folder as a plugin, with its own Python. So it uses the standard library alone,
imports nothing of reviewdeck, and asks Hermes only what `agent` asks. Whatever fails here is logged
and left out: the agent goes on as if the plugin were not there.
"""

from __future__ import annotations

import logging
from typing import Any

from . import chat, direct, guard, review, sidecar, turns

PARTS = (sidecar, direct, guard, chat, turns, review)
"""Each with a `register(ctx)` of its own: one that fails takes no other with it."""

_log = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Registers everything that this plugin does with Hermes."""
    for part in PARTS:
        try:
            part.register(ctx)
        except Exception:  # noqa: BLE001 - an agent never fails for our sake
            _log.warning("reviewdeck: %s was not registered", part.__name__, exc_info=True)
