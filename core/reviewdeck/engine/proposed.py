"""The results of proposing: values that load nothing of the engine's decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from reviewdeck.engine.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Queued:
    """The proposal is in the queue."""

    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class AlreadyKnown:
    """The same text is live or pending already."""

    message: str
    proposal: str | None = None
    """The pending one."""


@dataclass(frozen=True, slots=True)
class Declined:
    """The proposal cannot be applied, or an operator has rejected the same before."""

    message: str


Proposed: TypeAlias = Queued | AlreadyKnown | Declined
