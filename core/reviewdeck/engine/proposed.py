"""What comes of a proposal that is handed over: values that load nothing of what decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from reviewdeck.engine.evaluate import Evaluation


@dataclass(frozen=True, slots=True)
class TakenUp:
    """It is in the queue."""

    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class NothingNew:
    """What it asks for is there already, or waits already."""

    message: str
    proposal: str | None = None
    """The one that waits."""


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """It cannot be applied as things are, or an operator has rejected the same before."""

    message: str


Proposed: TypeAlias = TakenUp | NothingNew | TurnedAway
