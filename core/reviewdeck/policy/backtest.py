"""What a policy would have done with everything that is recorded, beside what was decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewdeck.model import Proposal, RuleResult, Severity
from reviewdeck.policy.own_rules import tuned
from reviewdeck.policy.rule import LooksAt, Subject
from reviewdeck.policy.rules import RULES
from reviewdeck.policy.shape import shape_of_edits
from reviewdeck.policy.tuning import DEFAULT, Tuning

_NOT_REPLAYED = frozenset({LooksAt.PLANNING, LooksAt.LIKENESS})
"""What depends on what was live on that day."""
FEWEST = 3
"""Fewer decisions than this are no habit."""


class Outcome(StrEnum):
    """What became of a proposal."""

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
class Case:
    """One recorded proposal and what became of it."""

    proposal: Proposal
    outcome: Outcome
    judged_by: str = ""
    """By which policy it was judged when it was decided; empty where that was not kept."""
    went_in_by_itself: bool = False
    """Whether the policy decided, and no operator."""


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """What was decided while one policy held."""

    policy: str
    """The rules and the file, by the beginning of their sums; empty where that was not kept."""
    decided: int
    automatic: int
    """Went in without an operator then, whether or not somebody took it back."""
    would: int
    """Would go in without an operator under the policy that is tried."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A proposal that goes one way under the policy that is tried, and the other under today's."""

    proposal: str
    outcome: Outcome
    goes_in: bool
    """Under the file."""
    because: tuple[str, ...]
    """The rules that hold it where it is held."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A rule whose findings operators always overruled."""

    rule: str
    kind: str
    saved: int
    """Decisions that setting the rule aside would have saved."""
    besides: int
    """What else would have gone in: nobody has decided on it."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """What a look back came to."""

    replayed: int
    automatic: int
    """Would have gone in without an operator."""
    by_outcome: dict[Outcome, tuple[int, int]]
    """Per outcome: how many there are, and how many of them would have gone in."""
    differences: tuple[Difference, ...]
    suggestions: tuple[Suggestion, ...]
    by_policy: tuple[JudgedBy, ...] = ()
    """In the order of the first case that was decided under each."""

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


def look_back(
    cases: Iterable[Case],
    tuning: Tuning = DEFAULT,
    *,
    today: Tuning = DEFAULT,
    live_text: Callable[[str], str] = str,
) -> Backtest:
    """Judges recorded proposals by their texts again, and compares that with today's policy.

    `live_text` gives what a home says.
    """
    by_outcome: dict[Outcome, tuple[int, int]] = {}
    differences: list[Difference] = []
    lone: dict[tuple[str, str], list[Outcome]] = {}
    judged: dict[str, JudgedBy] = {}
    for case in cases:
        plain, found = _judged(case.proposal, live_text(case.proposal.home), today, tuning)
        goes_in = _goes_in(case.proposal, found)
        if goes_in != _goes_in(case.proposal, plain):
            because = _holding(plain if goes_in else found)
            differences.append(Difference(case.proposal.id, case.outcome, goes_in, because))
        holding = _holding(found)
        if len(holding) == 1 and shape_of_edits(case.proposal.edits) is not None:
            lone.setdefault((holding[0], case.proposal.kind), []).append(case.outcome)
        total, would = by_outcome.get(case.outcome, (0, 0))
        by_outcome[case.outcome] = (total + 1, would + goes_in)
        if case.outcome is not Outcome.OPEN:
            judged[case.judged_by] = _counted(judged.get(case.judged_by), case, goes_in=goes_in)
    return Backtest(
        replayed=sum(total for total, _ in by_outcome.values()),
        automatic=sum(would for _, would in by_outcome.values()),
        by_outcome=by_outcome,
        differences=tuple(differences),
        suggestions=_suggestions(lone),
        by_policy=tuple(judged.values()),
    )


def _counted(so_far: JudgedBy | None, case: Case, *, goes_in: bool) -> JudgedBy:
    was = so_far or JudgedBy(case.judged_by, 0, 0, 0)
    return replace(
        was,
        decided=was.decided + 1,
        automatic=was.automatic + case.went_in_by_itself,
        would=was.would + goes_in,
    )


def _judged(
    proposal: Proposal, live_text: str, today: Tuning, tuning: Tuning
) -> tuple[Sequence[RuleResult], Sequence[RuleResult]]:
    """What the rules say under today's policy, and under the one that is tried."""
    before = _trail(proposal, live_text, today)
    return before, before if tuning == today else _trail(proposal, live_text, tuning)


def _trail(proposal: Proposal, live_text: str, tuning: Tuning) -> tuple[RuleResult, ...]:
    subject = Subject(proposal.edits, live_text=live_text, limits=tuning.limits)
    rules = (rule for rule in RULES if rule.looks_at not in _NOT_REPLAYED)
    return tuned(proposal, tuple(rule.apply(subject) for rule in rules), tuning)


def _goes_in(proposal: Proposal, trail: Iterable[RuleResult]) -> bool:
    return shape_of_edits(proposal.edits) is not None and not _holding(trail)


def _holding(trail: Iterable[RuleResult]) -> tuple[str, ...]:
    return tuple(
        result.rule
        for result in trail
        if result.refuses
        or any(found.severity.rank >= Severity.LOW.rank for found in result.findings)
    )


def _suggestions(lone: dict[tuple[str, str], list[Outcome]]) -> tuple[Suggestion, ...]:
    """Rules that held alone, where every decision was to take it over unchanged."""
    refusing = {rule.name for rule in RULES if rule.refuses}
    against = {Outcome.CHANGED, Outcome.REJECTED, Outcome.UNDONE}
    found = [
        Suggestion(rule, kind, saved=outcomes.count(Outcome.TAKEN), besides=_open(outcomes))
        for (rule, kind), outcomes in lone.items()
        if rule not in refusing
        and not against & set(outcomes)
        and outcomes.count(Outcome.TAKEN) >= FEWEST
    ]
    return tuple(sorted(found, key=lambda suggestion: -suggestion.saved))


def _open(outcomes: Sequence[Outcome]) -> int:
    return sum(outcome is Outcome.OPEN for outcome in outcomes)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
