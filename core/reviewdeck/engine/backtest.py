"""What the gate would have done with recorded proposals under other settings.

It judges from what was stored when each was judged: the answers of adds, current, new and room
stand as they were given, plain and origin are asked again. Whom and what an operator trusts shows
only where a conversation is read, so other trust is not replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewdeck.model import Hearing, Judgement, Proposal
from reviewdeck.policy.gate import replay_checks
from reviewdeck.policy.settings import DEFAULT, PolicySettings


class Outcome(StrEnum):
    """What became of a recorded proposal."""

    TAKEN = "taken"
    """An operator took it over unchanged."""
    CHANGED = "changed"
    """An operator wrote their own version."""
    REJECTED = "rejected"
    UNDONE = "undone"
    """It went in, and somebody took it back."""
    AUTOMATIC = "automatic"
    """It went in by policy, and nobody took it back."""
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A proposal with what became of it."""

    proposal: Proposal
    outcome: Outcome
    judgement: Judgement | None
    """What was stored; None for one that was judged by rules that no longer exist."""
    heard: tuple[Hearing, ...] = ()
    """For each added text what the typed words say about it."""
    judged_by: str = ""
    went_in_by_itself: bool = False


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """What was decided while one policy was in force."""

    policy: str
    """The rules and the file, by the beginning of their sums; empty where that was not kept."""
    decided: int
    automatic: int
    """Went in without an operator then, whether or not somebody took it back."""
    would: int
    """Would go in without an operator under the settings that are tried."""


@dataclass(frozen=True, slots=True)
class ChangedVerdict:
    """A proposal that goes one way under the settings that are tried, and the other today."""

    proposal: str
    outcome: Outcome
    goes_in: bool
    """Under the settings that are tried."""
    because: tuple[str, ...]
    """The checks that say no where it is held."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """What a look back came to."""

    replayed: int
    without_evidence: int
    """Judged by rules that are gone: nothing is stored to judge them from."""
    automatic: int
    """Would have gone in without an operator."""
    by_outcome: dict[Outcome, tuple[int, int]]
    """By outcome: how many there are, and how many of them would have gone in."""
    differences: tuple[ChangedVerdict, ...]
    by_policy: tuple[JudgedBy, ...] = ()
    """In the order of the first proposal that was decided under each."""

    @property
    def precision(self) -> float | None:
        """Of what would have gone in and was decided: the share taken over unchanged."""
        decided = (Outcome.TAKEN, Outcome.CHANGED, Outcome.REJECTED, Outcome.UNDONE)
        return _share(self._would(Outcome.TAKEN), sum(map(self._would, decided)))

    @property
    def recall(self) -> float | None:
        """Of what operators took over unchanged: the share that would have gone in."""
        return _share(self._would(Outcome.TAKEN), self.by_outcome.get(Outcome.TAKEN, (0, 0))[0])

    def _would(self, outcome: Outcome) -> int:
        return self.by_outcome.get(outcome, (0, 0))[1]


def replay_all(
    recorded: Iterable[Recorded],
    tried: PolicySettings = DEFAULT,
    *,
    today: PolicySettings = DEFAULT,
) -> Backtest:
    """Judges recorded proposals again, and compares that with today's settings."""
    by_outcome: dict[Outcome, tuple[int, int]] = {}
    differences: list[ChangedVerdict] = []
    judged: dict[str, JudgedBy] = {}
    without = 0
    for one in recorded:
        if one.judgement is None:
            without += 1
            continue
        because = _holding(one, one.judgement, tried)
        now = because if tried == today else _holding(one, one.judgement, today)
        if bool(because) != bool(now):
            found = ChangedVerdict(one.proposal.id, one.outcome, not because, because or now)
            differences.append(found)
        total, would = by_outcome.get(one.outcome, (0, 0))
        by_outcome[one.outcome] = (total + 1, would + (not because))
        if one.outcome is not Outcome.OPEN:
            before = judged.get(one.judged_by, JudgedBy(one.judged_by, 0, 0, 0))
            judged[one.judged_by] = replace(
                before,
                decided=before.decided + 1,
                automatic=before.automatic + one.went_in_by_itself,
                would=before.would + (not because),
            )
    return Backtest(
        replayed=sum(total for total, _ in by_outcome.values()),
        without_evidence=without,
        automatic=sum(would for _, would in by_outcome.values()),
        by_outcome=by_outcome,
        differences=tuple(differences),
        by_policy=tuple(judged.values()),
    )


def _holding(one: Recorded, judgement: Judgement, settings: PolicySettings) -> tuple[str, ...]:
    """The checks that say no under these settings."""
    checks = replay_checks(one.proposal, judgement, one.heard, settings)
    return tuple(str(check.name) for check in checks if not check.ok)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
