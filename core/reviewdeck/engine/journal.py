"""Applying plans: lock, compare, journal the intent, write, journal the end, clean up.

Only this module sequences these steps. After a crash between any two of them, `recovery` leaves
each plan applied whole or not at all. The protocol is the usual one of a write-ahead intent with
idempotent steps; every write is a compare-and-swap on content. A failed write is rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from reviewdeck.engine.authorisation import Unsigned, batch_flaw
from reviewdeck.engine.direct import requeue_changes
from reviewdeck.engine.observe import Live, record_observations
from reviewdeck.engine.similarity import removed, subjects_of
from reviewdeck.errors import (
    Busy,
    HomeReadOnly,
    NotDecidable,
    NotVerified,
    ReviewdeckError,
    StaleBase,
    WriteFailed,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    Actor,
    Cause,
    Change,
    Decision,
    Kind,
    Likeness,
    Observation,
    Operation,
    OperationKind,
    OperationState,
    Plan,
    Proposal,
    RecordedChange,
    Relation,
    Restore,
    Revision,
    State,
    Step,
    Verb,
    executes_otherwise,
)
from reviewdeck.model.ledger import Claim, Fence, about_of
from reviewdeck.planning.compose import batches, writes
from reviewdeck.ports import Authority, Clock, HomeWriter, NewId, Probe


def settle(
    writer: HomeWriter,
    ledger: Ledger,
    operations: Sequence[Operation],
    proposals: Mapping[str, Proposal],
    at: datetime,
) -> None:
    """Finishes a written batch: the agent's bookkeeping, pending records, displaced files."""
    for operation in operations:
        if proposals[operation.proposal].kind is Kind.SKILLS:
            _keep_books(writer, ledger, operation, at)
    decided = [proposals[operation.proposal] for operation in operations]
    records = [(proposal.source, proposal.payload_sha) for proposal in decided]
    writer.retire_all([(source, sha) for source, sha in records if source is not None])
    removals = _removed_texts(ledger, operations, proposals)
    kept_away = [
        *removals,
        *_rejected_texts(operations, proposals),
        *_undone_texts(ledger, operations, removals),
    ]
    for operation in operations:
        if operation.undoes is not None:  # A revert that is taken back rejects nothing any more.
            for undone in _undone_proposals(ledger, operation.undoes):
                ledger.forget(operation.home, Relation.REJECTED, undone)
            requeue_changes(ledger, ledger.operation(operation.undoes), operation.id, at)
    ledger.remember(operations[0].home, kept_away, at)
    batch = operations[0].batch
    for rescued in writer.settle(batch):
        ledger.rescue(batch, rescued.path, rescued.data, at)
    ledger.settle(batch)


def _keep_books(writer: HomeWriter, ledger: Ledger, operation: Operation, at: datetime) -> None:
    """Does an operation's bookkeeping once, even where an earlier attempt was interrupted."""
    if begun := ledger.inverse_effects(operation.id):
        writer.repeat_effects(begun)
    else:
        writer.apply_effects(
            operation.effects, at, lambda back: ledger.keep_inverse(operation.id, back)
        )


def _removed_texts(
    ledger: Ledger, operations: Sequence[Operation], proposals: Mapping[str, Proposal]
) -> list[Likeness]:
    """The texts that a batch removed from its documents: they must not come back unseen."""
    first: dict[str, Revision] = {}
    last: dict[str, Revision] = {}
    memories: set[str] = set()
    for operation in operations:
        for change in operation.changes:
            first.setdefault(change.path, change.before)
            last[change.path] = change.after
            if proposals[operation.proposal].kind is Kind.MEMORY:
                memories.add(change.path)
    removals: list[Likeness] = []
    for path, before in first.items():
        then, now = ledger.content(before), ledger.content(last[path])
        removals += removed(path, then, now, is_memory=path in memories)
    return removals


def _rejected_texts(
    operations: Sequence[Operation], proposals: Mapping[str, Proposal]
) -> list[Likeness]:
    """The texts that an operator took out with a reason: they count as rejected."""
    return [
        Likeness(Relation.REJECTED, text, 100.0, operation.proposal, exact=True)
        for operation in operations
        for edit in proposals[operation.proposal].edits
        if isinstance(edit, Restore)
        for text in edit.rejects
    ]


def _undone_texts(
    ledger: Ledger, operations: Sequence[Operation], removals: Sequence[Likeness]
) -> list[Likeness]:
    """The proposed texts of undone operations, where another text had been written instead."""
    removed_texts = {removal.text for removal in removals}
    return [
        Likeness(Relation.REJECTED, subject.text, 100.0, undone.id, exact=True)
        for operation in operations
        if operation.undoes is not None
        for undone in [ledger.proposal(ledger.operation(operation.undoes).proposal)]
        for subject in subjects_of(undone)
        if subject.text not in removed_texts
    ]


def _undone_proposals(ledger: Ledger, operation: str) -> Iterator[str]:
    """The proposals of an operation and of the one it had undone, and the change it took back."""
    undone = ledger.operation(operation)
    yield undone.proposal
    if (change := ledger.proposal(undone.proposal).takes_back) is not None:
        yield change
    if undone.undoes is not None:
        yield ledger.operation(undone.undoes).proposal


def take_back(
    writer: HomeWriter,
    ledger: Ledger,
    batch: str,
    writes: Sequence[Change],
    error: ReviewdeckError,
    at: datetime,
) -> None:
    """Rolls back the part of a batch that is on disk and marks it as not applied in the ledger.

    Bytes that another program wrote in the meantime stay, and are kept in the ledger.
    """
    for group in _groups([change for change in writes if _is_live(writer, change)]):
        try:
            writer.write([change.reversed for change in group], f"{batch}-back")
        except StaleBase as stale:
            _rescue(ledger, batch, stale, at)
    if isinstance(error, StaleBase):
        _rescue(ledger, batch, error, at)
    for token in (batch, f"{batch}-back"):
        for rescued in writer.settle(token):
            ledger.rescue(batch, rescued.path, rescued.data, at)
    is_stale = isinstance(error, StaleBase)
    state = OperationState.CONFLICT if is_stale else OperationState.ABANDONED
    ledger.abandon(batch, at, state, error.message)


def _rescue(ledger: Ledger, batch: str, stale: StaleBase, at: datetime) -> None:
    if stale.found is not None:
        ledger.rescue(batch, stale.path, stale.found, at)


def _groups(changes: Sequence[Change]) -> list[list[Change]]:
    """The changes by tree, which is created or removed as a whole; any other change is alone."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.tree or change.path, []).append(change)
    return list(groups.values())


def _is_live(writer: HomeWriter, change: Change) -> bool:
    live = writer.read(change.path)
    return live.problem is None and live.revision == change.after_revision


def observations_of(operations: Sequence[Operation], at: datetime) -> list[Observation]:
    """One observation per changed document, so that blame can tell the operations apart."""
    return [
        Observation(
            home=operation.home,
            path=change.path,
            revision=change.after,
            at=at,
            cause=Cause.OPERATION,
            operation=operation.id,
            proposal=operation.proposal,
            actor=operation.actor,
            mode=change.mode,
        )
        for operation in operations
        for change in operation.changes
        if change.before != change.after or change.was_mode is not None
    ]


CLAIMABLE = (
    State.READY,
    State.CONFLICT,
    State.DEFERRED,
    State.DEAD,
    State.REFUSED,
    State.LIVE,
)
"""The states from which an operator's decision may apply a proposal."""

_MOST_LOOKS = 5
"""The most attempts to record a batch's starting point beside other writers."""


@dataclass(frozen=True, slots=True)
class Approval:
    """The decision by which one proposal of a plan is applied."""

    proposal: Proposal
    actor: Actor
    verb: Verb = Verb.APPROVE
    reason: str = ""
    text_sha: str | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """An applied proposal: it is on disk."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class NotApplied:
    """A proposal that was not applied, with the reason."""

    proposal: str
    error: ReviewdeckError


Outcome: TypeAlias = Applied | NotApplied


@dataclass(frozen=True, slots=True)
class _Batch:
    id: str
    plan: Plan
    writes: tuple[Change, ...]
    operations: tuple[Operation, ...]
    decisions: tuple[Decision, ...]
    proposals: Mapping[str, Proposal]
    fence: Fence | None = None


class Applier:
    """Applies plans to one home."""

    def __init__(
        self,
        writer: HomeWriter,
        ledger: Ledger,
        *,
        now: Clock,
        new_id: NewId,
        probe: Probe = lambda step: None,
        authority: Authority | None = None,
        judge: Callable[[], str] = lambda: "",
    ) -> None:
        self._writer = writer
        self._ledger = ledger
        self._now = now
        self._new_id = new_id
        self._probe = probe
        self._authority = authority or Unsigned()
        self._judge = judge

    def apply(
        self,
        plan: Plan,
        approvals: Sequence[Approval],
        *,
        digest: str | None = None,
        from_states: Sequence[State] = CLAIMABLE,
        counted: str | None = None,
    ) -> tuple[Outcome, ...]:
        """Applies a plan, in batches that share no document. One outcome for each proposal.

        `counted` is the newest operation that the allowances were counted with: any later
        automatic operation makes this fail.
        """
        by_id = {approval.proposal.id: approval for approval in approvals}
        parts = [self._prepare_batch(part, by_id, digest) for part in batches(plan)]
        if counted is not None:
            fence = Fence(counted, tuple(part.id for part in parts))
            parts = [replace(part, fence=fence) for part in parts]
        outcomes = self._apply_together(parts, from_states)
        if len(parts) == 1 or not all(_is_locked_out(outcome) for outcome in outcomes):
            return outcomes
        # Another program holds the lock of one document: the other batches need not wait for it.
        return tuple(
            outcome for part in parts for outcome in self._apply_together([part], from_states)
        )

    def _apply_together(
        self, parts: Sequence[_Batch], from_states: Sequence[State]
    ) -> tuple[Outcome, ...]:
        paths = sorted({change.path for part in parts for change in part.writes})
        try:
            with self._writer.lock(paths):
                return self._apply_locked(parts, from_states)
        except ReviewdeckError as error:
            return tuple(NotApplied(id, error) for part in parts for id in part.plan.proposals)

    def _prepare_batch(
        self, plan: Plan, approvals: dict[str, Approval], digest: str | None
    ) -> _Batch:
        batch, at = self._new_id(), self._now()
        operations, decisions = [], []
        revisions: dict[int, Revision] = {}  # by identity: the plan holds these bytes meanwhile
        shown = digest or plan.digest
        for step in plan.steps:
            approval = approvals[step.proposal]
            changes = tuple(_recorded(change, revisions) for change in step.changes)
            operations.append(self._operation(batch, plan.home, step, changes, approval, shown, at))
            decisions.append(self._decision(batch, approval, shown, at))
        proposals = {id: approvals[id].proposal for id in plan.proposals}
        return _Batch(batch, plan, writes(plan), tuple(operations), tuple(decisions), proposals)

    def _operation(
        self,
        batch: str,
        home: str,
        step: Step,
        changes: tuple[RecordedChange, ...],
        approval: Approval,
        digest: str,
        at: datetime,
    ) -> Operation:
        undoes = approval.proposal.undoes
        return Operation(
            id=self._new_id(),
            batch=batch,
            kind=OperationKind.UNDO if undoes else OperationKind.APPLY,
            state=OperationState.INTENT,
            home=home,
            proposal=step.proposal,
            actor=approval.actor,
            digest=digest,
            changes=changes,
            started_at=at,
            undoes=undoes,
            effects=step.effects,
        )

    @cached_property
    def _policy(self) -> str:
        """The rules and the policy file in force, read once."""
        return self._judge()

    def _decision(self, batch: str, approval: Approval, digest: str, at: datetime) -> Decision:
        return Decision(
            id=self._new_id(),
            proposal=approval.proposal.id,
            verb=approval.verb,
            actor=approval.actor,
            at=at,
            digest=digest,
            reason=approval.reason,
            text_sha=approval.text_sha,
            batch=batch,
            policy=self._policy,
        )

    def _apply_locked(
        self, parts: Sequence[_Batch], from_states: Sequence[State]
    ) -> tuple[Outcome, ...]:
        outcomes: list[Outcome] = []
        fresh: list[_Batch] = []
        for part in parts:
            moved = self._find_moved(part)
            if moved is None:
                fresh.append(part)
            else:
                outcomes += [NotApplied(id, moved) for id in part.plan.proposals]
        self._note_outside(fresh)
        self._probe("begin")
        claims = [_claim(part, from_states) for part in fresh]
        begun = set(self._ledger.begin(claims, self._authority.signer))
        for part in fresh:
            outcomes += self._write(part) if part.id in begun else _lost_race(part)
        return tuple(outcomes)

    def _note_outside(self, parts: Sequence[_Batch]) -> None:
        """Records what a batch starts from and the ledger does not know, as changes outside review.

        A pass over the home may store something at the same time: then this tries again.
        """
        for part in parts:
            kinds = _kinds_of(part)
            live = [
                Live(change.path, change.before_revision, change.before, kinds[change.path])
                for change in part.writes
            ]
            for _ in range(_MOST_LOOKS):
                latest, at = self._ledger.latest(part.plan.home), self._now()
                if record_observations(
                    self._ledger, part.plan.home, live, latest, at, is_ours=True
                )[1]:
                    break

    def _find_moved(self, part: _Batch) -> StaleBase | None:
        """The error for a document that is no longer what the plan was made on."""
        for change in part.writes:
            live = self._writer.read(change.path)
            if live.problem is not None:
                return StaleBase(f"{change.path}: {live.problem}", path=change.path)
            is_executed_otherwise = executes_otherwise(change.was_mode, live.mode)
            if live.revision != change.before_revision or is_executed_otherwise:
                message = f"{change.path} changed since this was looked at."
                return StaleBase(message, path=change.path, found=live.data)
        return None

    def _write(self, part: _Batch) -> list[Outcome]:
        if (refused := self._refuse_unverified(part)) is not None:
            return refused
        self._probe("write")
        try:
            self._writer.write(part.writes, part.id)
            self._verify(part)
        except ReviewdeckError as error:
            return self._take_back(part, error)
        self._probe("finish")
        finished = self._now()
        try:
            self._ledger.finish(part.id, finished, observations_of(part.operations, finished))
        except ReviewdeckError as error:
            return _unrecorded(part, error)
        self._settle(part)
        return [
            Applied(replace(operation, state=OperationState.DONE, finished_at=finished))
            for operation in part.operations
        ]

    def _refuse_unverified(self, part: _Batch) -> list[Outcome] | None:
        """Abandons a batch whose stored decisions do not carry the authority's signature."""
        if not self._authority.signs:
            return None
        about = about_of(part.plan.home, part.operations, part.writes)
        stored = self._ledger.decisions_in(part.id)
        flaw = batch_flaw(self._authority, part.operations, stored, about)
        if flaw is None:
            return None
        self._ledger.abandon(part.id, self._now(), OperationState.ABANDONED, flaw)
        return [NotApplied(id, NotVerified(flaw)) for id in part.plan.proposals]

    def _settle(self, part: _Batch) -> None:
        self._probe("settle")
        with suppress(ReviewdeckError):  # The next recovery tries again.
            settle(self._writer, self._ledger, part.operations, part.proposals, self._now())

    def _verify(self, part: _Batch) -> None:
        """Reads back what was written. Raises StaleBase where it is something else."""
        for change in part.writes:
            live = self._writer.read(change.path)
            is_unset = change.was_mode is not None and executes_otherwise(change.mode, live.mode)
            if live.problem is not None or live.revision != change.after_revision or is_unset:
                raise StaleBase(
                    f"{change.path} was changed by another program while it was written.",
                    path=change.path,
                    found=live.data,
                )

    def _take_back(self, part: _Batch, error: ReviewdeckError) -> list[Outcome]:
        try:
            take_back(self._writer, self._ledger, part.id, part.writes, error, self._now())
        except ReviewdeckError as worse:
            error = _unfinished_failure(error, worse)
        return [NotApplied(id, error) for id in part.plan.proposals]


def _kinds_of(part: _Batch) -> dict[str, Kind]:
    return {
        change.path: part.proposals[operation.proposal].kind
        for operation in part.operations
        for change in operation.changes
    }


def _is_locked_out(outcome: Outcome) -> bool:
    """Whether the locks could not be taken: then nothing was begun."""
    return isinstance(outcome, NotApplied) and isinstance(
        outcome.error, Busy | WriteFailed | HomeReadOnly
    )


def _claim(part: _Batch, from_states: Sequence[State]) -> Claim:
    changes = (change for step in part.plan.steps for change in step.changes)
    recorded = (change for operation in part.operations for change in operation.changes)
    contents: dict[Revision, bytes] = {}
    for change, ends in zip(changes, recorded, strict=True):
        for revision, data in ((ends.before, change.before), (ends.after, change.after)):
            if data is not None:
                contents[revision] = data
    return Claim(
        operations=part.operations,
        decisions=part.decisions,
        writes=part.writes,
        contents=contents,
        from_states=tuple(from_states),
        fence=part.fence,
    )


def _lost_race(part: _Batch) -> list[Outcome]:
    error = NotDecidable(
        "Somebody else decided this in the meantime.", hint="`reviewdeck log` says who."
    )
    return [NotApplied(id, error) for id in part.plan.proposals]


def _unfinished_failure(error: ReviewdeckError, worse: ReviewdeckError) -> WriteFailed:
    """The error for a batch that is neither written nor rolled back, with its intent stored."""
    return WriteFailed(
        f"{error.message} That could not be noted ({worse.message}): it is begun, and recovery"
        " will apply it as soon as the system lets it.",
        hint="Make room, then `reviewdeck recover` applies it; `reviewdeck undo` takes it back.",
    )


def _unrecorded(part: _Batch, error: ReviewdeckError) -> list[Outcome]:
    """The error for a batch that is on disk while the ledger could not be written."""
    failure = WriteFailed(
        f"It was written, but the ledger could not record it: {error.message}",
        hint="`reviewdeck recover` completes the ledger.",
    )
    return [NotApplied(id, failure) for id in part.plan.proposals]


def _recorded(change: Change, revisions: dict[int, Revision]) -> RecordedChange:
    """A change by its revisions; the revision that one step ends at is known to the next."""
    before = revisions.get(id(change.before)) or change.before_revision
    revisions[id(change.after)] = change.after_revision
    ends = before, change.after_revision
    return RecordedChange(change.path, *ends, change.mode, change.tree, change.was_mode)
