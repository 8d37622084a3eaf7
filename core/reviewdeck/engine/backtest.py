"""What the gate would have done with recorded proposals under other settings.

It judges from what was stored when each was judged: the answers of adds, current, new and room
stand as they were given, plain and origin are asked again. Whom and what an operator trusts shows
only where a conversation is read, so other trust is not replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewdeck.engine.engine import Engine
from reviewdeck.model import (
    ActorKind,
    Decision,
    Hearing,
    Judgement,
    Operation,
    OperationKind,
    Proposal,
    QueueItem,
    State,
    Verb,
)
from reviewdeck.model.ledger import Filter
from reviewdeck.origin.said import hearings
from reviewdeck.policy.gate import replay_checks
from reviewdeck.policy.settings import DEFAULT, PolicySettings

_PAGE = 500
_DECIDED = frozenset({State.APPLIED, State.REJECTED})


class Outcome(StrEnum):
    """What became of a recorded proposal."""

    TAKEN = "taken"
    """An operator took it over unchanged."""
    CHANGED = "changed"
    """An operator wrote their own version."""
    REJECTED = "rejected"
    BY_RULE = "by-rule"
    """An operator's rule rejected it."""
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


def backtest(engine: Engine, tried: PolicySettings | None = None) -> Backtest:
    """Judges every stored proposal of these homes again, by these settings or today's."""
    today = engine.policy().settings
    return replay_all(_records(engine), today if tried is None else tried, today=today)


def _records(engine: Engine) -> Iterator[Recorded]:
    operations = {
        operation.proposal: operation
        for open_home in engine.open_homes
        for operation in reversed(engine.ledger.operations(home=open_home.home.id))
        if operation.kind is OperationKind.APPLY
    }
    for item in _items(engine):
        operation = operations.get(item.id)
        decisions = engine.ledger.decisions(item.id) if item.state in _DECIDED else ()
        proposal, judgement = engine.ledger.proposal(item.id), engine.ledger.judgement(item.id)
        typed = judgement.origin.typed if judgement is not None and judgement.origin else ()
        yield Recorded(
            proposal,
            _outcome(item, operation, decisions),
            judgement,
            hearings(proposal.edits, typed),
            judged_by=decisions[-1].policy if decisions else "",
            went_in_by_itself=operation is not None and operation.actor.kind is ActorKind.POLICY,
        )


def _items(engine: Engine) -> Iterator[QueueItem]:
    after: int | None = None
    while page := engine.ledger.page(Filter(engine.home_ids), after=after, limit=_PAGE):
        yield from (item for item in page if item.state is not State.QUARANTINED)
        after = page[-1].position


def _outcome(
    item: QueueItem, operation: Operation | None, decisions: Sequence[Decision]
) -> Outcome:
    if item.state is State.REJECTED:
        is_operators = not decisions or decisions[-1].actor.kind is not ActorKind.POLICY
        return Outcome.REJECTED if is_operators else Outcome.BY_RULE
    if operation is not None and operation.undone_by is not None:
        return Outcome.UNDONE
    if item.state is not State.APPLIED or operation is None:
        return Outcome.OPEN
    if operation.actor.kind is ActorKind.POLICY:
        return Outcome.AUTOMATIC
    verbs = {decision.verb for decision in decisions}
    return Outcome.CHANGED if Verb.MERGE in verbs else Outcome.TAKEN
