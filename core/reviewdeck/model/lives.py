"""What became of a proposal, from when it came to when it went."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Ending(StrEnum):
    """How a proposal ended."""

    WAITS = "waits"
    """It has not ended."""
    AUTOMATIC = "automatic"
    TAKEN = "taken"
    """An operator approved it as it was."""
    CHANGED = "changed"
    """An operator wrote their own text in its place."""
    REJECTED = "rejected"
    UNDONE = "undone"
    """It was applied, by whomever, and taken back."""
    ELSEWHERE = "elsewhere"
    """Hermes, or somebody by hand, decided it."""


class Life(NamedTuple):
    """One proposal's way. A tuple, since pictures are made of a hundred thousand of them."""

    id: str
    home: str
    origin: str
    kind: str
    came: datetime
    went: datetime | None
    ending: Ending
    rule: str
    """The policy rule that let it in; empty where none did."""
