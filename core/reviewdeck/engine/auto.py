"""The headless pass: apply what is plainly safe, report the rest.

Allowances limit how much goes in a day; they are counted from the journal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import islice

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.intake import TakenIn, take_in
from reviewdeck.engine.journal import Applied, Approval, NotApplied, Outcome
from reviewdeck.engine.pause import why_nothing_is_automatic
from reviewdeck.engine.refresh import refresh
from reviewdeck.errors import StaleBase
from reviewdeck.model import (
    Actor,
    ActorKind,
    Finding,
    Kind,
    Proposal,
    QueueItem,
    Ready,
    Severity,
    StagedProposal,
    State,
)
from reviewdeck.planning.compose import ChosenProposal, Composed, compose
from reviewdeck.policy.allowance import (
    ALLOWANCE,
    DAY,
    AllowanceRequest,
    AllowanceResult,
    Postponed,
    Spent,
    admit,
)
from reviewdeck.policy.in_force import HALTED
from reviewdeck.ports import Filter, OpenHome


@dataclass(frozen=True, slots=True)
class Counted:
    """What may go in now, and up to where the journal was counted for that."""

    admission: AllowanceResult
    after: str
    """The newest operation of the home that was counted; empty when there is none."""


def count(context: EngineContext, one: OpenHome, candidates: Sequence[str]) -> Counted:
    """Which of these additions go in now, oldest first, and why the others wait."""
    # This comes first: what is begun after this look is noticed when ours is begun.
    newest = context.ledger.newest_operation(one.home.id)
    if not candidates:
        return Counted(AllowanceResult((), {}), newest)
    now = context.now()
    lately = context.ledger.automatic_since(one.home.id, now - DAY)
    sessions = context.ledger.sessions([*candidates, *(went.proposal for went in lately)])
    spent = [Spent(went.at, sessions.get(went.proposal, ())) for went in lately]
    wanted = [AllowanceRequest(id, sessions.get(id, ())) for id in candidates]
    return Counted(admit(wanted, spent, context.policy().settings, now), newest)


def with_reason(item: QueueItem, postponed: Postponed) -> QueueItem:
    """The line of the queue, giving the used up allowance as its reason."""
    noted = with_finding(item, postponed)
    return replace(noted, reason=noted.findings[-1].message)


def with_finding(item: QueueItem, postponed: Postponed | None) -> QueueItem:
    """The line of the queue with what an allowance says of it now as its last finding."""
    others = tuple(one for one in item.findings if one.code != ALLOWANCE)
    if postponed is None:
        return replace(item, findings=others)
    message = f"All other checks say yes. {postponed.message}"
    return replace(item, findings=(*others, Finding(ALLOWANCE, Severity.LOW, message)))


@dataclass(frozen=True, slots=True)
class AutoReport:
    """What one headless pass over some homes came to."""

    applied: tuple[QueueItem, ...] = ()
    """On a dry run: what would have been applied."""
    held: tuple[QueueItem, ...] = ()
    refused: tuple[QueueItem, ...] = ()
    dead: tuple[QueueItem, ...] = ()
    elsewhere: tuple[QueueItem, ...] = ()
    failures: tuple[NotApplied, ...] = ()
    """What was safe and could not be applied: it stays in the queue."""
    suspended: tuple[str, ...] = ()
    """Why nothing is applied, as long as that holds: the policy is not what an operator signed."""
    problems: tuple[str, ...] = ()
    """Documents that cannot be read, and why; and what is wrong with the policy file."""
    said: tuple[tuple[str, str], ...] = ()
    """Of what was applied: by proposal, the sentence in which the user said it."""
    closest: tuple[tuple[str, str], ...] = ()
    """By proposal, what the user typed that comes closest to what they did not say."""
    frees: tuple[datetime, ...] = ()
    """When the allowance has room again for what waits for it."""

    @property
    def waiting(self) -> int:
        """How many items an operator has to look at."""
        return len(self.held) + len(self.refused) + len(self.dead)

    def __add__(self, other: AutoReport) -> AutoReport:
        """Both reports as one."""
        names = [field.name for field in fields(self)]
        return AutoReport(**{n: getattr(self, n) + getattr(other, n) for n in names})


def run_auto(context: EngineContext, one: OpenHome, *, dry_run: bool) -> AutoReport:
    """Takes a home in and applies what the policy lets through. Decides for no operator."""
    context = context.holding()
    taken = take_in(
        one.home, context.ledger, context.now, context.progress, policy=context.policy()
    )
    candidates = context.ledger.automatic(one.home.id)
    # Only what the allowance lets in is judged once more: a backlog costs nothing each time.
    counted = count(context, one, candidates)
    why_not = why_nothing_is_automatic(context.view)
    safe = _safe(context, one, taken, counted) if why_not is None else {}
    outcomes: tuple[Outcome, ...] = ()
    if not dry_run:
        one.writer.retire_all(taken.leftovers)
        if safe:
            outcomes = _apply_what_fits(context, one, safe, counted)
            stage_again(context, one)
    applied = [out.operation.proposal for out in outcomes if isinstance(out, Applied)]
    if dry_run:
        applied = list(safe)
    report = _report(context, one, taken, applied, outcomes)
    if why_not is not None:
        report = replace(report, suspended=(why_not,))
    if not dry_run:
        _note_allowance(context, report.held, counted.admission.later)
    return _with_allowance(report, counted.admission.later)


def _note_allowance(
    context: EngineContext, held: Sequence[QueueItem], later: Mapping[str, Postponed]
) -> None:
    """The queue says which allowance is used up for what, for everybody who looks at it."""
    noted = [(item, with_finding(item, later.get(item.id))) for item in held]
    context.ledger.note([now for before, now in noted if now != before])


def _with_allowance(report: AutoReport, later: Mapping[str, Postponed]) -> AutoReport:
    """The report, with what waits for an allowance saying so."""
    held = tuple(
        with_reason(item, later[item.id]) if item.id in later else item for item in report.held
    )
    frees = tuple(sorted({one.frees for one in later.values() if one.frees is not None}))
    return replace(report, held=held, frees=frees)


def stage_again(context: EngineContext, one: OpenHome) -> None:
    """After a write: what it concerns is looked at afresh."""
    # No new stamp: what arrived in the pending folder meanwhile has not been looked at.
    refresh(one.home, context.ledger, context.now(), policy=context.policy())


def _safe(
    context: EngineContext, one: OpenHome, taken: TakenIn, counted: Counted
) -> dict[str, str]:
    """What of these is plainly safe, oldest first, with the rule that says so.

    What an earlier pass found safe and did not apply is judged again. What an operator has put
    off is theirs, however safe it is.
    """
    rules = dict(taken.automatic)
    candidates = counted.admission.now
    evaluator = context.evaluator_of(one.home)
    earlier = [id for id in candidates if id not in rules]
    for proposal in _waiting(context, one, earlier):
        evaluation = evaluator.evaluate(proposal)
        if evaluation.is_automatic:
            rules[proposal.id] = evaluation.rule
        else:
            context.ledger.stage([evaluation.as_staging()])
    held = one.home.claimed()
    claimed = (
        {item.id for item in context.ledger.items(candidates) if item.source in held}
        if held
        else ()
    )
    return {id: rules[id] for id in candidates if id in rules and id not in claimed}


def _waiting(context: EngineContext, one: OpenHome, ids: Collection[str]) -> Sequence[Proposal]:
    """Those that are safe still and that nobody has put off, oldest first."""
    if not ids:
        return ()
    wanted = frozenset(ids)
    return context.ledger.proposals(
        [id for id in context.ledger.automatic(one.home.id) if id in wanted]
    )


def _apply_what_fits(
    context: EngineContext,
    one: OpenHome,
    safe: Mapping[str, str],
    counted: Counted,
) -> tuple[Outcome, ...]:
    """All of it; and where a document moves while it is worked out, a part that takes less time.

    Otherwise a backlog would never go in beside somebody who keeps on writing.
    """
    tried = dict(safe)
    outcomes = _apply(context, one, tried, counted)
    while len(tried) > 1 and outcomes and all(map(_is_stale, outcomes)):
        tried = dict(islice(tried.items(), max(1, len(tried) // 4)))
        outcomes = _apply(context, one, tried, counted)
    late = StaleBase("A document changed while this was worked out.")
    return (*outcomes, *(NotApplied(id, late) for id in safe if id not in tried))


def _is_stale(outcome: Outcome) -> bool:
    return isinstance(outcome, NotApplied) and isinstance(outcome.error, StaleBase)


def _apply(
    context: EngineContext,
    one: OpenHome,
    safe: Mapping[str, str],
    counted: Counted,
) -> tuple[Outcome, ...]:
    """All the safe additions to one document become one replace and one commit."""
    composed = _adding(context, one, _waiting(context, one, safe))
    if not composed.plan.steps:
        return ()
    actors = {rule: Actor(ActorKind.POLICY, rule, tier="policy") for rule in safe.values()}
    approvals = [
        Approval(composed.staged[id].proposal, actors[safe[id]]) for id in composed.plan.proposals
    ]
    return context.applier(one).apply(
        composed.plan, approvals, from_states=(State.READY,), counted=counted.after
    )


def _adding(context: EngineContext, one: OpenHome, safe: Sequence[Proposal]) -> Composed:
    """Those that only add to what is live by now: the home may have moved since they were judged.

    From here on the plan's own revisions are compared before anything is written.
    """
    evaluator = context.evaluator_of(one.home)
    wanted = [ChosenProposal(evaluator.with_bases(proposal)) for proposal in safe]
    composed = compose(wanted, evaluator.snapshot)
    adding = [one for one in wanted if _only_adds(one.proposal, composed.staged[one.proposal.id])]
    return composed if len(adding) == len(wanted) else compose(adding, evaluator.snapshot)


def _only_adds(proposal: Proposal, staged: StagedProposal) -> bool:
    if not isinstance(staged.outcome, Ready):
        return False
    changes = staged.outcome.plan.changes
    if proposal.kind is Kind.MEMORY:
        return all(change.is_additive for change in changes)
    return all(change.before is None for change in changes)


def _report(
    context: EngineContext,
    one: OpenHome,
    taken: TakenIn,
    applied: Sequence[str],
    outcomes: Sequence[Outcome],
) -> AutoReport:
    done = set(applied)
    open_states = tuple(state for state in State if state.is_open)
    waiting = [item for item in all_in(context, one.home.id, *open_states) if item.id not in done]

    def in_states(*states: State) -> tuple[QueueItem, ...]:
        return tuple(item for item in waiting if item.state in states)

    judged = [(id, judgement) for id in applied if (judgement := context.ledger.judgement(id))]
    return AutoReport(
        applied=context.ledger.items(applied),
        said=tuple((id, one.said) for id, one in judged if one.said),
        closest=tuple((id, one.closest) for id, one in judged if one.closest),
        held=in_states(State.LIVE, State.CONFLICT, State.READY, State.DEFERRED),
        refused=in_states(State.REFUSED, State.QUARANTINED),
        dead=in_states(State.DEAD),
        elsewhere=context.ledger.items(taken.elsewhere),
        failures=tuple(out for out in outcomes if isinstance(out, NotApplied)),
        problems=(*taken.problems, *_policy_problem(context)),
    )


def _policy_problem(context: EngineContext) -> tuple[str, ...]:
    problem = context.policy().problem
    return (f"{problem} {HALTED}",) if problem else ()


def all_in(context: EngineContext, home: str, *states: State) -> list[QueueItem]:
    """Everything of a home in these states, newest first."""
    wanted = Filter((home,), states)
    found: list[QueueItem] = []
    while page := context.ledger.page(
        wanted, after=found[-1].position if found else None, limit=1000
    ):
        found += page
    return found
