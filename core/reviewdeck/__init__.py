"""Review what an agent proposes to remember before it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reviewdeck.compose import open_deck

__all__ = ["open_deck"]


def __getattr__(name: str) -> object:
    # Lazy: importing the package must not cost an ORM.
    if name == "open_deck":
        from reviewdeck.compose import open_deck

        return open_deck
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
