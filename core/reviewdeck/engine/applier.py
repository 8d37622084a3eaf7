"""Applying plans: decide, claim, journal, write, report.

A decision is stored with its plan, then claimed, then journaled with its bytes on this host's own
disk. Only then is the agent's lock taken and the home written (`writing`), and the ledger told how
that ended. Only this module sequences these steps. After a crash between any two of them,
`recovery` leaves each plan applied whole or not at all. Every write is a compare-and-swap on
content; a failed write is rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from typing import TypeAlias

from reviewdeck.engine.authorisation import Unsigned, batch_flaw, quorum_flaw
from reviewdeck.engine.decidable import lost_race
from reviewdeck.engine.observe import Live, record_observations
from reviewdeck.engine.outside import questions_of_requeueing, requeue_changes
from reviewdeck.engine.similarity import removed, subjects_of
from reviewdeck.engine.writing import BatchEnd, find_moved, tidy, write
from reviewdeck.errors import NotVerified, ReviewdeckError, StaleBase, WriteFailed
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    Actor,
    ActorKind,
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
    Verb,
    revision_of,
)
from reviewdeck.model.ledger import Claim, Fence, JournalEntry, Lease, OpenBatch, begun_after
from reviewdeck.model.votes import Vote
from reviewdeck.planning.compose import batches, writes
from reviewdeck.ports import Authority, BatchJournal, Clock, HomeWriter, NewId, Probe


@dataclass(frozen=True, slots=True)
class Concluded:
    """A batch of which the ledger knows how it ended."""

    at: datetime
    left: ReviewdeckError | None
    """Why the agent's own records are not in order yet, or what was displaced is still there: the
    next recovery tries again."""


def conclude(
    writer: HomeWriter,
    journal: BatchJournal,
    ledger: Ledger,
    entry: JournalEntry,
    proposals: Mapping[str, Proposal],
    ended: BatchEnd,
    now: Clock,
    probe: Probe = lambda step: None,
) -> Concluded:
    """Tells the ledger how a batch ended on disk, once the agent's own records are in order.

    The entry stays in the journal until the ledger has all of it. `proposals` are those of the
    batch, by id.
    """
    left: ReviewdeckError | None = None
    if ended.error is None:
        probe("settle")
        try:
            entry = tidy(writer, journal, entry, now())
        except ReviewdeckError as error:
            left = error
    else:
        with suppress(ReviewdeckError):  # It only keeps a recovery without a ledger from writing.
            journal.put(replace(entry, is_given_back=True))
    probe("finish")
    at, batch = now(), entry.batch.batch
    with ledger.together(entry.batch.home):
        for rescued in sorted(ended.rescued, key=lambda one: revision_of(one.data)):
            ledger.rescue(batch, rescued.path, rescued.data, at)
        if ended.error is not None:
            ledger.abandon(batch, at, ended.state, ended.error.message, epoch=entry.epoch)
        else:
            for operation, inverse in entry.inverse.items():
                ledger.keep_inverse(operation, inverse)
            if left is None:
                _keep_away(ledger, entry.batch, proposals, at)
            observed = observations_of(entry.batch.operations, at)
            ledger.finish(batch, at, observed, epoch=entry.epoch, is_settled=left is None)
    if left is None:
        probe("sweep")
        try:
            sweep(writer, journal, ledger, batch, at)
        except ReviewdeckError as error:
            left = error
    return Concluded(at, left)


def sweep(
    writer: HomeWriter, journal: BatchJournal, ledger: Ledger, batch: str, at: datetime
) -> None:
    """Clears what a reported batch displaced, with what others wrote into it, and its entry."""
    for token in tokens_of(batch):
        for rescued in writer.settle(token):
            ledger.rescue(batch, rescued.path, rescued.data, at)
    journal.acknowledge(batch)


def tokens_of(batch: str) -> tuple[str, str]:
    """The tokens under which a batch and its rolling back displace files."""
    return batch, f"{batch}-back"


def note_live(ledger: Ledger, home: str, live: Sequence[Live], now: Clock) -> None:
    """Records what is live and the ledger does not know, as changes outside review.

    A pass over the home may store something at the same time: then this tries again.
    """
    for _ in range(_MOST_LOOKS):
        latest, at = ledger.latest(home), now()
        if record_observations(ledger, home, live, latest, at, is_ours=True)[1]:
            break


def _keep_away(
    ledger: Ledger, batch: OpenBatch, proposals: Mapping[str, Proposal], at: datetime
) -> None:
    """Remembers what a batch removed; what it put back is remembered no more."""
    undone = _undone_by(ledger, batch)
    removals = _removed_texts(batch, proposals)
    kept_away = [
        *removals,
        *_rejected_texts(batch.operations, proposals),
        *_undone_texts(undone, removals),
    ]
    for each in undone:
        requeue_changes(ledger, each.operation, each.proposal, each.by, at)
    # A revert that is taken back rejects nothing any more.
    instead_of = [(Relation.REJECTED, id) for each in undone for id in each.proposals]
    ledger.remember(batch.home, kept_away, at, instead_of)


@dataclass(frozen=True, slots=True)
class _Undone:
    """An operation that a batch undoes."""

    by: str
    """The operation that undoes it."""
    operation: Operation
    proposal: Proposal
    before: str | None
    """The proposal of the operation that it had undone itself."""

    @property
    def proposals(self) -> tuple[str, ...]:
        """Its proposal, the change that this took back, and the proposal that is undone again."""
        ids = (self.proposal.id, self.proposal.takes_back, self.before)
        return tuple(id for id in ids if id is not None)


def _undone_by(ledger: Ledger, batch: OpenBatch) -> list[_Undone]:
    undoing = [(op.id, op.undoes) for op in batch.operations if op.undoes is not None]
    if not undoing:
        return []
    targets = [target for _, target in undoing]
    proposals_of = partial(ledger.proposals_of, targets)
    ledger.foresee(
        (
            proposals_of,
            *(partial(ledger.operation, target) for target in targets),
            *(partial(ledger.undoing, target) for target in targets),
            *questions_of_requeueing(ledger, batch.home),
        )
    )
    proposals = proposals_of()
    return [
        _Undone(
            by,
            ledger.operation(target),
            proposals[target],
            next((proposal for proposal, _ in ledger.undoing(target)), None),
        )
        for by, target in undoing
    ]


def _removed_texts(batch: OpenBatch, proposals: Mapping[str, Proposal]) -> list[Likeness]:
    """The texts that a batch removed from its documents: they must not come back unseen."""
    memories = {
        change.path
        for operation in batch.operations
        for change in operation.changes
        if proposals[operation.proposal].kind is Kind.MEMORY
    }
    return [
        text
        for write in batch.writes
        for text in removed(write.path, write.before, write.after, is_memory=write.path in memories)
    ]


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


def _undone_texts(undone: Sequence[_Undone], removals: Sequence[Likeness]) -> list[Likeness]:
    """The proposed texts of undone operations, where another text had been written instead."""
    removed_texts = {removal.text for removal in removals}
    return [
        Likeness(Relation.REJECTED, subject.text, 100.0, each.proposal.id, exact=True)
        for each in undone
        for subject in subjects_of(each.proposal)
        if subject.text not in removed_texts
    ]


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
    vote: Vote | None = None
    """The other operator's that it rests on, where two have to approve it."""


@dataclass(frozen=True, slots=True)
class Applied:
    """An applied proposal: it is on disk."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class Approved:
    """A decided proposal that the machine with its home will write."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class NotApplied:
    """A proposal that was not applied, with the reason."""

    proposal: str
    error: ReviewdeckError


Outcome: TypeAlias = Applied | Approved | NotApplied


def is_stale(outcome: Outcome) -> bool:
    """Whether a proposal was not applied because a document changed."""
    return isinstance(outcome, NotApplied) and isinstance(outcome.error, StaleBase)


@dataclass(frozen=True, slots=True)
class _Batch:
    id: str
    plan: Plan
    writes: tuple[Change, ...]
    operations: tuple[Operation, ...]
    decisions: tuple[Decision, ...]
    proposals: Mapping[str, Proposal]
    fence: Fence | None = None
    votes: Mapping[str, str] = field(default_factory=dict)
    """By proposal, the other operator's vote."""


class Applier:
    """Applies plans to one home."""

    def __init__(
        self,
        writer: HomeWriter,
        journal: BatchJournal,
        ledger: Ledger,
        *,
        now: Clock,
        new_id: NewId,
        probe: Probe = lambda step: None,
        authority: Authority | None = None,
        judge: Callable[[], str] = lambda: "",
        is_elsewhere: bool = False,
        uninterrupted: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`is_elsewhere` says that another machine has the home: then it ends at the decision.
        Within `uninterrupted`, what is decided is also carried out.
        """
        self._writer = writer
        self._journal = journal
        self._ledger = ledger
        self._now = now
        self._new_id = new_id
        self._probe = probe
        self._authority = authority or Unsigned()
        self._judge = judge
        self._is_elsewhere = is_elsewhere
        self._uninterrupted = uninterrupted

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
        if self._is_elsewhere:
            return self._approve(parts, from_states)
        try:
            with self._journal.lock():
                return self._apply_together(parts, from_states)
        except ReviewdeckError as error:
            return _not_applied(parts, error)

    def _approve(
        self, parts: Sequence[_Batch], from_states: Sequence[State]
    ) -> tuple[Outcome, ...]:
        """Decides and no more: the machine with the home claims the batches and writes them."""
        try:
            with self._uninterrupted():
                begun = {part.id for part in self._decide(parts, from_states)}
        except ReviewdeckError as error:
            return _not_applied(parts, error)
        outcomes: list[Outcome] = []
        for part in parts:
            approved = map(Approved, part.operations)
            outcomes += approved if part.id in begun else self._lost_race(part)
        return tuple(outcomes)

    def _apply_together(
        self, parts: Sequence[_Batch], from_states: Sequence[State]
    ) -> tuple[Outcome, ...]:
        try:
            moved = self._find_moved(parts)
        except ReviewdeckError as unread:
            if len(parts) == 1:
                return _not_applied(parts, unread)
            # One document cannot be read, or another program holds its lock: the others go on.
            each = (self._apply_together([part], from_states) for part in parts)
            return tuple(outcome for outcomes in each for outcome in outcomes)
        fresh = [part for part in parts if part.id not in moved]
        with self._uninterrupted():
            try:
                begun = self._decide(fresh, from_states)
            except ReviewdeckError as error:
                return _not_applied(parts, error)
            written = self._write(begun)
        won = {part.id for part in begun}
        outcomes = {part.id: self._lost_race(part) for part in fresh if part.id not in won}
        outcomes |= {id: _not_applied([part], error) for id, (part, error) in moved.items()}
        outcomes |= written
        return tuple(outcome for part in parts for outcome in outcomes[part.id])

    def _find_moved(self, parts: Sequence[_Batch]) -> dict[str, tuple[_Batch, StaleBase]]:
        """The batches whose documents are no longer what the plan was made on.

        Looked at under the agent's lock before anything is begun. It is compared again when the
        batch is written.
        """
        moved: dict[str, tuple[_Batch, StaleBase]] = {}
        with self._writer.lock(_paths_of(parts)):
            for part in parts:
                if (error := find_moved(self._writer, part.writes)) is not None:
                    moved[part.id] = part, error
        return moved

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
            undoes = approval.proposal.undoes
            operation = Operation(
                id=self._new_id(),
                batch=batch,
                kind=OperationKind.UNDO if undoes else OperationKind.APPLY,
                state=OperationState.INTENT,
                home=plan.home,
                proposal=step.proposal,
                actor=approval.actor,
                digest=shown,
                changes=changes,
                started_at=at,
                undoes=undoes,
                effects=step.effects,
            )
            decision = Decision(
                id=self._new_id(),
                proposal=step.proposal,
                verb=approval.verb,
                actor=approval.actor,
                at=at,
                digest=shown,
                reason=approval.reason,
                text_sha=approval.text_sha,
                batch=batch,
                policy=self._policy,
            )
            operations.append(operation)
            decisions.append(decision)
        proposals = {id: approvals[id].proposal for id in plan.proposals}
        votes = {
            id: vote.decision.id
            for id in plan.proposals
            if (vote := approvals[id].vote) is not None
        }
        decided = tuple(operations), tuple(decisions)
        return _Batch(batch, plan, writes(plan), *decided, proposals, votes=votes)

    @cached_property
    def _policy(self) -> str:
        """The rules and the policy file in force, read once."""
        return self._judge()

    def _decide(self, parts: Sequence[_Batch], from_states: Sequence[State]) -> list[_Batch]:
        if not parts:
            return []
        self._probe("begin")
        claims = [_claim(part, from_states) for part in parts]
        # Of files on another machine nothing can be recorded.
        starts = [] if self._is_elsewhere else [replace(c, starts=_starts_of(c)) for c in claims]
        begun = self._ledger.begin(starts or claims, self._authority.signer)
        if begun is None:
            self._note_outside(parts)
            begun = self._ledger.begin(claims, self._authority.signer)
        approved = frozenset(begun or ())
        deciders = (decision.actor.kind for claim in claims for decision in claim.decisions)
        if approved and ActorKind.OPERATOR in deciders:
            # Where another machine writes it, nobody else here would remember what was signed.
            self._authority.stored()
        return [part for part in parts if part.id in approved]

    def _note_outside(self, parts: Sequence[_Batch]) -> None:
        """Records what a batch starts from, where the ledger does not know it."""
        for part in parts:
            kinds = _kinds_of(part)
            live = [
                Live(change.path, change.before_revision, change.before, kinds[change.path])
                for change in part.writes
            ]
            note_live(self._ledger, part.plan.home, live, self._now)

    def _lost_race(self, part: _Batch) -> tuple[Outcome, ...]:
        ids = part.plan.proposals
        try:
            return tuple(NotApplied(id, lost_race(id, self._ledger.state_of(id))) for id in ids)
        except ReviewdeckError as error:  # What was begun beside it goes on.
            return _not_applied([part], error)

    def _write(self, parts: Sequence[_Batch]) -> dict[str, tuple[Outcome, ...]]:
        outcomes: dict[str, tuple[Outcome, ...]] = {}
        entries: dict[str, JournalEntry] = {}
        for part in parts:
            try:
                self._probe("claim")
                lease = self._ledger.claim_batch(part.id)
                if lease is None:
                    outcomes[part.id] = self._lost_race(part)
                    continue
            except ReviewdeckError as error:
                outcomes[part.id] = _not_applied([part], _unfinished_failure(error))
                continue
            try:
                entries[part.id] = self._journaled(part, lease)
            except ReviewdeckError as error:
                outcomes[part.id] = self._give_back(part, lease, error)
        ended = self._write_files(entries) if entries else {}
        for part in parts:
            if part.id in ended:
                outcomes[part.id] = self._report(part, entries[part.id], ended[part.id])
        return outcomes

    def _journaled(self, part: _Batch, lease: Lease) -> JournalEntry:
        """The journal's entry of a claimed batch. Raises NotVerified where a signature is amiss."""
        entry = _entry_of(part, part.decisions, lease)
        if self._authority.signs or part.votes:
            stored = self._ledger.decisions_in(part.id)
            entry = _entry_of(_as_stored(part, stored), stored, lease)
            about, operations = entry.batch.about, entry.batch.operations
            flaw = batch_flaw(self._authority.flaw, operations, stored, about)
            shared = {id: part.proposals[id].author for id in part.votes}
            flaw = flaw or quorum_flaw(self._authority, operations, stored, about, shared)
            if flaw is not None:
                raise NotVerified(flaw)
        self._probe("journal")
        self._journal.put(entry)
        return entry

    def _write_files(
        self, entries: Mapping[str, JournalEntry]
    ) -> dict[str, BatchEnd | ReviewdeckError]:
        """Writes the batches under the agent's lock: no ledger is asked or told meanwhile."""
        paths = sorted({c.path for entry in entries.values() for c in entry.batch.writes})
        ended: dict[str, BatchEnd | ReviewdeckError] = {}
        try:
            with self._writer.lock(paths):
                for id, entry in entries.items():
                    self._probe("write")
                    try:
                        ended[id] = write(self._writer, entry)
                    except ReviewdeckError as worse:
                        ended[id] = worse
        except ReviewdeckError as error:
            for id in entries.keys() - ended.keys():
                ended[id] = BatchEnd(error)
        return ended

    def _report(
        self, part: _Batch, entry: JournalEntry, ended: BatchEnd | ReviewdeckError
    ) -> tuple[Outcome, ...]:
        if isinstance(ended, ReviewdeckError):
            return _not_applied([part], _unfinished_failure(ended))
        try:
            told = self._writer, self._journal, self._ledger, entry, part.proposals, ended
            at = conclude(*told, self._now, self._probe).at
        except ReviewdeckError as error:
            failed = _unrecorded(error) if ended.error is None else _unfinished_failure(error)
            return _not_applied([part], failed)
        if ended.error is not None:
            return _not_applied([part], ended.error)
        return tuple(
            Applied(replace(operation, state=OperationState.DONE, finished_at=at))
            for operation in part.operations
        )

    def _give_back(self, part: _Batch, lease: Lease, error: ReviewdeckError) -> tuple[Outcome, ...]:
        """Puts an approved batch back into the queue: nothing of it was written."""
        with suppress(ReviewdeckError):  # Of what the ledger gave back, recovery writes nothing.
            self._journal.drop(part.id)
        try:
            ended, at = OperationState.ABANDONED, self._now()
            self._ledger.abandon(part.id, at, ended, error.message, epoch=lease.epoch)
        except ReviewdeckError as worse:
            error = _unfinished_failure(worse)
        return _not_applied([part], error)


def _as_stored(part: _Batch, stored: Sequence[Decision]) -> _Batch:
    """The batch with its moments as they are stored: signing may have moved them on."""
    own = {decision.id for decision in part.decisions}
    decisions = [decision for decision in stored if decision.id in own] or part.decisions
    return replace(part, operations=begun_after(part.operations, decisions))


def _kinds_of(part: _Batch) -> dict[str, Kind]:
    return {
        change.path: part.proposals[operation.proposal].kind
        for operation in part.operations
        for change in operation.changes
    }


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
        votes=tuple(part.votes.values()),
    )


def _starts_of(claim: Claim) -> dict[str, Revision]:
    return {change.path: change.before_revision for change in claim.writes}


def _entry_of(part: _Batch, decisions: tuple[Decision, ...], lease: Lease) -> JournalEntry:
    batch = OpenBatch(part.id, part.plan.home, part.operations, part.writes, decisions)
    return entry_of(batch, part.proposals, lease.epoch)


def entry_of(batch: OpenBatch, proposals: Mapping[str, Proposal], epoch: int) -> JournalEntry:
    """The journal's entry of a batch: what has to be known of its proposals besides."""
    decided = [proposals[operation.proposal] for operation in batch.operations]
    records = [(each.source, each.payload_sha) for each in decided if each.source is not None]
    books = [op.id for op in batch.operations if proposals[op.proposal].kind is Kind.SKILLS]
    return JournalEntry(batch, tuple(records), tuple(books), epoch=epoch)


def _paths_of(parts: Sequence[_Batch]) -> list[str]:
    return sorted({change.path for part in parts for change in part.writes})


def _not_applied(parts: Sequence[_Batch], error: ReviewdeckError) -> tuple[Outcome, ...]:
    return tuple(NotApplied(id, error) for part in parts for id in part.plan.proposals)


def _unfinished_failure(error: ReviewdeckError) -> WriteFailed:
    return WriteFailed(
        f"It could not be completed ({error.message}). Recovery will apply it as soon as the"
        " system allows.",
        hint="Make room, then `reviewdeck recover` applies it; `reviewdeck undo` takes it back.",
    )


def _unrecorded(error: ReviewdeckError) -> WriteFailed:
    """The error for a batch that is on disk while the ledger could not be written."""
    return WriteFailed(
        f"It was written, but the ledger could not record it: {error.message}",
        hint="`reviewdeck recover` completes the ledger.",
    )


def _recorded(change: Change, revisions: dict[int, Revision]) -> RecordedChange:
    """A change by its revisions; the revision that one step ends at is known to the next."""
    before = revisions.get(id(change.before)) or change.before_revision
    revisions[id(change.after)] = change.after_revision
    ends = before, change.after_revision
    return RecordedChange(change.path, *ends, change.mode, change.tree, change.was_mode)
