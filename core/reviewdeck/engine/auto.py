"""The headless pass: applies what passes all checks, reports the rest.

Allowances limit how much is applied in a day; they are counted from the journal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import islice

from reviewdeck.engine.applier import Applied, Approval, NotApplied, Outcome, is_stale
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.decide import RecordStays, reject
from reviewdeck.engine.intake import TakenIn, take_in
from reviewdeck.engine.pause import why_nothing_is_automatic
from reviewdeck.engine.refresh import refresh
from reviewdeck.errors import ReviewdeckError, StaleBase
from reviewdeck.model import (
    Actor,
    ActorKind,
    AutoApply,
    Finding,
    Kind,
    Proposal,
    QueueItem,
    Ready,
    Severity,
    StagedProposal,
    State,
)
from reviewdeck.model.ledger import Filter
from reviewdeck.planning.compose import ChosenProposal, Composed, compose
from reviewdeck.policy.allowance import (
    ALLOWANCE,
    DAY,
    AllowanceRequest,
    AllowanceResult,
    AllowanceUsedUp,
    AutomaticAddition,
    admit,
)
from reviewdeck.policy.in_force import HALTED
from reviewdeck.policy.own_rules import OwnRule, RuleEffect
from reviewdeck.ports import OpenHome


@dataclass(frozen=True, slots=True)
class AllowanceCount:
    """The result of counting the allowances, and up to where the journal was counted."""

    admission: AllowanceResult
    after: str
    """The newest operation of the home that was counted; empty for none."""


def count_allowances(
    engine: EngineContext, open_home: OpenHome, candidates: Sequence[str]
) -> AllowanceCount:
    """Splits candidates, oldest first, into those that the allowances admit now and the others."""
    # Read first: an operation that begins after this is noticed when ours begins.
    operations = engine.ledger.operations(home=open_home.home.id, limit=1)
    newest = operations[0].id if operations else ""
    if not candidates:
        return AllowanceCount(AllowanceResult((), {}), newest)
    now = engine.now()
    lately = engine.ledger.automatic_since(open_home.home.id, now - DAY)
    sessions = engine.ledger.sessions([*candidates, *(operation.proposal for operation in lately)])
    spent = [
        AutomaticAddition(operation.at, sessions.get(operation.proposal, ()))
        for operation in lately
    ]
    requests = [AllowanceRequest(id, sessions.get(id, ())) for id in candidates]
    return AllowanceCount(admit(requests, spent, engine.policy().settings, now), newest)


def with_reason(item: QueueItem, postponed: AllowanceUsedUp) -> QueueItem:
    """The queue's row with the used up allowance as its reason."""
    noted = with_finding(item, postponed)
    return replace(noted, reason=noted.findings[-1].message)


def with_finding(item: QueueItem, postponed: AllowanceUsedUp | None) -> QueueItem:
    """The queue's row with the allowance's finding, or without one, as its last finding."""
    findings = tuple(finding for finding in item.findings if finding.code != ALLOWANCE)
    if postponed is None:
        return replace(item, findings=findings)
    message = f"All other checks say yes. {postponed.message}"
    return replace(item, findings=(*findings, Finding(ALLOWANCE, Severity.LOW, message)))


@dataclass(frozen=True, slots=True)
class AutoReport:
    """The result of one headless pass over some homes."""

    applied: tuple[QueueItem, ...] = ()
    """On a dry run, the proposals that would have been applied."""
    held: tuple[QueueItem, ...] = ()
    refused: tuple[QueueItem, ...] = ()
    dead: tuple[QueueItem, ...] = ()
    elsewhere: tuple[QueueItem, ...] = ()
    rejected: tuple[QueueItem, ...] = ()
    """What an operator's rules rejected; on a dry run, what they would have."""
    failures: tuple[NotApplied, ...] = ()
    """Proposals that were safe and could not be applied: they stay in the queue."""
    suspended: tuple[str, ...] = ()
    """Why nothing is applied: paused, or the policy is not the signed one."""
    problems: tuple[str, ...] = ()
    """Unreadable documents with the reason, and the problem of the policy file."""
    sentences: tuple[tuple[str, str], ...] = ()
    """By applied proposal, the sentence in which the user said it."""
    agent_words: tuple[tuple[str, str], ...] = ()
    """By proposal of which the user's own words were written, the agent's in one line."""
    closest_sentences: tuple[tuple[str, str], ...] = ()
    """By proposal that was applied, or waits for its origin: the typed sentence closest to it."""
    arrived: tuple[str, ...] = ()
    """What was not known before: records and changes outside review."""
    frees_at: tuple[datetime, ...] = ()
    """When an allowance admits the postponed proposals."""

    @property
    def waiting(self) -> int:
        """How many proposals an operator has to decide."""
        return len(self.held) + len(self.refused) + len(self.dead)

    def __add__(self, other: AutoReport) -> AutoReport:
        """The two reports as one."""
        names = [field.name for field in fields(self)]
        return AutoReport(**{n: getattr(self, n) + getattr(other, n) for n in names})


def run_auto(engine: EngineContext, open_home: OpenHome, *, dry_run: bool) -> AutoReport:
    """Takes a home in and applies what the policy allows. Makes no operator's decision."""
    engine = engine.with_fixed_policy()
    taken_in = take_in(
        open_home.home,
        engine.ledger,
        engine.now,
        engine.progress,
        policy=engine.policy(),
        machine=engine.machine,
    )
    candidates = engine.ledger.automatic(open_home.home.id)
    # Only what the allowances admit is evaluated once more: a backlog costs nothing each time.
    counted = count_allowances(engine, open_home, candidates)
    why_not = why_nothing_is_automatic(engine, open_home.home)
    safe = _find_safe(engine, open_home, taken_in, counted) if why_not is None else {}
    by_rule = _ruled_out(engine, open_home) if why_not is None else {}
    rejected: tuple[str, ...] = tuple(by_rule)
    outcomes: tuple[Outcome, ...] = ()
    if not dry_run:
        open_home.writer.retire(taken_in.leftovers)
        if safe:
            outcomes = _apply_what_fits(engine, open_home, safe, counted)
            refresh_home(engine, open_home)
        rejected = tuple(_reject(engine, by_rule))
        if rejected:
            refresh_home(engine, open_home)
    applied = [out.operation.proposal for out in outcomes if isinstance(out, Applied)]
    if dry_run:
        applied = list(safe)
    report = _report(engine, open_home, taken_in, applied, rejected, outcomes)
    if why_not is not None:
        report = replace(report, suspended=(why_not,))
    if not dry_run:
        _note_allowance(engine, report.held, counted.admission.later)
    return _with_allowance(report, counted.admission.later)


def _ruled_out(engine: EngineContext, open_home: OpenHome) -> dict[str, OwnRule]:
    """The waiting proposals that a rule rejects, oldest first, each with the first such rule.

    One that an operator drafted or reopened is theirs, whatever a rule says.
    """
    rejecting = [
        rule for rule in engine.policy().settings.rules if rule.effect is RuleEffect.REJECT
    ]
    names = {rule.name for rule in rejecting}
    items = items_in(engine, open_home.home.id, State.REFUSED) if rejecting else []
    found = {item.id for item in items if any(each.code in names for each in item.findings)}
    if not found:
        return {}
    found -= {draft.proposal for draft in engine.drafts}
    reopened = {proposal.edits for proposal in engine.ledger.reopened(open_home.home.id)}
    matches = {
        proposal.id: next((rule for rule in rejecting if rule.matches(proposal)), None)
        for proposal in engine.ledger.proposals(found)
        if proposal.edits not in reopened
    }
    return {id: rule for id, rule in matches.items() if rule is not None}


def _reject(engine: EngineContext, by_rule: Mapping[str, OwnRule]) -> Iterator[str]:
    """Rejects what rules reject; what is decided or drafted in the meantime is left alone."""
    for id, rule in by_rule.items():
        try:
            reject(engine, id, rule.reason, rule=rule.name)
        except RecordStays:
            yield id  # The next pass removes the record.
        except ReviewdeckError:
            continue
        else:
            yield id


def _note_allowance(
    engine: EngineContext, held: Sequence[QueueItem], later: Mapping[str, AllowanceUsedUp]
) -> None:
    noted = [(item, with_finding(item, later.get(item.id))) for item in held]
    engine.ledger.note([now for before, now in noted if now != before])


def _with_allowance(report: AutoReport, later: Mapping[str, AllowanceUsedUp]) -> AutoReport:
    held = tuple(
        with_reason(item, later[item.id]) if item.id in later else item for item in report.held
    )
    frees = tuple(
        sorted({postponed.frees for postponed in later.values() if postponed.frees is not None})
    )
    return replace(report, held=held, frees_at=frees)


def refresh_home(engine: EngineContext, open_home: OpenHome) -> None:
    """Refreshes a home's proposals after a write."""
    # No new stamp: records that arrived in the pending folder meanwhile have not been read.
    with engine.ledger.together(open_home.home.id) as end:
        refresh(open_home.home, engine.ledger, engine.now(), policy=engine.policy(), end=end)


def _find_safe(
    engine: EngineContext, open_home: OpenHome, taken_in: TakenIn, counted: AllowanceCount
) -> dict[str, AutoApply]:
    """The proposals that may be applied now, oldest first, with what allows it.

    Those that an earlier pass found safe and did not apply are evaluated again. A deferred
    proposal is its operator's, however safe it is.
    """
    verdicts = dict(taken_in.automatic)
    candidates = counted.admission.now
    evaluator = engine.evaluator_of(open_home.home)
    earlier = [id for id in candidates if id not in verdicts]
    for proposal in _still_automatic(engine, open_home, earlier):
        evaluation = evaluator.evaluate(proposal)
        if isinstance(evaluation.judgement.verdict, AutoApply):
            verdicts[proposal.id] = evaluation.judgement.verdict
        else:
            engine.ledger.stage([evaluation.as_staging()])
    claims = open_home.home.claimed()
    claimed = (
        {item.id for item in engine.ledger.items(candidates) if item.source in claims}
        if claims
        else ()
    )
    return {id: verdicts[id] for id in candidates if id in verdicts and id not in claimed}


def _still_automatic(
    engine: EngineContext, open_home: OpenHome, ids: Collection[str]
) -> Sequence[Proposal]:
    """The proposals among these that are still automatic and not deferred, oldest first."""
    if not ids:
        return ()
    chosen_ids = frozenset(ids)
    return engine.ledger.proposals(
        [id for id in engine.ledger.automatic(open_home.home.id) if id in chosen_ids]
    )


def _apply_what_fits(
    engine: EngineContext,
    open_home: OpenHome,
    safe: Mapping[str, AutoApply],
    counted: AllowanceCount,
) -> tuple[Outcome, ...]:
    """Applies all; where a document changes in the meantime, ever smaller parts of it.

    Otherwise a backlog would never be applied beside a program that keeps writing.
    """
    tried = dict(safe)
    outcomes = _apply(engine, open_home, tried, counted)
    while len(tried) > 1 and outcomes and all(map(is_stale, outcomes)):
        tried = dict(islice(tried.items(), max(1, len(tried) // 4)))
        outcomes = _apply(engine, open_home, tried, counted)
    late = StaleBase("A document changed while this was worked out.")
    return (*outcomes, *(NotApplied(id, late) for id in safe if id not in tried))


def _apply(
    engine: EngineContext,
    open_home: OpenHome,
    safe: Mapping[str, AutoApply],
    counted: AllowanceCount,
) -> tuple[Outcome, ...]:
    """Applies the safe additions, those to one document with one replace and one commit."""
    proposals = [
        proposal.saying(safe[proposal.id].instead)
        for proposal in _still_automatic(engine, open_home, safe)
    ]
    composed = _compose_additions(engine, open_home, proposals)
    if not composed.plan.steps:
        return ()
    approvals = [
        _approval(composed.staged[id].proposal, safe[id]) for id in composed.plan.proposals
    ]
    return engine.applier(open_home).apply(
        composed.plan, approvals, from_states=(State.READY,), counted=counted.after
    )


def _approval(proposal: Proposal, verdict: AutoApply) -> Approval:
    actor = Actor(ActorKind.POLICY, verdict.rule, tier="policy")
    text = "\n".join(verdict.instead)
    text_sha = hashlib.sha256(text.encode()).hexdigest() if text else None
    return Approval(proposal, actor, text_sha=text_sha)


def _compose_additions(
    engine: EngineContext, open_home: OpenHome, safe: Sequence[Proposal]
) -> Composed:
    """The plan of those that only add: the home may have changed since they were evaluated.

    From here on the plan's own revisions are compared before anything is written.
    """
    evaluator = engine.evaluator_of(open_home.home)
    choices = [ChosenProposal(evaluator.with_bases(proposal)) for proposal in safe]
    composed = compose(choices, evaluator.snapshot)
    adding = [
        choice
        for choice in choices
        if _only_adds(choice.proposal, composed.staged[choice.proposal.id])
    ]
    return composed if len(adding) == len(choices) else compose(adding, evaluator.snapshot)


def _only_adds(proposal: Proposal, staged: StagedProposal) -> bool:
    if not isinstance(staged.outcome, Ready):
        return False
    changes = staged.outcome.plan.changes
    if proposal.kind is Kind.MEMORY:
        return all(change.is_additive for change in changes)
    return all(change.before is None for change in changes)


def _report(
    engine: EngineContext,
    open_home: OpenHome,
    taken_in: TakenIn,
    applied: Sequence[str],
    rejected: Sequence[str],
    outcomes: Sequence[Outcome],
) -> AutoReport:
    done = {*applied, *rejected}
    open_states = tuple(state for state in State if state.is_open)
    waiting = [
        item for item in items_in(engine, open_home.home.id, *open_states) if item.id not in done
    ]

    def in_states(*states: State) -> tuple[QueueItem, ...]:
        return tuple(item for item in waiting if item.state in states)

    held_by_origin = [item.id for item in waiting if item.checks and item.checks.is_in_other_words]
    judged = [
        (id, judgement)
        for id in (*applied, *held_by_origin)
        if (judgement := engine.ledger.judgement(id))
    ]
    items = engine.ledger.items(applied)
    own = {id: " ".join(judgement.instead) for id, judgement in judged if judgement.instead}
    return AutoReport(
        applied=tuple(replace(item, gist=own.get(item.id, item.gist)) for item in items),
        agent_words=tuple((item.id, item.gist) for item in items if item.id in own),
        sentences=tuple((id, judgement.said) for id, judgement in judged if judgement.said),
        closest_sentences=tuple(
            (id, judgement.closest) for id, judgement in judged if judgement.closest
        ),
        held=in_states(State.LIVE, State.CONFLICT, State.READY, State.DEFERRED),
        refused=in_states(State.REFUSED, State.QUARANTINED),
        dead=in_states(State.DEAD),
        elsewhere=engine.ledger.items(taken_in.elsewhere),
        rejected=engine.ledger.items(rejected),
        arrived=tuple(sorted(taken_in.new)),
        failures=tuple(out for out in outcomes if isinstance(out, NotApplied)),
        problems=(*taken_in.problems, *_policy_problem(engine)),
    )


def _policy_problem(engine: EngineContext) -> tuple[str, ...]:
    problem = engine.policy().problem
    return (f"{problem} {HALTED}",) if problem else ()


def items_in(engine: EngineContext, home: str, *states: State) -> list[QueueItem]:
    """The queue's rows of a home in these states, newest first."""
    filter_ = Filter((home,), states)
    items: list[QueueItem] = []
    while page := engine.ledger.page(
        filter_, after=items[-1].position if items else None, limit=1000
    ):
        items += page
    return items
