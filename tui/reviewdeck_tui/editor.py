"""A text in the operator's own editor: the deck opens the one that the command line opens."""

from __future__ import annotations

from reviewdeck.cli.editor import edited

__all__ = ["edited"]
