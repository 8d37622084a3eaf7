"""What a roll shows: cards of lines, one under the other. Values only.

The texts are as the agent wrote them: the roll makes them inert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reviewdeck.text.words import Mark


@dataclass(frozen=True, slots=True)
class Leaf:
    """One paragraph of a card. It wraps."""

    text: str
    tone: str = "text"
    """The meaning that its colour stands for."""
    sign: str = " "
    """One character before the text: what the colour says as well."""
    marks: tuple[Mark, ...] = ()
    """What of it changed, in characters."""
    mark: str = ""
    """The meaning of the marks' background."""
    strong: bool = False
    lead: str = ""
    """Stands before the sign in the margin, where the roll has one."""
    lead_tone: str = "quiet"
    most: int = 0
    """At most so many lines of the screen; 0 for all that it takes."""


@dataclass(frozen=True, slots=True)
class Card:
    """What the cursor moves over, as a whole."""

    id: str
    """Empty for what the cursor passes by."""
    leaves: tuple[Leaf, ...]
    aside: tuple[Leaf, ...] = ()
    """Who, from where, when: at the right where there is room, else below."""
    rule: str = ""
    """Fills the rest of the first line: for headings."""
    gap: bool = False
    """An empty line before it."""


Cards: TypeAlias = Sequence[Card]
