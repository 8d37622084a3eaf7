"""Deciding: a decision is the commit of one draft, a commit is that of several.

A draft is compared with the live home once, on one snapshot (`holding`); what holds is composed
into one plan (`summary`), and the plan is written (`journal`). Where a document changes meanwhile,
the same is done again, and the new plan has to have the same effect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from reviewdeck.engine import reverse
from reviewdeck.engine.applier import (
    CLAIMABLE,
    Applied,
    Approval,
    Approved,
    NotApplied,
    Outcome,
    is_stale,
)
from reviewdeck.engine.bases import touched_paths
from reviewdeck.engine.clusters import same_subject
from reviewdeck.engine.confirmation import Confirm, unasked
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.decidable import (
    REVERTIBLE,
    UNDECIDED,
    approvable,
    check_digest,
    check_length,
    check_unclaimed,
    check_undecided,
    document_for,
)
from reviewdeck.engine.evaluate import Look
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.holding import DraftChecker, Held, shown_digest
from reviewdeck.engine.quorum import (
    OWN,
    AwaitsAnother,
    about_writes,
    cast_vote,
    needed,
    second_vote,
)
from reviewdeck.engine.refresh import refresh_beside
from reviewdeck.engine.similarity import digests_of, live_among, subjects_of
from reviewdeck.engine.summary import HomePart, Summary
from reviewdeck.errors import (
    BadInput,
    HomeReadOnly,
    HomeUnavailable,
    NotDecidable,
    ReviewdeckError,
    StaleBase,
    WriteFailed,
)
from reviewdeck.model import (
    About,
    Actor,
    ActorKind,
    Conflict,
    Dead,
    Decision,
    Draft,
    Kind,
    Likeness,
    Operation,
    OperationState,
    Plan,
    Proposal,
    QueueItem,
    Ready,
    Relation,
    State,
    Verb,
    revision_of,
)
from reviewdeck.model.votes import Vote
from reviewdeck.origin.writers import exact_writer
from reviewdeck.planning.compose import Composed, writes
from reviewdeck.planning.overlay import Overlay
from reviewdeck.ports import OpenHome

ATTEMPTS: Final = 8
"""The most attempts at a decision while another program keeps writing to its document."""


@dataclass(frozen=True, slots=True)
class Committed:
    """One draft that was decided. It is a draft no longer."""

    proposal: str
    verb: Verb
    result: Operation | Decision
    warning: ReviewdeckError | None = None
    """What did not follow from it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """One draft that was not decided, and why. It stays a draft."""

    proposal: str
    error: ReviewdeckError


@dataclass(frozen=True, slots=True)
class CommitReport:
    """How each draft of a commit ended."""

    committed: tuple[Committed, ...] = ()
    failed: tuple[Failed, ...] = ()

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations, in order."""
        results = (draft.result for draft in self.committed)
        return tuple(result for result in results if isinstance(result, Operation))

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions that wrote nothing, in order."""
        results = (draft.result for draft in self.committed)
        return tuple(result for result in results if isinstance(result, Decision))

    @property
    def warnings(self) -> dict[str, ReviewdeckError]:
        """By proposal, why it was not decided, or what did not follow where it was."""
        warnings = {one.proposal: one.warning for one in self.committed if one.warning is not None}
        return {one.proposal: one.error for one in self.failed} | warnings


class RecordStays(WriteFailed):
    """A proposal is rejected, and its pending record could not be removed."""

    def __init__(self, decision: Decision, error: ReviewdeckError) -> None:
        super().__init__(
            f"It is rejected, but its record could not be removed: {error.message}",
            hint="The next `reviewdeck auto` tries again.",
        )
        self.decision = decision


Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many drafts are decided."""


def commit(
    engine: EngineContext, shown: Summary, progress: Progress = lambda done, all: None
) -> CommitReport:
    """Commits exactly what a summary showed. A draft that has changed since fails and stays."""
    engine.operator()  # Raises before anything is begun.
    ended: list[Committed | Failed] = []
    with _refreshing(engine) as touched:
        for one in _commit_each(engine, shown, touched):
            ended.append(one)
            progress(len(ended), shown.amount)
    return _report_of(ended)


def apply(engine: EngineContext, draft: Draft, confirm: Confirm = unasked) -> Operation:
    """Applies one proposal as it was shown, or with the operator's own text in its place.

    The draft's digest is the one that was shown, or its first digits, and so is its proposal's id.
    For a merge of a dead or refused proposal, which has no digest, it is the revision of the
    document that the text replaces.
    Raises NotDecidable, BadInput, StaleBase when its effect would be another one now.
    """
    with _refreshing(engine) as touched:
        return _apply(engine, draft, confirm, touched)


def apply_for_all(
    engine: EngineContext, draft: Draft, confirm: Confirm = unasked
) -> tuple[Operation, CommitReport]:
    """As `apply`; other proposals about the same entry are superseded, as the report says.

    Where nothing is applied, or another machine has yet to write it, nothing is superseded.
    """
    item = engine.ledger.item(draft.proposal)
    rivals = same_subject(engine.ledger, item)
    with _refreshing(engine) as touched:
        operation = _apply(engine, draft, confirm, touched)
        if operation.state is OperationState.INTENT:
            return operation, CommitReport()
        return operation, _supersede_each(engine, rivals, item.id, touched)


def supersede(engine: EngineContext, rivals: Sequence[QueueItem], winner: str) -> CommitReport:
    """Supersedes other proposals about the same thing as one that was applied.

    One that is decided in the meantime, or held by another program, is left as it is.
    """
    with _refreshing(engine) as touched:
        return _supersede_each(engine, rivals, winner, touched)


def _supersede_each(
    engine: EngineContext, rivals: Sequence[QueueItem], winner: str, touched: _Touched
) -> CommitReport:
    drafts = [Draft(rival.id, Verb.SUPERSEDE, None, engine.now(), winner) for rival in rivals]
    return _report_of(list(_note_each(engine, drafts, touched)))


def _report_of(ended: Sequence[Committed | Failed]) -> CommitReport:
    return CommitReport(
        tuple(one for one in ended if isinstance(one, Committed)),
        tuple(one for one in ended if isinstance(one, Failed)),
    )


def apply_own(
    engine: EngineContext, evaluation: Evaluation, what: str, digest: str | None = None
) -> Operation:
    """Queues an operator's own proposal, as it was evaluated, and applies it.

    `what` begins the sentence of a refusal, `digest` is the one that was shown, if any. Raises
    StaleBase, NotDecidable: a conflict with a later change stays in the queue, to be merged.
    """
    engine.operator()
    proposal = evaluation.proposal
    if digest is not None:
        check_digest(digest, approvable(evaluation).digest)
    match evaluation.staged.outcome:
        case Ready(plan) if _is_shared(engine, evaluation, plan):
            reverse.store(engine, evaluation)
            hint = f"{what} is waiting in the queue: `reviewdeck diff {proposal.id}` shows it."
            raise NotDecidable(OWN, hint=hint)
        case Ready(plan):
            draft = Draft(proposal.id, Verb.APPROVE, plan.digest, engine.now())
            composed = Composed(plan, {proposal.id: evaluation.staged})
            open_home = engine.home_of(proposal)
            # What another machine has is not looked at again here.
            look = DraftChecker(engine, open_home).look if open_home.sight is None else None
            part = HomePart(proposal.home, (draft,), composed, plan.digest, plan.digest, look)
            with engine.uninterrupted(), _refreshing(engine) as touched:
                reverse.store(engine, evaluation)
                return _only(_write(engine, part, touched, is_current=True))
        case Conflict():
            reverse.store(engine, evaluation)
            raise NotDecidable(
                f"{what} conflicts with a later change. {evaluation.reason}",
                hint="It is waiting in the queue:"
                f" see `reviewdeck diff {proposal.id}`, then merge it.",
            )
        case Dead(message=message):
            raise NotDecidable(f"There is nothing to do. {message}")


def _is_shared(engine: EngineContext, evaluation: Evaluation, plan: Plan) -> bool:
    """Whether two operators have to approve what one of them proposes."""
    if (quorum := engine.quorum).needs < 2:
        return False
    snapshot = engine.home_of(evaluation.proposal).home.snapshot()
    return needed(quorum, evaluation, writes(plan), snapshot) > 1


def take_back(engine: EngineContext, id: str, reason: str) -> Operation | None:
    """Takes back a change that is live already; None where nothing of it was left.

    Its texts count as rejected. Raises NotDecidable where it meets a later change: then
    the proposal to take it back is pending.
    """
    change = engine.ledger.proposal(engine.ledger.resolve(id, engine.home_ids))
    evaluation, done = reverse.take_back(engine, change, reason), None
    with engine.uninterrupted():
        if evaluation.state is not State.DEAD:
            done = apply_own(engine, evaluation, "Reverting it")
        reject(engine, change.id, reason, from_states=REVERTIBLE)
    return done


def record(engine: EngineContext, draft: Draft, confirm: Confirm = unasked) -> Decision:
    """Makes a decision that writes nothing to the home. Raises NotDecidable, BadInput, StaleBase.

    Raises RecordStays where it is made, and a rejected record could not be removed.
    `confirm` is called where the decision rests on an evaluation: to keep or claim a live change.
    """
    with _refreshing(engine) as touched:
        return _note(engine, draft, touched, confirm)


def record_each(engine: EngineContext, drafts: Sequence[Draft]) -> CommitReport:
    """As `record` for several decisions: one that fails leaves the others, and one pass follows."""
    engine.operator()
    with _refreshing(engine) as touched:
        return _report_of(list(_note_each(engine, drafts, touched)))


class _Touched:
    """The homes in which something was decided: each is refreshed once, at the end."""

    def __init__(self, engine: EngineContext) -> None:
        self._engine = engine
        self._homes: dict[str, tuple[list[str], Look | None]] = {}

    def note(self, home: str, decided: Iterable[str], look: Look | None = None) -> None:
        """Notes decided proposals, and the home as it is after they were written, if known."""
        self._homes[home] = ([*self._homes.get(home, ([], None))[0], *decided], look)

    def refresh(self) -> None:
        """Evaluates again what these decisions concern."""
        engine = self._engine
        for home, (decided, look) in self._homes.items():
            with suppress(ReviewdeckError):  # What is decided is decided; the next look does it.
                refresh_beside(
                    engine.home_by_id(home).home,
                    engine.ledger,
                    engine.now(),
                    decided,
                    policy=engine.policy(),
                    look=look,
                )


@contextmanager
def _refreshing(engine: EngineContext) -> Iterator[_Touched]:
    touched = _Touched(engine)
    try:
        yield touched
    finally:
        touched.refresh()


def _commit_each(
    engine: EngineContext, shown: Summary, touched: _Touched
) -> Iterator[Committed | Failed]:
    # What is kept is kept as it was shown: before a part writes to the same document.
    kept = [draft for draft in shown.quiet if draft.verb in _KEEPING]
    yield from _note_each(engine, kept, touched)
    yield from _vote_each(engine, shown.voting, touched)
    for part in shown.parts:
        yield from _commit_part(engine, part, touched)
    others = [draft for draft in shown.quiet if draft not in kept]
    yield from _note_each(engine, others, touched)


def _note_each(
    engine: EngineContext, drafts: Sequence[Draft], touched: _Touched
) -> Iterator[Committed | Failed]:
    for draft in drafts:
        try:
            decision = _note(engine, draft, touched)
        except RecordStays as warning:
            yield Committed(draft.proposal, draft.verb, warning.decision, warning)
        except AwaitsAnother as vote:
            yield Committed(draft.proposal, Verb.VOTE, vote.decision)
        except ReviewdeckError as error:
            yield Failed(draft.proposal, error)
        else:
            yield Committed(draft.proposal, draft.verb, decision)


def _vote_each(
    engine: EngineContext, drafts: Sequence[Draft], touched: _Touched
) -> Iterator[Committed | Failed]:
    """Votes for each; where another operator has voted meanwhile, it is decided by that."""
    for draft in drafts:
        if engine.ledger.proposal(draft.proposal).outside and draft.verb is not Verb.MERGE:
            yield from _note_each(engine, [draft], touched)
            continue
        try:
            yield Committed(draft.proposal, draft.verb, _apply(engine, draft, unasked, touched))
        except AwaitsAnother as vote:
            yield Committed(draft.proposal, Verb.VOTE, vote.decision)
        except ReviewdeckError as error:
            yield Failed(draft.proposal, error)


def _commit_part(
    engine: EngineContext, part: HomePart, touched: _Touched
) -> Iterator[Committed | Failed]:
    verbs = {draft.proposal: draft.verb for draft in part.drafts}
    try:
        if part.vote is not None:  # The operator may be another one than was taken for granted.
            part = _seconded(engine, DraftChecker(engine, engine.home_by_id(part.home)), part)
        outcomes = _write(engine, part, touched, is_current=False)
    except AwaitsAnother as vote:
        yield Committed(vote.decision.proposal, Verb.VOTE, vote.decision)
        return
    except ReviewdeckError as error:
        yield from (Failed(id, error) for id in verbs)
        return
    for outcome in outcomes:
        match outcome:
            case Applied(operation) | Approved(operation):
                yield Committed(operation.proposal, verbs[operation.proposal], operation)
            case NotApplied(proposal, refusal):
                yield Failed(proposal, refusal)


def _apply(engine: EngineContext, draft: Draft, confirm: Confirm, touched: _Touched) -> Operation:
    engine.operator()
    with ExitStack() as view:
        view.enter_context(engine.ledger.at_once())
        proposal = _undecided(engine, draft.proposal)
        draft = replace(draft, proposal=proposal.id)
        open_home = engine.home_of(proposal)
        check_unclaimed(open_home, [proposal])
        checker = DraftChecker(engine, open_home)
        evaluation = checker.evaluation(proposal.id)
        if confirm is not unasked:
            view.close()
            if confirm(evaluation):  # A person took their time.
                check_undecided(proposal.id, engine.ledger.state_of(proposal.id))
                checker = DraftChecker(engine, open_home)
                evaluation = checker.evaluation(proposal.id)
        touched.note(proposal.home, (proposal.id,))
        if draft.verb is Verb.APPROVE:
            if proposal.outside:
                raise NotDecidable(f"{proposal.id} is live already: it can be kept.")
            try:
                shown = approvable(evaluation).digest
            except NotDecidable:  # Who decided first may have written it since.
                view.close()
                check_undecided(proposal.id, engine.ledger.state_of(proposal.id))
                raise
        else:
            path = document_for(evaluation, draft.document)
            draft = replace(draft, document=path)
            shown = shown_digest(evaluation, path, checker.snapshot)
        check_length(draft.digest or "", shown)
        part = _seconded(engine, checker, _part_now(engine, checker, (draft,)))
    return _only(_write(engine, part, touched, is_current=True))


def _undecided(engine: EngineContext, named: str) -> Proposal:
    """The proposal by its id, or the beginning of that. Raises NotDecidable where it is decided."""
    ledger = engine.ledger
    resolve = partial(ledger.resolve, named, engine.home_ids)
    # Mostly it is the whole id.
    ledger.foresee((resolve, partial(ledger.proposal, named), partial(ledger.state_of, named)))
    proposal = ledger.proposal(resolve())
    check_undecided(proposal.id, ledger.state_of(proposal.id))
    return proposal


def _seconded(engine: EngineContext, checker: DraftChecker, part: HomePart) -> HomePart:
    """The part of one draft, with the other operator's vote where two have to approve it.

    Raises AwaitsAnother where this is the first approval, and is a vote now.
    """
    if (quorum := engine.quorum).needs < 2:
        return part
    draft = replace(part.drafts[0], digest=part.digest)
    changes = writes(part.composed.plan)
    if needed(quorum, checker.evaluation(draft.proposal), changes, checker.snapshot) < 2:
        return part
    about = about_writes(part.home, draft.proposal, changes)
    if (vote := second_vote(engine, draft, about)) is None:
        raise AwaitsAnother(cast_vote(engine, draft, about, CLAIMABLE))
    return replace(part, vote=vote)


def _evaluate(engine: EngineContext, proposal: Proposal, confirm: Confirm) -> DraftChecker:
    """The home as a decision on this proposal sees it, with the proposal evaluated."""
    open_home = engine.home_of(proposal)
    checker = DraftChecker(engine, open_home)
    if confirm(checker.evaluation(proposal.id)):
        return DraftChecker(engine, open_home)  # A person took their time.
    return checker


def _only(outcomes: Sequence[Outcome]) -> Operation:
    match outcomes:
        case [Applied(operation) | Approved(operation)]:
            return operation
        case [NotApplied(error=error), *_]:
            raise error
        case _:
            raise AssertionError(outcomes)


def _write(
    engine: EngineContext, part: HomePart, touched: _Touched, *, is_current: bool
) -> tuple[Outcome, ...]:
    """Writes a part; planned again where its documents changed and its drafts all hold.

    `is_current` says that it was planned just now. Raises StaleBase when they do not hold.
    """
    open_home, operator = engine.home_by_id(part.home), engine.operator()
    outcomes: tuple[Outcome, ...] = ()
    for attempt in range(ATTEMPTS):
        if attempt or not is_current:
            part = _again(engine, part)
        approvals = [_approval(draft, part, operator) for draft in part.drafts]
        check_unclaimed(open_home, (approval.proposal for approval in approvals))
        plan = part.composed.plan
        outcomes = engine.applier(open_home).apply(plan, approvals, digest=part.digest)
        if not all(map(is_stale, outcomes)):
            break
    is_whole = all(isinstance(outcome, Applied) for outcome in outcomes)
    touched.note(part.home, part.composed.plan.proposals, _after(part) if is_whole else None)
    return outcomes


def _after(part: HomePart) -> Look | None:
    """The home as it is once the part is written: what it was planned on, with its changes."""
    if part.look is None:
        return None
    changes = part.composed.plan.changes
    after = Overlay(part.look.snapshot, changes)
    ends = (end for change in changes for end in (change.before, change.after) if end is not None)
    contents = {revision_of(end): end for end in ends}
    return Look(after, after.paths_from(part.look.paths), {**part.look.contents, **contents})


def _approval(draft: Draft, part: HomePart, operator: Actor) -> Approval:
    return Approval(
        part.composed.staged[draft.proposal].proposal,
        operator,
        draft.verb,
        text_sha=draft.text_sha,
        vote=part.vote,
    )


def _again(engine: EngineContext, part: HomePart) -> HomePart:
    """The same part on the home as it is now. Raises StaleBase where its effect is another one."""
    checker = DraftChecker(engine, engine.home_by_id(part.home))
    if checker.compose(part.drafts).plan.digest == part.composed.plan.digest:
        return part
    if part.vote is not None:
        raise StaleBase(
            f"Its document changed: the vote of {part.vote.operator} is void.",
            hint="Approve it as it is now: then it waits for another operator.",
        )
    again = _part_now(engine, checker, part.drafts, part)
    if checker.edits(again.composed.plan) != checker.edits(part.composed.plan):
        raise StaleBase("Its document changed, and so would the result.")
    return again


def _part_now(
    engine: EngineContext,
    checker: DraftChecker,
    drafts: tuple[Draft, ...],
    before: HomePart | None = None,
) -> HomePart:
    """Drafts planned on the home as it is now, in the place of what was planned before.

    Logs a decision that holds under another digest than the one it named. Raises StaleBase.
    """
    held = [_held(engine, checker, draft, is_moved=before is not None) for draft in drafts]
    composed = checker.compose([each.draft for each in held])
    for staged in composed.unapplicable:
        message = staged.outcome.message if isinstance(staged.outcome, Dead) else ""
        if drafts[0].verb is Verb.MERGE and before is None:
            raise BadInput(message, hint="Nothing was changed. Fix the text and try again.")
        raise StaleBase(f"The proposal {staged.proposal.id} no longer fits. {message}")
    shown, digest = held[0].earlier_digest, held[0].draft.digest or ""
    if before is not None:
        shown = before.shown
        is_own_digest = before.digest == before.composed.plan.digest
        digest = composed.plan.digest if is_own_digest else digest
    if shown != digest:
        _journal_rebase(engine, checker, drafts, shown, digest)
    return HomePart(composed.plan.home, drafts, composed, shown, digest, checker.look)


def _held(engine: EngineContext, checker: DraftChecker, draft: Draft, *, is_moved: bool) -> Held:
    """The draft as it holds now.

    Only memory entries are decided under another digest than the one that was shown: a document of
    a skill is reviewed as a whole. Raises StaleBase, or NotDecidable where it is decided meanwhile.
    """
    evaluation = checker.evaluation(draft.proposal)
    held = checker.hold(draft)
    if isinstance(held, Held):
        is_same = held.earlier_digest == held.draft.digest and not is_moved
        if is_same or _is_entry(evaluation.proposal):
            return held
        message = "The change is no longer the one that was shown: the document is another one."
    else:
        check_undecided(draft.proposal, engine.ledger.state_of(draft.proposal))
        message = held.message
    raise StaleBase(
        message,
        hint=f"Nothing was changed. Its current digest is {(evaluation.digest or 'none')[:16]}:"
        f" `reviewdeck diff {evaluation.proposal.id}` shows it.",
    )


def _is_entry(proposal: Proposal) -> bool:
    """Whether it is about memory entries, and not an operator's own undo or restore."""
    return proposal.kind is Kind.MEMORY and not proposal.is_operators


def _journal_rebase(
    engine: EngineContext, checker: DraftChecker, drafts: Sequence[Draft], shown: str, digest: str
) -> None:
    operator, at = engine.operator(), engine.now()
    detail: dict[str, object] = {"from": shown, "to": digest}
    for draft in drafts:
        home, id = checker.snapshot.home, draft.proposal
        engine.ledger.append(
            "decision-rebased", home=home, subject=id, actor=operator, at=at, detail=detail
        )


_KEEPING: Final = (Verb.APPROVE, Verb.KEEP, Verb.CLAIM)
"""What is decided about a change that is live already, and stays."""
_REVERTED: Final = (State.APPLIED, State.APPLYING, State.APPROVED)
"""What a revert has come to when its change is rejected: another machine may have to write it."""
_REJECTING: Final = (Verb.REJECT, Verb.SUPERSEDE)
"""The decisions after which other proposals are evaluated again."""


def _note(
    engine: EngineContext, draft: Draft, touched: _Touched, confirm: Confirm = unasked
) -> Decision:
    try:
        return _decided(engine, draft, confirm)
    finally:  # It may be decided although an error says what did not follow.
        if draft.verb in _REJECTING:
            touched.note(engine.ledger.item(draft.proposal).home, (draft.proposal,))


def _decided(engine: EngineContext, draft: Draft, confirm: Confirm) -> Decision:
    id = draft.proposal
    match draft.verb:
        case Verb.APPROVE | Verb.KEEP | Verb.CLAIM:
            return _keep(engine, draft, confirm)
        case Verb.REJECT if engine.ledger.proposal(id).outside:
            taking_back = reverse.take_back_id(engine, id, draft.reason)
            if engine.ledger.state_of(taking_back) in _REVERTED:
                return reject(engine, id, draft.reason, from_states=REVERTIBLE)
            raise NotDecidable(f"{id} is live already: it can be kept, or reverted.")
        case Verb.REJECT:
            return reject(engine, id, draft.reason)
        case Verb.SUPERSEDE:
            return _supersede(engine, id, draft.reason)
        case _:
            operator = engine.operator()
            check_undecided(id, engine.ledger.state_of(id))
            digest = engine.ledger.item(id).digest
            return _decide(engine, operator, draft, State.DEFERRED, digest)


def _keep(engine: EngineContext, draft: Draft, confirm: Confirm) -> Decision:
    """Keeps a change that is live already, as it was shown; or claims it as the operator's own."""
    operator, id = engine.operator(), draft.proposal
    check_undecided(id, engine.ledger.state_of(id))
    proposal = engine.ledger.proposal(id)
    if not proposal.outside:
        what = "claim" if draft.verb is Verb.CLAIM else "keep"
        raise NotDecidable(f"{id} is not live yet: there is nothing to {what}.")
    evaluation = _evaluate(engine, proposal, confirm).evaluation(id)
    check_digest(draft.digest or "", evaluation.digest or "")
    quorum = engine.quorum
    is_shared = quorum.needs > 1 and quorum.needed(evaluation.findings) > 1
    if draft.verb is not Verb.CLAIM:
        keep = replace(draft, verb=Verb.KEEP, digest=evaluation.digest)
        vote = None
        if is_shared:
            about = About(proposal.home, (id,))
            if (vote := second_vote(engine, keep, about)) is None:
                raise AwaitsAnother(cast_vote(engine, keep, about, UNDECIDED))
        return _decide(engine, operator, keep, State.KEPT, evaluation.digest, vote=vote)
    if is_shared:
        raise NotDecidable(
            f"Two other operators have to keep {id}: nobody approves their own change.",
            hint="Without --mine it is kept with another operator's vote.",
        )
    if (writer := exact_writer(evaluation.judgement.origin)) is not None:
        raise NotDecidable(
            f"The session {writer} is known to have written {id}.",
            hint="It can be kept, or reverted.",
        )
    claim = replace(draft, reason=f"exact: claimed by {operator.name}")
    name_author = partial(engine.ledger.claim, proposal, operator)
    return _decide(engine, operator, claim, State.KEPT, evaluation.digest, also=name_author)


def reject(
    engine: EngineContext,
    id: str,
    reason: str,
    *,
    verb: Verb = Verb.REJECT,
    spared: Collection[str] = (),
    from_states: Sequence[State] = UNDECIDED,
    rule: str = "",
) -> Decision:
    """Rejects a proposal for good: the reason and the rejected texts are kept, but for `spared`.

    `rule` is the operator's rule that rejects it; without one, an operator does.
    Raises RecordStays where it is rejected and its record could not be removed.
    """
    ledger = engine.ledger
    by = Actor(ActorKind.POLICY, rule, tier="policy") if rule else engine.operator()
    if not reason.strip():
        raise BadInput("A rejection needs a reason.", hint="Say it with --reason TEXT.")
    read, read_state = partial(ledger.proposal, id), partial(ledger.state_of, id)
    read_item = partial(ledger.item, id)
    with ledger.at_once():
        ledger.foresee((read, read_state, read_item))
        is_readable = (state := read_state()) is not State.QUARANTINED
        if is_readable:
            check_undecided(id, state, from_states)
        proposal, shown = read(), read_item().digest
    home = engine.home_of(proposal)
    check_unclaimed(home, [proposal])
    # What is live already is no rejected text: the proposal was superfluous.
    snapshot = home.home.snapshot()
    spared = {*spared, *live_among(proposal, touched_paths(proposal, snapshot), snapshot)}
    rejected = [
        Likeness(Relation.REJECTED, subject.text, 100.0, proposal.id, exact=True)
        for subject in subjects_of(proposal)
        if subject.text not in spared
    ]
    with engine.uninterrupted():
        # Before the decision: after a crash in between the text is held, never let in.
        ledger.remember(proposal.home, rejected, engine.now())
        noted = home.home.refusals().rejected
        digests = [
            digest
            for digest, text in digests_of(proposal).items()
            if text not in spared and digest not in noted
        ]
        with suppress(WriteFailed, HomeReadOnly, HomeUnavailable):  # The ledger's own memory holds.
            home.writer.note_rejected(digests)
        errand = digests if is_readable and home.sight is not None else None
        draft = Draft(id, verb, shown, engine.now(), reason)
        if not is_readable:
            from_states = (State.QUARANTINED,)
        try:
            decision = _decide(
                engine, by, draft, State.REJECTED, draft.digest, from_states, errand=errand
            )
        except ReviewdeckError:
            with suppress(ReviewdeckError):  # Then the text is held, never let in.
                _take_back_texts(engine, home, proposal, digests)
            raise
        if not is_readable or home.sight is not None:
            return decision  # The file may be another program's: it only leaves the queue.
        home.writer.notify_rejection(proposal, reason, decision.at)
        if proposal.source is not None:
            try:
                home.writer.retire([(proposal.source, proposal.payload_sha)])
            except ReviewdeckError as error:
                raise RecordStays(decision, error) from error
        return decision


def _take_back_texts(
    engine: EngineContext, home: OpenHome, proposal: Proposal, digests: Sequence[str]
) -> None:
    """Forgets what a rejection that failed had remembered, unless another one holds."""
    if engine.ledger.state_of(proposal.id) is State.REJECTED:
        return
    engine.ledger.forget(proposal.home, Relation.REJECTED, proposal.id)
    home.writer.note_rejected(digests, taken_back=True)


def _supersede(engine: EngineContext, id: str, winner: str) -> Decision:
    """Rejects a proposal for good, superseded by one that was applied.

    Its texts are held against later proposals as with any rejection, except those that the
    winner says as well. Raises NotDecidable when the winner was not applied, or for another home.
    """
    applied = engine.ledger.proposal(winner)
    if (state := engine.ledger.state_of(applied.id)) is not State.APPLIED:
        if state in (State.APPROVED, State.APPLYING):
            raise NotDecidable(
                f"{winner} is approved and not written yet: it supersedes nothing before that."
            )
        raise NotDecidable(f"{winner} was not applied: nothing is superseded by it.")
    if engine.ledger.proposal(id).home != applied.home:
        raise NotDecidable(f"{winner} belongs to another home.")
    spared = frozenset(subject.text for subject in subjects_of(applied))
    return reject(engine, id, f"superseded by {winner}", verb=Verb.SUPERSEDE, spared=spared)


def _decide(
    engine: EngineContext,
    operator: Actor,
    draft: Draft,
    state: State,
    digest: str | None,
    from_states: Sequence[State] = UNDECIDED,
    also: Callable[[], None] = lambda: None,
    errand: Collection[str] | None = None,
    vote: Vote | None = None,
) -> Decision:
    """`errand` are the digests of rejected texts that the machine with the home has to note."""
    decision = Decision(
        id=engine.new_id(),
        proposal=draft.proposal,
        verb=draft.verb,
        actor=operator,
        at=engine.now(),
        digest=digest,
        reason=draft.reason.strip(),
        policy=engine.judge(),
    )

    def beside() -> None:
        also()
        if errand is not None:
            engine.ledger.put_errand(decision, errand)

    engine.record(decision, state, from_states, beside, None if vote is None else vote.decision.id)
    return decision
