"""The policy's judgement of a staged proposal, with its reasons."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from reviewdeck.model.documents import Allowance
from reviewdeck.model.origins import Currency, KnownBy, Origin, OriginClass
from reviewdeck.model.plans import Staged
from reviewdeck.model.proposals import Proposal
from reviewdeck.values import dataclass


class Severity(StrEnum):
    """The severity of a finding."""

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


UNDONE: Final = "undone"
"""The code of the finding that a proposal was applied and undone."""
DEFERRED: Final = "deferred"
"""The code of the finding that an operator deferred a proposal."""
UNSAFE_NAME: Final = "unsafe-name"
"""The finding that a name or path could reach outside its folder."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason for care."""

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    """Within the text that the proposal adds."""
    quote: str | None = None
    """Text that the message refers to: a lost text, a similar one."""
    at: datetime | None = None
    """The time of the event it reports, where that is one moment."""


def gravity_of(findings: Iterable[Finding]) -> int:
    """The rank of the gravest finding; 0 without one."""
    return max((finding.severity.rank for finding in findings), default=0)


AUTO_APPLY: Final = "auto-apply"
"""The verdict of what may be applied without an operator, as it is stored."""
PLAINLY_SAFE: Final = "All six checks pass"
"""How the reason of such a verdict begins; the shape that allowed it follows."""
IN_YOUR_WORDS: Final = "memory-in-your-words"
"""The shape of an addition of which the user's own sentences are written, not the agent's."""


@dataclass(frozen=True, slots=True)
class AutoApply:
    """Plainly safe: it may be applied without an operator."""

    rule: str
    """The shape that allowed it."""
    instead: tuple[str, ...] = ()
    """The user's own words that are written, one text for each proposed one; empty: as proposed."""


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
    """The source of a text that resembles a proposal's."""

    LIVE = "live"
    PENDING = "pending"
    REMOVED = "removed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Likeness:
    """One text that is similar to a proposed one."""

    relation: Relation
    text: str
    score: float
    """0 to 100; 100 is the same text up to case, spacing and punctuation."""
    where: str
    """A document path or a proposal id."""
    exact: bool = False
    shared: tuple[str, ...] = ()
    """The words that the proposed text has as well."""


@dataclass(frozen=True, slots=True)
class StagedProposal:
    """A proposal with the outcome of planning."""

    proposal: Proposal
    outcome: Staged
    findings: tuple[Finding, ...] = ()
    """Findings of planning: lost text, an unknown base, a protected skill."""


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
    """The reason for the answer, in one sentence."""
    findings: tuple[Finding, ...] = ()
    """The findings. A check that answers yes may still have some (severity info)."""


@dataclass(frozen=True, slots=True)
class CheckMarks:
    """The answers of the six checks without their evidence: what a list shows."""

    answers: tuple[bool, ...]
    """In the order of `CheckName`."""
    origin: OriginClass
    known_by: KnownBy

    def says(self, name: CheckName) -> bool:
        return self.answers[tuple(CheckName).index(name)]

    @property
    def failing(self) -> tuple[CheckName, ...]:
        return tuple(name for name, ok in zip(CheckName, self.answers, strict=True) if not ok)

    @property
    def is_in_other_words(self) -> bool:
        """Whether only the origin says no, and only as nobody typed it in these words."""
        clean = (OriginClass.USER, OriginClass.WORKSPACE)
        return self.failing == (CheckName.ORIGIN,) and self.origin in clean


@dataclass(frozen=True, slots=True)
class Room:
    """The room left in the documents."""

    budgets: tuple[tuple[str, Allowance], ...] = ()
    """By document with a limit: its path, and what is used of the limit afterwards."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the six answers that it follows from, and their evidence."""

    verdict: Verdict
    checks: tuple[Check, ...] = ()
    """All six, in order."""
    origin: Origin | None = None
    currency: tuple[Currency, ...] = ()
    said: str = ""
    """The sentence in which the user said it."""
    room: Room | None = None
    closest: str = ""
    """The user's sentence closest to a text that they did not say."""
    own: tuple[str, ...] = ()
    """What would be written in the user's own words, one text for each proposed one; empty where
    that is what is proposed, or nothing."""

    @property
    def instead(self) -> tuple[str, ...]:
        """The user's own words that go in automatically in place of the agent's, if any."""
        return self.verdict.instead if isinstance(self.verdict, AutoApply) else ()

    @property
    def marks(self) -> CheckMarks | None:
        """The answers alone; None where not all were given."""
        if self.origin is None or len(self.checks) != len(CheckName):
            return None
        answers = tuple(check.ok for check in self.checks)
        return CheckMarks(answers, self.origin.kind, self.origin.known_by)
