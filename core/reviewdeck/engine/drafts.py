"""From drafts to one commit: the plan of all drafts together, its result, the decision on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reviewdeck.engine import decide, restore, undo
from reviewdeck.engine.auto import refresh_home
from reviewdeck.engine.draft_upkeep import (
    DraftChecker,
    LeftOut,
    LeftOutReason,
    check_drafts,
    return_to_queue,
    units,
)
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.journal import Applied, NotApplied, Outcome
from reviewdeck.engine.undoable import applied_again
from reviewdeck.errors import NotDecidable, ReviewdeckError, StaleBase
from reviewdeck.model import Change, Dead, Decision, Draft, Operation, Ready, Staged, State, Verb
from reviewdeck.planning.compose import ChosenProposal, Composed
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.diff import diff


@dataclass(frozen=True, slots=True)
class DraftRoom:
    """The characters of a memory before and after, and how many it may have."""

    before: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class DraftedDocument:
    """One document from what it is to what all drafts on it make of it."""

    home: str
    change: Change
    proposals: tuple[str, ...]
    """The drafted proposals, in the order in which they are applied."""
    room: DraftRoom | None
    removed: tuple[str, ...]
    """Entries, or lines, that are removed."""
    added: int = 0
    """How many entries, or lines, are new."""

    @property
    def path(self) -> str:
        """The document."""
        return self.change.path


@dataclass(frozen=True, slots=True)
class HomePart:
    """The part of a commit for one home: one plan, one digest."""

    home: str
    choices: tuple[ChosenProposal, ...]
    composed: Composed
    documents: tuple[DraftedDocument, ...]

    @property
    def digest(self) -> str:
        """The digest that the decision names."""
        return self.composed.plan.digest


@dataclass(frozen=True, slots=True)
class Superseded:
    """An open proposal that a commit makes obsolete."""

    proposal: str
    by: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A commit's plans and decisions, and the drafts it leaves out."""

    parts: tuple[HomePart, ...] = ()
    quiet: tuple[Draft, ...] = ()
    """Decisions that write nothing: rejections, deferrals, keeping."""
    rebased: tuple[Draft, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    superseded: tuple[Superseded, ...] = ()

    @property
    def documents(self) -> tuple[DraftedDocument, ...]:
        """All documents that are written."""
        return tuple(document for part in self.parts for document in part.documents)

    @property
    def amount(self) -> int:
        """The number of drafts that are decided."""
        return len(self.quiet) + sum(len(part.choices) for part in self.parts)

    @property
    def digest(self) -> str:
        """One digest over all decisions."""
        quiet = (f"{draft.verb}:{draft.proposal}:{draft.reason}" for draft in self.quiet)
        text = "\n".join([*(part.digest for part in self.parts), *quiet])
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Committed:
    """One draft that was decided. It is a draft no longer."""

    proposal: str
    verb: Verb
    result: Operation | Decision


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


MOST_SIBLINGS = 200
"""The most open proposals that are checked for becoming obsolete."""


Progress = Callable[[int, int], None]
"""Called with how many of how many drafts are decided."""


def summary(context: Engine) -> Summary:
    """All drafts composed and compared with the live homes. Changes no byte of a home."""
    upkeep = check_drafts(context)
    stray = _find_stray_reverts(context, upkeep.drafts)
    drafts = [draft for draft in upkeep.drafts if draft not in stray]
    quiet, writing = list[Draft](), list[Draft]()
    for draft in drafts:
        if draft.verb in (Verb.REJECT, Verb.DEFER) or _is_keep(context, draft):
            quiet.append(draft)
        elif draft.verb in (Verb.APPROVE, Verb.MERGE):
            writing.append(draft)
    twice = _find_applied_twice(context, writing)
    writing = [draft for draft in writing if draft not in twice]
    parts: list[HomePart] = []
    left_out, superseded = list(upkeep.left_out), list[Superseded]()
    left_out += [*stray.values(), *twice.values()]
    for home in context.home_ids:
        choices = _choices_of(context, home, writing)
        if not choices:
            continue
        part, clashing = _plan_part(context, home, choices)
        left_out += _clashing_drafts(clashing, writing)
        if part.choices:
            parts.append(part)
            superseded += _find_superseded(context, part, {draft.proposal for draft in drafts})
    fitting = frozenset(choice.proposal.id for part in parts for choice in part.choices)
    giving_way = [draft for draft in drafts if draft.verb is Verb.SUPERSEDE]
    following, unled = decide.match_winners(context, giving_way, fitting)
    quiet, left_out = [*quiet, *following], [*left_out, *unled]
    return Summary(tuple(parts), tuple(quiet), upkeep.rebased, tuple(left_out), tuple(superseded))


_NO_REJECTION = "The rejection that it was drafted with is no longer drafted."


def _find_stray_reverts(context: Engine, drafts: Sequence[Draft]) -> dict[Draft, LeftOut]:
    """Reverts that were drafted with the rejection of a live change, without that rejection.

    They leave the queue: what is kept now, or went on changing, is not reverted.
    """
    reverts = {
        restore.take_back_id(context, draft.proposal, draft.reason)
        for draft in drafts
        if is_take_back(context, draft)
    }
    stray = {
        draft: LeftOut(draft, LeftOutReason.MOVED, _NO_REJECTION)
        for draft in drafts
        if draft.proposal not in reverts and _is_revert(context, draft)
    }
    for left_out in stray.values():
        return_to_queue(context, left_out)
        _drop_own(context, left_out.draft.proposal)
    return stray


def _is_revert(context: Engine, draft: Draft) -> bool:
    """Whether it was drafted with a rejection, for its reason, and not approved by itself."""
    is_own = draft.verb is Verb.APPROVE and bool(draft.reason)
    return is_own and context.ledger.proposal(draft.proposal).takes_back is not None


_TWICE = "Another draft applies what it would apply again."


def _find_applied_twice(context: Engine, drafts: Sequence[Draft]) -> dict[Draft, LeftOut]:
    """Undos that would apply a proposal again that another of these drafts applies."""
    drafted = {draft.proposal for draft in drafts}
    return {
        draft: LeftOut(draft, LeftOutReason.CLASHES, _TWICE)
        for draft in drafts
        if (undoes := context.ledger.proposal(draft.proposal).undoes) is not None
        and drafted & set(applied_again(context.ledger, context.ledger.operation(undoes)))
    }


def is_take_back(context: Engine, draft: Draft) -> bool:
    """Whether it rejects a change that is live already: then another draft undoes it."""
    return draft.verb is Verb.REJECT and bool(context.ledger.proposal(draft.proposal).outside)


def _is_keep(context: Engine, draft: Draft) -> bool:
    """Whether it keeps a change that is live already."""
    if draft.verb is Verb.CLAIM:
        return True
    return draft.verb is Verb.APPROVE and bool(context.ledger.proposal(draft.proposal).outside)


def commit(
    context: Engine, shown: Summary, progress: Progress = lambda done, all: None
) -> CommitReport:
    """Commits exactly what a summary showed. A draft that has changed since fails and stays."""
    context.operator()  # Raises before anything is begun.
    committed: list[Committed] = []
    failed: list[Failed] = []
    touched: set[str] = set()
    for ended in _decide_all(context, shown):
        if isinstance(ended, Failed):
            failed.append(ended)
        else:
            committed.append(ended)
            context.ledger.clear_draft(ended.proposal)
            if ended.verb in (Verb.REJECT, Verb.SUPERSEDE):
                touched.add(context.ledger.item(ended.proposal).home)
        progress(len(committed) + len(failed), shown.amount)
    for home in sorted(touched):
        refresh_home(context, context.home_by_id(home))
    return CommitReport(tuple(committed), tuple(failed))


def put_drafts(context: Engine, drafts: Sequence[Draft]) -> bool:
    """Stores drafts, each in the place of an earlier one; says whether the queue changed.

    The rejection of a live change is drafted with its revert, and replaced with it.
    Raises what `draft_rejection` raises.
    """
    earlier = {draft.proposal: draft for draft in context.drafts}
    is_queue_changed = False
    for draft in drafts:
        last = earlier.get(draft.proposal)
        if last is not None and is_take_back(context, last):
            is_queue_changed |= withdraw(context, draft.proposal)
        if is_take_back(context, draft):
            draft_rejection(context, draft)
            is_queue_changed = True
        else:
            context.ledger.put_draft(draft)
    return is_queue_changed


def draft_undo(context: Engine, operation: str) -> Draft:
    """Drafts the undo of an operation: it goes through the summary like every decision.

    Raises NotDecidable when it was taken back already, or when only a merge can do it.
    """
    return draft_own(context, undo.propose_undo(context, operation), f"undo of {operation}")


def draft_own(context: Engine, evaluation: Evaluation, reason: str) -> Draft:
    """Drafts an operator's own proposal: an undo, a revert, a restore, a text of their own.

    Raises NotDecidable when only a merge can do it: then it waits in the queue.
    """
    digest = decide.approvable(evaluation).digest
    draft = Draft(evaluation.proposal.id, Verb.APPROVE, digest, context.now(), reason=reason)
    context.ledger.put_draft(draft)
    return draft


def draft_rejection(context: Engine, draft: Draft) -> None:
    """Drafts the rejection of a live change, and with it the proposal that takes it back.

    Raises NotDecidable when only a merge can do it: then it waits in the queue.
    """
    change = context.ledger.proposal(draft.proposal)
    draft_own(context, restore.propose_take_back(context, change, draft.reason), draft.reason)
    context.ledger.put_draft(draft)


def withdraw(context: Engine, proposal: str) -> bool:
    """Takes a draft back. An operator's own proposal leaves the queue with its draft.

    That is no decision: nothing is rejected or signed, and it can be drafted again.
    """
    drafts = {draft.proposal: draft for draft in context.drafts}
    cleared = context.ledger.clear_draft(proposal)
    if cleared and is_take_back(context, drafts[proposal]):
        withdraw(context, restore.take_back_id(context, proposal, drafts[proposal].reason))
    if cleared:
        _drop_own(context, proposal)
    return cleared


def _drop_own(context: Engine, proposal: str) -> None:
    """Takes an operator's own proposal out of the queue, with its draft."""
    if context.ledger.proposal(proposal).is_operators:
        context.ledger.drop(proposal, "its draft was dropped: nothing was decided")


def _choices_of(context: Engine, home: str, drafts: Sequence[Draft]) -> list[ChosenProposal]:
    choices: list[ChosenProposal] = []
    for draft in drafts:
        proposal = context.ledger.proposal(draft.proposal)
        if proposal.home == home:
            effects = context.ledger.inverse_effects(proposal.undoes) if proposal.undoes else ()
            choices.append(ChosenProposal(proposal, draft.document, draft.text, effects))
    return choices


def _plan_part(
    context: Engine, home: str, choices: Sequence[ChosenProposal]
) -> tuple[HomePart, dict[str, Staged]]:
    """The part of a commit for one home, and the outcomes of the drafts that do not fit."""
    composed = decide.compose_decisions(context, choices)
    clashing = {staged.proposal.id: staged.outcome for staged in composed.unapplicable}
    fitting = tuple(choice for choice in choices if choice.proposal.id not in clashing)
    if clashing and fitting:
        composed = decide.compose_decisions(context, fitting)
    snapshot = context.home_by_id(home).home.snapshot()
    documents = tuple(_document_of(composed, change, snapshot) for change in composed.plan.changes)
    return HomePart(home, fitting, composed, documents), clashing


def _document_of(composed: Composed, change: Change, snapshot: Snapshot) -> DraftedDocument:
    limit = snapshot.budget(change.path)
    is_memory = snapshot.has_entries(change.path)
    old = units(change.before, is_memory=is_memory)
    new = units(change.after, is_memory=is_memory)
    room = None if limit is None else DraftRoom(entries.size(old), entries.size(new), limit)
    proposals = tuple(
        step.proposal
        for step in composed.plan.steps
        if any(step_change.path == change.path for step_change in step.changes)
    )
    hunks = diff(old, new)
    removed = tuple(text for hunk in hunks for text in old[hunk.a_start : hunk.a_end])
    added = sum(hunk.b_end - hunk.b_start for hunk in hunks)
    return DraftedDocument(composed.plan.home, change, proposals, room, removed, added)


def _clashing_drafts(clashing: dict[str, Staged], drafts: Sequence[Draft]) -> list[LeftOut]:
    return [
        LeftOut(draft, LeftOutReason.CLASHES, _clash_message(clashing[draft.proposal]))
        for draft in drafts
        if draft.proposal in clashing
    ]


def _clash_message(outcome: Staged) -> str:
    if isinstance(outcome, Dead):
        return f"It does not fit after the other drafts: {outcome.message}"
    return "It changes the same thing as another draft."


def _find_superseded(context: Engine, part: HomePart, drafted: set[str]) -> list[Superseded]:
    """Open proposals on the same documents that the commit makes dead."""
    evaluator = context.evaluator_of(context.home_by_id(part.home).home)
    after = Overlay(evaluator.snapshot, part.composed.plan.changes)
    by_path = {document.path: document.proposals[-1] for document in part.documents}
    superseded: list[Superseded] = []
    looked = 0
    for proposal in context.ledger.open_proposals(part.home):
        if proposal.id in drafted or proposal.outside or looked >= MOST_SIBLINGS:
            continue
        based = evaluator.with_bases(proposal)
        now = stage(based, evaluator.snapshot).outcome
        path = next((path for path in _paths(now) if path in by_path), None)
        if path is None:
            continue
        looked += 1
        if isinstance(stage(based, after).outcome, Dead):
            superseded.append(Superseded(proposal.id, by_path[path]))
    return superseded


def _paths(outcome: Staged) -> tuple[str, ...]:
    if isinstance(outcome, Ready):
        return tuple(change.path for change in outcome.plan.changes)
    return () if isinstance(outcome, Dead) else (outcome.path,)


def _decide_all(context: Engine, summary: Summary) -> Iterator[Committed | Failed]:
    # What is kept is kept as it was shown: before a part writes to the same document.
    kept = [draft for draft in summary.quiet if draft.verb in (Verb.APPROVE, Verb.CLAIM)]
    yield from _decide_each_quietly(context, kept)
    for part in summary.parts:
        yield from _write_part(context, part)
    others = [draft for draft in summary.quiet if draft not in kept]
    yield from _decide_each_quietly(context, others)


def _decide_each_quietly(context: Engine, drafts: Sequence[Draft]) -> Iterator[Committed | Failed]:
    for draft in drafts:
        try:
            decision = _decide_quietly(context, draft)
        except ReviewdeckError as error:
            yield Failed(draft.proposal, error)
        else:
            yield Committed(draft.proposal, draft.verb, decision)


def _decide_quietly(context: Engine, draft: Draft) -> Decision:
    """A decision that writes nothing."""
    match draft.verb:
        case Verb.REJECT if is_take_back(context, draft):
            written = restore.take_back_id(context, draft.proposal, draft.reason)
            if context.ledger.state_of(written) is not State.APPLIED:
                raise NotDecidable("The revert was not written: the change is still live.")
            return restore.reject_live_change(context, draft.proposal, draft.reason)
        case Verb.REJECT:
            return decide.record_rejection(context, draft.proposal, draft.reason)
        case Verb.APPROVE:
            return decide.keep(context, draft.proposal, draft.digest or "")
        case Verb.CLAIM:
            return decide.claim(context, draft.proposal, draft.digest or "")
        case Verb.SUPERSEDE:
            return decide.supersede(context, draft.proposal, draft.reason)
        case _:
            return decide.defer(context, draft.proposal, draft.reason)


def _write_part(context: Engine, part: HomePart) -> Iterator[Committed | Failed]:
    verbs = {
        choice.proposal.id: Verb.APPROVE if choice.document is None else Verb.MERGE
        for choice in part.choices
    }
    try:
        outcomes = _commit_part(context, part)
    except ReviewdeckError as error:
        yield from (Failed(id, error) for id in verbs)
        return
    for outcome in outcomes:
        match outcome:
            case Applied(operation):
                yield Committed(operation.proposal, verbs[operation.proposal], operation)
            case NotApplied(proposal, refusal):
                yield Failed(proposal, refusal)


def _commit_part(context: Engine, part: HomePart) -> tuple[Outcome, ...]:
    """Commits one part; planned anew where its memory changed and its drafts all hold.

    Raises StaleBase when they do not.
    """
    now, moved = part, StaleBase("Its memory changed during every attempt to write it.")
    for _ in range(decide.ATTEMPTS):
        try:
            outcomes = decide.commit(context, now.choices, now.digest)
        except StaleBase as stale:
            moved = stale
        else:
            errors = [outcome.error for outcome in outcomes if isinstance(outcome, NotApplied)]
            if len(errors) < len(outcomes) or not isinstance(errors[0], StaleBase):
                return outcomes
            moved = errors[0]
        again = _plan_anew(context, part)
        if again is None:
            raise moved
        decide.journal_rebase(context, again.composed.plan.proposals, part.digest, again.digest)
        now = again
    raise moved


def _plan_anew(context: Engine, part: HomePart) -> HomePart | None:
    """A part planned on the live texts, where its effect is the same; else None."""
    checker = DraftChecker(context, context.home_by_id(part.home))
    drafts = {draft.proposal: draft for draft in context.drafts}
    ours = [drafts.get(choice.proposal.id) for choice in part.choices]
    results = [checker.hold(draft) for draft in ours if draft is not None]
    still = [draft for draft in results if isinstance(draft, Draft)]
    if len(still) < len(part.choices) or not all(decide.is_entry(o.proposal) for o in part.choices):
        return None
    again, clashing = _plan_part(context, part.home, _choices_of(context, part.home, still))
    is_same = checker.edits(again.composed.plan) == checker.edits(part.composed.plan)
    return again if is_same and not clashing else None
