"""Review what an agent proposes to remember before it is written."""

from __future__ import annotations

TYPE_CHECKING = False  # The gate inside Claude Code waits for what is loaded here.
if TYPE_CHECKING:
    from reviewdeck.bootstrap import open_deck
    from reviewdeck.recording import open_recorder

__all__ = ["open_deck", "open_recorder"]


def __getattr__(name: str) -> object:
    # Lazy: importing the package must not cost the engine.
    if name == "open_deck":
        from reviewdeck.bootstrap import open_deck

        return open_deck
    if name == "open_recorder":
        from reviewdeck.recording import open_recorder

        return open_recorder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
