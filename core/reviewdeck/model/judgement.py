"""What the policy says of a staged proposal, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

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
    """A verdict with the whole trail that led to it."""

    verdict: Verdict
    trail: tuple[RuleResult, ...] = ()
