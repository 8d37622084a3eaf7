"""reviewdeck's plugin in Hermes: it records evidence, informs reviews and shows what waits.

Hermes loads this folder with its own Python. So it uses only the standard library, imports nothing
of reviewdeck, and imports Hermes only in `agent` and `review`. Every failure is logged and has no
effect on the agent.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PARTS = ("sidecar", "direct", "terminal", "guard", "chat", "turns", "review")
"""Modules with a `register(ctx)` each: they fail independently."""


def register(ctx: Any) -> None:
    """Registers the hooks, tools and commands of this plugin with Hermes."""
    # Imported late: what else runs in an agent loads the kit of this folder, and nothing more.
    import logging
    from importlib import import_module

    for part in PARTS:
        try:
            import_module(f".{part}", __name__).register(ctx)
        except Exception:
            message = "reviewdeck: %s was not registered"
            logging.getLogger(__name__).warning(message, part, exc_info=True)
