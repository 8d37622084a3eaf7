"""What the policy says of a staged proposal, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from reviewdeck.model.origin import Currency, Origin
from reviewdeck.model.plans import Staged
from reviewdeck.model.proposals import Proposal


class Severity(StrEnum):
    """How much care a finding asks for."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info to 4 for critical."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of the proposed text that a finding is about."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason for care."""

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    """Within the text that the proposal adds."""
    quote: str | None = None
    """Text that the message refers to: what would be lost, what is alike."""


@dataclass(frozen=True, slots=True)
class AutoApply:
    """Plainly safe: it may be applied without an operator."""

    rule: str
    """The shape that allowed it."""


@dataclass(frozen=True, slots=True)
class Review:
    """An operator decides."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Refuse:
    """Never applied as it is; an operator can still write their own version."""

    findings: tuple[Finding, ...]


Verdict: TypeAlias = AutoApply | Review | Refuse


class Relation(StrEnum):
    """Where a text that resembles a proposal's comes from."""

    LIVE = "live"
    PENDING = "pending"
    REMOVED = "removed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Likeness:
    """One text that is about the same thing as what is proposed."""

    relation: Relation
    text: str
    score: float
    """0 to 100; 100 is the same text up to case, spacing and punctuation."""
    where: str
    """A document path or a proposal id."""
    exact: bool = False


@dataclass(frozen=True, slots=True)
class StagedProposal:
    """A proposal with what planning made of it."""

    proposal: Proposal
    outcome: Staged
    findings: tuple[Finding, ...] = ()
    """What planning noticed: text that would be lost, an unknown base, a protected skill."""


class CheckName(StrEnum):
    """The six questions of the gate, in the order in which they are answered."""

    ADDS = "adds"
    PLAIN = "plain"
    ORIGIN = "origin"
    CURRENT = "current"
    NEW = "new"
    ROOM = "room"


@dataclass(frozen=True, slots=True)
class Check:
    """One question of the gate, answered."""

    name: CheckName
    ok: bool
    reason: str
    """One sentence: why yes, or why no."""
    findings: tuple[Finding, ...] = ()
    """What was found. A check that answers yes may still tell something (severity info)."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much fits: characters of a document, and additions without a person."""

    budgets: tuple[tuple[str, int, int], ...] = ()
    """For each document that has a limit: its path, its characters afterwards, the limit."""
    day: tuple[int, int] = (0, 0)
    """Additions to the home in the last 24 hours without a person, and the allowance."""
    conversation: tuple[int, int] = (0, 0)
    """The same for the conversation that the proposal comes from."""
    frees: datetime | None = None
    """When the allowance has room again, where it is used up."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule said of one proposal."""

    rule: str
    reason: str
    """Why the rule exists, in one sentence."""
    findings: tuple[Finding, ...] = ()
    refuses: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the six answers that it follows from, and their evidence."""

    verdict: Verdict
    trail: tuple[RuleResult, ...] = ()
    checks: tuple[Check, ...] = ()
    """All six, in order."""
    origin: Origin | None = None
    currency: tuple[Currency, ...] = ()
    said: str = ""
    """The sentence in which the user said it; empty where the class asks for none."""
    room: Room | None = None
