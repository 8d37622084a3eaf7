"""The cards of a card list. Values only.

Their texts are as the agent wrote them: the list makes them inert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reviewdeck.text.words import Mark


@dataclass(frozen=True, slots=True)
class Leaf:
    """One paragraph of a card, wrapped to its width."""

    text: str
    tone: str = "text"
    """The name of its colour in the theme."""
    sign: str = " "
    """A character before the text, with the same meaning as the colour."""
    marks: tuple[Mark, ...] = ()
    """The changed characters."""
    mark: str = ""
    """The name of the marks' background in the theme."""
    strong: bool = False
    lead: str = ""
    """A text in the margin before the sign, where the list has a margin."""
    lead_tone: str = "quiet"
    most: int = 0
    """The most screen lines it may take; 0 for no limit."""


@dataclass(frozen=True, slots=True)
class Card:
    """A card, which the cursor selects as a whole."""

    id: str
    """Empty for a card that cannot hold the cursor."""
    leaves: tuple[Leaf, ...]
    aside: tuple[Leaf, ...] = ()
    """Author, source and time: at the right if there is room, else below."""
    rule: str = ""
    """The character that fills a heading's first line."""
    gap: bool = False
    """Whether an empty line precedes it."""


Cards: TypeAlias = Sequence[Card]
