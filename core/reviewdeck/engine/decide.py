"""An operator's decisions: approve, merge, reject, defer, and one for a whole cluster.

In a cluster one proposal is approved and supersedes the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress

from reviewdeck.engine.auto import refresh_home
from reviewdeck.engine.bases import touched_paths
from reviewdeck.engine.clusters import same_subject
from reviewdeck.engine.draft_upkeep import (
    Differs,
    DraftChecker,
    Holds,
    LeftOut,
    LeftOutReason,
    return_to_queue,
)
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.journal import Applied, Approval, NotApplied, Outcome
from reviewdeck.engine.similarity import digests_of, live_among, subjects_of
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
    Actor,
    Conflict,
    Dead,
    Decision,
    Draft,
    Kind,
    Likeness,
    Operation,
    Plan,
    Proposal,
    QueueItem,
    Ready,
    Relation,
    State,
    Verb,
)
from reviewdeck.origin.writers import exact_writer
from reviewdeck.planning.compose import ChosenProposal, Composed, compose
from reviewdeck.planning.resolution import resolve
from reviewdeck.planning.skills import check_new_document
from reviewdeck.ports import OpenHome, Snapshot

MIN_DIGEST = 12
"""The fewest hex digits of a digest that a decision names: 48 bits."""

ATTEMPTS = 8
"""The most attempts at a decision while another program keeps writing to its document."""

TAKEN_BACK = (State.KEPT, State.ELSEWHERE)
"""States, besides the undecided ones, in which a change may be taken back: kept, listed, or
found gone by a pass that came in between."""
UNDECIDED = tuple(sorted(s for s in State if s.is_open and s is not State.QUARANTINED))


def approve(context: Engine, id: str, digest: str) -> Operation:
    """Applies a proposal exactly as it was shown; the digest says what that was.

    Raises NotDecidable, StaleBase when its effect would be another one now.
    """
    operator = context.operator()

    def attempt() -> Operation:
        evaluation, _ = _load_undecided(context, id)
        if evaluation.proposal.outside:
            raise NotDecidable(f"{evaluation.proposal.id} is live already: it can be kept.")
        plan = approvable(evaluation)
        check_length(digest, plan.digest)
        if not plan.digest.startswith(digest):
            _rebase(context, evaluation, checker(evaluation).approval(evaluation, digest))
        approval = Approval(evaluation.proposal, operator)
        return apply_decision(context, evaluation, plan, approval, plan.digest)

    def checker(evaluation: Evaluation) -> DraftChecker:
        return DraftChecker(context, context.home_of(evaluation.proposal))

    return _with_retries(attempt)


def keep(context: Engine, id: str, digest: str, reason: str = "") -> Decision:
    """Keeps a change that is live already, as it was shown.

    Raises NotDecidable, StaleBase when it has changed since.
    """
    operator = context.operator()
    evaluation, _ = _load_undecided(context, id)
    proposal = evaluation.proposal
    if not proposal.outside:
        raise NotDecidable(f"{proposal.id} is not live yet: there is nothing to keep.")
    check_digest(digest, evaluation.digest or "")
    return _decide(context, operator, proposal.id, Verb.KEEP, State.KEPT, reason)


def claim(context: Engine, id: str, digest: str) -> Decision:
    """Keeps a change that the operator made themselves, as it was shown; the history names them.

    Raises NotDecidable where a session is known to have written it, and what `keep` raises.
    """
    operator = context.operator()
    evaluation, _ = _load_undecided(context, id)
    proposal = evaluation.proposal
    if not proposal.outside:
        raise NotDecidable(f"{proposal.id} is not live yet: there is nothing to claim.")
    check_digest(digest, evaluation.digest or "")
    if (writer := exact_writer(evaluation.judgement.origin)) is not None:
        raise NotDecidable(
            f"The session {writer} wrote {proposal.id}, which is known exactly.",
            hint="It can be kept, or reverted.",
        )
    reason = f"exact: claimed by {operator.name}"
    with context.ledger.together():
        decision = _decide(context, operator, proposal.id, Verb.CLAIM, State.KEPT, reason)
        context.ledger.claim(proposal, operator)
    return decision


def merge(
    context: Engine, id: str, text: str | None, digest: str, document: str | None
) -> Operation:
    """Applies the operator's own text instead of the proposed one; None removes the document.

    `digest` is the one that was shown; for a dead or refused proposal, which has none, it is the
    revision of the document that the text replaces.
    """
    operator = context.operator()

    def attempt() -> Operation:
        evaluation, snapshot = _load_undecided(context, id)
        path, own = document_for(evaluation, document), text
        shown_digest = evaluation.digest or snapshot.document(path).revision
        check_length(digest, shown_digest)
        if not shown_digest.startswith(digest):
            checker = DraftChecker(context, context.home_of(evaluation.proposal))
            own = _rebase(context, evaluation, checker.merge(evaluation, digest, text, path))
        resolved = resolve(evaluation.staged, own, path, snapshot)
        if not isinstance(resolved.outcome, Ready):
            message = resolved.outcome.message if isinstance(resolved.outcome, Dead) else ""
            raise BadInput(message, hint="Nothing was changed. Fix the text and try again.")
        sha = None if own is None else hashlib.sha256(own.encode("utf-8")).hexdigest()
        approval = Approval(evaluation.proposal, operator, Verb.MERGE, text_sha=sha)
        return apply_decision(context, evaluation, resolved.outcome.plan, approval, shown_digest)

    return _with_retries(attempt)


def _with_retries(attempt: Callable[[], Operation]) -> Operation:
    """Repeats a decision whose document changed just before it was written.

    Each attempt compares again with what was shown. Raises StaleBase, or what kept the first
    attempt from being made.
    """
    moved: StaleBase | None = None
    for _ in range(ATTEMPTS):
        try:
            return attempt()
        except StaleBase as stale:
            if stale.found is None:
                raise
            moved = stale
        except NotDecidable:
            if moved is None:
                raise
            break
    raise moved or StaleBase("Its document changed during every attempt to write it.")


def _rebase(context: Engine, evaluation: Evaluation, verdict: Holds | Differs) -> str | None:
    """Journals that a decision still holds on the live text; gives the operator's text, rebased.

    Only for memory entries: a document of a skill is reviewed as a whole. Raises StaleBase.
    """
    proposal = evaluation.proposal
    if isinstance(verdict, Differs) or not is_entry(proposal):
        difference = (
            verdict.difference if isinstance(verdict, Differs) else "the document is another one"
        )
        raise StaleBase(
            f"The change is no longer the one that was shown: {difference}.",
            hint=f"Nothing was changed. It has the digest {(evaluation.digest or 'none')[:16]} now:"
            f" `reviewdeck diff {proposal.id}` shows it.",
        )
    journal_rebase(context, [proposal.id], verdict.earlier_digest, verdict.digest)
    return verdict.text


def is_entry(proposal: Proposal) -> bool:
    """Whether it is about memory entries, and not an operator's own undo or restore."""
    return proposal.kind is Kind.MEMORY and not proposal.is_operators


def journal_rebase(context: Engine, proposals: Iterable[str], earlier: str, digest: str) -> None:
    """Logs that a decision holds under another digest than the one it named."""
    operator, at = context.operator(), context.now()
    detail: dict[str, object] = {"from": earlier, "to": digest}
    for id in proposals:
        home = context.ledger.item(id).home
        context.ledger.append(
            "decision-rebased", home=home, subject=id, actor=operator, at=at, detail=detail
        )


def reject(context: Engine, id: str, reason: str) -> Decision:
    """Rejects a proposal for good. The reason and the rejected texts are kept."""
    full_id = context.ledger.resolve(id, context.home_ids)
    if context.ledger.proposal(full_id).outside:
        raise NotDecidable(f"{full_id} is live already: it can be kept, or reverted.")
    decision = record_rejection(context, full_id, reason)
    refresh_home(context, context.home_of(context.ledger.proposal(decision.proposal)))
    return decision


def record_rejection(
    context: Engine,
    id: str,
    reason: str,
    *,
    verb: Verb = Verb.REJECT,
    spared: Collection[str] = (),
    from_states: Sequence[State] = UNDECIDED,
) -> Decision:
    """A rejection without refreshing the other proposals: for one of several.

    `spared` texts are not held against later proposals.
    """
    operator = context.operator()
    if not reason.strip():
        raise BadInput("A rejection needs a reason.", hint="Say it with --reason TEXT.")
    full_id = context.ledger.resolve(id, context.home_ids)
    is_readable = context.ledger.state_of(full_id) is not State.QUARANTINED
    if is_readable:
        check_undecided(full_id, context.ledger.state_of(full_id), from_states)
    proposal = context.ledger.proposal(full_id)
    home = context.home_of(proposal)
    _check_unclaimed(home, [proposal])
    # What is live already is no rejected text: the proposal was superfluous.
    snapshot = home.home.snapshot()
    spared = {*spared, *live_among(proposal, touched_paths(proposal, snapshot), snapshot)}
    rejected = [
        Likeness(Relation.REJECTED, subject.text, 100.0, proposal.id, exact=True)
        for subject in subjects_of(proposal)
        if subject.text not in spared
    ]
    # Before the decision: after a crash in between the text is held, never let in.
    context.ledger.remember(proposal.home, rejected, context.now())
    digests = [digest for digest, text in digests_of(proposal).items() if text not in spared]
    with suppress(WriteFailed, HomeReadOnly, HomeUnavailable):  # The ledger's own memory holds.
        home.writer.note_rejected(digests)
    if not is_readable:
        # The file may be another program's: it stays in place, and only leaves the queue.
        return _decide(
            context, operator, full_id, verb, State.REJECTED, reason, (State.QUARANTINED,)
        )
    decision = _decide(context, operator, full_id, verb, State.REJECTED, reason, from_states)
    home.writer.tell_rejection(proposal, reason, decision.at)
    _retire(home, proposal)
    return decision


def _retire(open_home: OpenHome, proposal: Proposal) -> None:
    if proposal.source is None:
        return
    try:
        open_home.writer.retire(proposal.source, proposal.payload_sha)
    except ReviewdeckError as error:
        raise WriteFailed(
            f"It is rejected, but its record could not be removed: {error.message}",
            hint="The next `reviewdeck auto` tries again.",
        ) from error


def defer(context: Engine, id: str, reason: str = "") -> Decision:
    """Defers a proposal: out of the way until it changes, and never applied automatically."""
    operator, full_id = context.operator(), context.ledger.resolve(id, context.home_ids)
    check_undecided(full_id, context.ledger.state_of(full_id))
    return _decide(context, operator, full_id, Verb.DEFER, State.DEFERRED, reason)


def commit(context: Engine, choices: Sequence[ChosenProposal], digest: str) -> tuple[Outcome, ...]:
    """Applies several decisions as they were composed and shown together."""
    operator = context.operator()
    composed = compose_decisions(context, choices)
    if composed.unapplicable:
        first = composed.unapplicable[0]
        raise StaleBase(f"The proposal {first.proposal.id} does not fit any more.")
    check_digest(digest, composed.plan.digest)
    home = context.home_of(choices[0].proposal)
    _check_unclaimed(home, [choice.proposal for choice in choices])
    approvals = [_approval(composed, choice, operator) for choice in choices]
    outcomes = context.applier(home).apply(composed.plan, approvals, digest=composed.plan.digest)
    with suppress(ReviewdeckError):
        refresh_home(context, home)
    return outcomes


def _approval(composed: Composed, choice: ChosenProposal, operator: Actor) -> Approval:
    return Approval(
        composed.staged[choice.proposal.id].proposal,
        operator,
        Verb.APPROVE if choice.document is None else Verb.MERGE,
        text_sha=hashlib.sha256(choice.text.encode()).hexdigest() if choice.text else None,
    )


def compose_decisions(context: Engine, choices: Sequence[ChosenProposal]) -> Composed:
    """Composes decisions on one home into one plan, with the bases that the ledger knows."""
    evaluator = context.evaluator(choices[0].proposal)
    based = [
        ChosenProposal(
            evaluator.with_bases(choice.proposal), choice.document, choice.text, choice.effects
        )
        for choice in choices
    ]
    return compose(based, evaluator.snapshot)


def check_digest(prefix: str, digest: str) -> None:
    """Checks that a decision names the digest it was shown. Raises BadInput, StaleBase."""
    check_length(prefix, digest)
    if not digest.startswith(prefix):
        raise StaleBase("The change is no longer the one that was shown.")


def check_length(prefix: str, digest: str) -> None:
    """Checks that a digest prefix is long enough to be unambiguous. Raises BadInput."""
    if len(prefix) < MIN_DIGEST and prefix != digest:  # the revision of no document is "absent"
        raise BadInput(
            f"A digest has at least {MIN_DIGEST} digits.",
            hint="`reviewdeck diff ID` prints it at its end.",
        )


def document_for(evaluation: Evaluation, document: str | None) -> str:
    """The document that an operator's own text replaces. Raises BadInput when it is not clear."""
    outcome = evaluation.staged.outcome
    if isinstance(outcome, Conflict):
        candidates = [outcome.path, *(change.path for change in outcome.others)]
    elif isinstance(outcome, Ready):
        candidates = [change.path for change in outcome.plan.changes]
    else:
        candidates = list(evaluation.plain_paths)
        if document is not None and not candidates and not check_new_document(document):
            return document  # The edit names no document: the operator chooses one.
    if document is None and (len(candidates) == 1 or isinstance(outcome, Conflict)):
        return candidates[0]
    if document is not None and document in candidates:
        return document
    names = ", ".join(candidates) or "skills/NAME/SKILL.md, say"
    raise BadInput(
        "It is not clear which document the text is for."
        if document is None
        else f"The proposal is not about {document}.",
        hint=f"Name one with --document: {names}.",
    )


def _load_undecided(context: Engine, id: str) -> tuple[Evaluation, Snapshot]:
    """The evaluated proposal and the snapshot it was evaluated on: one read for the whole decision.

    Raises NotDecidable when it is not open.
    """
    full_id = context.ledger.resolve(id, context.home_ids)
    check_undecided(full_id, context.ledger.state_of(full_id))
    proposal = context.ledger.proposal(full_id)
    _check_unclaimed(context.home_of(proposal), [proposal])
    evaluator = context.evaluator(proposal)
    evaluation = evaluator.evaluate(proposal)
    context.ledger.stage([evaluation.as_staging()])
    return evaluation, evaluator.snapshot


def _check_unclaimed(open_home: OpenHome, proposals: Sequence[Proposal]) -> None:
    """Raises NotDecidable for a record that another program is deciding on."""
    claimed = open_home.home.claimed()
    for proposal in proposals if claimed else ():
        if (by := claimed.get(proposal.source or "")) is None:
            continue
        raise NotDecidable(
            f"Another program holds the record of {proposal.id}: {by} says so.",
            hint="It is decided there, or comes back. If nothing works on it any more, take that"
            " file away (or give the record its name back) and try again.",
        )


def check_undecided(
    id: str, state: State | None, from_states: Collection[State] = UNDECIDED
) -> None:
    """Checks that a proposal may still be decided from these states. Raises NotDecidable."""
    if state is State.QUARANTINED:
        raise NotDecidable(
            f"The record {id} could not be read: there is nothing to decide yet.",
            hint=f"`reviewdeck repair {id}` opens it in your editor; `reviewdeck reject {id}"
            " --reason TEXT` dismisses it.",
        )
    if state not in from_states:
        raise NotDecidable(
            f"The proposal {id} is {state}: it is decided already.",
            hint="`reviewdeck log` says by whom; `reviewdeck undo` takes an operation back.",
        )


def approvable(evaluation: Evaluation) -> Plan:
    """The plan that an approval would write. Raises NotDecidable for anything but a ready plan."""
    id = evaluation.proposal.id
    if evaluation.state is State.REFUSED:
        raise NotDecidable(
            f"The policy refuses {id}: {evaluation.reason}",
            hint="It cannot be applied as it is. `reviewdeck merge` takes your own version.",
        )
    match evaluation.staged.outcome:
        case Ready(plan):
            return plan
        case Conflict(reason=reason):
            hint = f"See `reviewdeck diff {id}`, then `reviewdeck merge {id} --file FILE`."
            raise NotDecidable(f"{id} is a conflict: {reason}", hint=hint)
        case Dead(message=message):
            hint = f"`reviewdeck reject {id} --reason TEXT` takes it off the queue."
            raise NotDecidable(f"{id} cannot be applied: {message}", hint=hint)


def apply_decision(
    context: Engine, evaluation: Evaluation, plan: Plan, approval: Approval, digest: str
) -> Operation:
    """Applies the plan of one decision and refreshes the proposals that it affects.

    Raises what kept it from being applied.
    """
    open_home = context.home_of(evaluation.proposal)
    (outcome,) = context.applier(open_home).apply(plan, [approval], digest=digest)
    with suppress(ReviewdeckError):  # What is written is written; the next look stages the rest.
        refresh_home(context, open_home)
    match outcome:
        case Applied(operation):
            return operation
        case NotApplied(error=error):
            raise error


def _decide(
    context: Engine,
    operator: Actor,
    id: str,
    verb: Verb,
    state: State,
    reason: str,
    from_states: Sequence[State] = UNDECIDED,
) -> Decision:
    decision = Decision(
        id=context.new_id(),
        proposal=id,
        verb=verb,
        actor=operator,
        at=context.now(),
        digest=context.ledger.item(id).digest,
        reason=reason.strip(),
        policy=context.judge(),
    )
    context.record(decision, state, from_states)
    return decision


_NOT_DRAFTED = "The proposal that supersedes it is no longer drafted."
_CLASHES = "The proposal that supersedes it does not fit after the other drafts."


def supersede(context: Engine, proposal: str, winner: str) -> Decision:
    """Rejects a proposal for good, superseded by one that was applied.

    Its texts are held against later proposals as with any rejection, except those that the
    winner says as well. Raises NotDecidable when the winner was not applied, or for another home.
    """
    applied = context.ledger.proposal(winner)
    if context.ledger.state_of(applied.id) is not State.APPLIED:
        raise NotDecidable(f"{winner} was not applied: nothing is superseded by it.")
    if context.ledger.proposal(proposal).home != applied.home:
        raise NotDecidable(f"{winner} is of another home.")
    spared = frozenset(subject.text for subject in subjects_of(applied))
    return record_rejection(
        context, proposal, f"superseded by {winner}", verb=Verb.SUPERSEDE, spared=spared
    )


def approve_for_all(
    context: Engine, id: str, digest: str
) -> tuple[Operation, tuple[tuple[QueueItem, Decision], ...]]:
    """Applies a proposal as it was shown; other proposals about the same entry are superseded.

    One that is decided in the meantime, or held by another program, is left as it is.
    Raises what `approve` raises; then nothing is superseded.
    """
    item = context.ledger.item(context.ledger.resolve(id, context.home_ids))
    superseded = same_subject(context.ledger, item)
    operation = approve(context, item.id, digest)
    decided: list[tuple[QueueItem, Decision]] = []
    for rival in superseded:
        with suppress(NotDecidable):
            decided.append((rival, supersede(context, rival.id, item.id)))
    if decided:
        refresh_home(context, context.home_by_id(item.home))
    return operation, tuple(decided)


def match_winners(
    context: Engine, drafts: Sequence[Draft], fitting: frozenset[str]
) -> tuple[list[Draft], list[LeftOut]]:
    """Splits drafts to supersede by whether their winner is written by the commit.

    A draft whose winner is no longer drafted goes back to the queue.
    """
    following: list[Draft] = []
    left_out: list[LeftOut] = []
    drafted = {draft.proposal for draft in context.drafts}
    for draft in drafts:
        winner = draft.reason
        if winner in fitting or context.ledger.state_of(winner) is State.APPLIED:
            following.append(draft)
        elif winner in drafted:
            left_out.append(LeftOut(draft, LeftOutReason.CLASHES, _CLASHES))
        else:
            left_out.append(LeftOut(draft, LeftOutReason.MOVED, _NOT_DRAFTED))
            return_to_queue(context, left_out[-1])
    return following, left_out
