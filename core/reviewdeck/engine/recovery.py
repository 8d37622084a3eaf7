"""After a crash: every begun batch is applied whole or not at all. Running it twice is safe.

This host's journal comes first: what stands there is finished or rolled back on disk without the
ledger, which is told afterwards. A batch that was decided or claimed and not journaled is journaled
now, from the ledger's copy.

Where decisions are signed, a row of the ledger is no reason to write. Operators' decisions must
carry their signature. The policy's carry none: they are planned once more from the
proposals, and have to come to the same bytes by the same judgement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from reviewdeck.engine.applier import Concluded, conclude, entry_of, note_live, sweep, tokens_of
from reviewdeck.engine.authorisation import batch_flaw, quorum_flaw
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.observe import Live
from reviewdeck.engine.quorum import shared_in
from reviewdeck.engine.writing import BatchEnd, complete
from reviewdeck.errors import (
    Busy,
    HomeReadOnly,
    HomeUnavailable,
    LeaseLost,
    LedgerBehind,
    NotPermitted,
    StaleBase,
    UnknownId,
    WriteFailed,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import About, ActorKind, Change, Decision, OperationState, revision_of
from reviewdeck.model.ledger import JournalEntry, Lease, OpenBatch
from reviewdeck.planning.compose import ChosenProposal, compose, writes
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.overlay import Overlay
from reviewdeck.ports import BatchJournal, HomeWriter, OpenHome

OVERTAKEN: Final = "overtaken"


@dataclass(frozen=True, slots=True)
class Recovered:
    """The end of one unfinished batch."""

    batch: str
    proposals: tuple[str, ...]
    ending: str
    """finished, tidied, taken back, conflict, busy (another worker is at work on it), overtaken
    (another one was faster, and says how it ended), stuck
    (the system refuses to write), or refused (its decision does not count)."""
    detail: str = ""
    was_interrupted: bool = True
    """False for what was approved on another machine, for this one to write."""

    @property
    def is_unfinished(self) -> bool:
        """Whether the next recovery has to try again."""
        return self.ending in ("busy", OVERTAKEN, "stuck")


def recover(engine: EngineContext, open_home: OpenHome) -> tuple[Recovered, ...]:
    """Finishes or rolls back what an earlier run had decided and begun in a home."""
    journal, ledger, home = open_home.journal, engine.ledger, open_home.home.id
    entries, unfinished = journal.entries(), ledger.unfinished(home)
    if not entries and not unfinished and not journal.leftovers():
        _end_retiring(open_home, ledger)
        return ()
    try:
        with journal.lock(), engine.uninterrupted():
            # The process that held the lock may have been alive, and have finished by now.
            _end_retiring(open_home, ledger)
            recovery = _Recovery(engine, open_home)
            return recovery.run(journal.entries(), ledger.unfinished(home))
    except Busy as busy:
        batches = {batch.batch: batch for batch in unfinished}
        batches |= {entry.batch.batch: entry.batch for entry in entries}
        return tuple(
            Recovered(id, _proposals_of(batch), "busy", busy.message)
            for id, batch in batches.items()
        )


def report_again(engine: EngineContext, open_home: OpenHome) -> tuple[Recovered, ...]:
    """Tells the ledger again what this host had told it, where it knows nothing of that any more.

    So it is after another server took over that had not got it yet. What it does not know the
    proposal of is found as a change outside review. Raises LedgerBehind where it lacks operators'
    decisions that this role may not report: what is taken in before they are there again would
    stand in their way.
    """
    past = {entry.batch.batch: entry for entry in open_home.journal.past()}
    lost = engine.ledger.unknown_batches(past) if past else frozenset()
    if not lost:
        return ()
    with open_home.journal.lock(), engine.uninterrupted():
        entries = [entry for id, entry in past.items() if id in lost]
        return tuple(_Recovery(engine, open_home).report_again(entries))


def recover_files(
    writer: HomeWriter,
    journal: BatchJournal,
    flaw_of: Callable[[Decision, About], str | None] | None = None,
) -> tuple[Recovered, ...]:
    """Finishes or rolls back on disk what stands in this host's journal, without any ledger.

    Where decisions are signed, `flaw_of` checks a signature, and what carries none waits. The
    entries stay: the ledger is told when it can be reached. Raises Busy.
    """
    if not journal.entries():
        return ()
    with journal.lock():
        begun = (entry for entry in journal.entries() if not entry.is_given_back)
        return tuple(_end_alone(writer, entry, flaw_of) for entry in begun)


def _end_alone(
    writer: HomeWriter, entry: JournalEntry, flaw_of: Callable[[Decision, About], str | None] | None
) -> Recovered:
    batch, why = entry.batch, None
    if flaw_of is not None:
        why = batch_flaw(flaw_of, batch.operations, batch.decisions, batch.about)
        if any(op.actor.kind is ActorKind.POLICY for op in batch.operations):
            why = "It was decided automatically: only with the ledger can that be judged again."
    if why is not None:
        return Recovered(batch.batch, _proposals_of(batch), "stuck", why)
    return _end_files(writer, entry)[0]


def _end_files(writer: HomeWriter, entry: JournalEntry) -> tuple[Recovered, BatchEnd | None]:
    """The end of an entry on disk; None where the system does not let it end."""
    batch = entry.batch
    ids = _proposals_of(batch)
    try:
        with writer.lock(sorted({change.path for change in batch.writes})):
            ended = complete(writer, entry)
    except Busy as busy:
        return Recovered(batch.batch, ids, "busy", busy.message), None
    except (WriteFailed, HomeReadOnly, HomeUnavailable) as stuck:
        return Recovered(batch.batch, ids, "stuck", stuck.message), None
    if ended.error is None:
        return Recovered(batch.batch, ids, "finished"), ended
    ending = "conflict" if isinstance(ended.error, StaleBase) else "taken back"
    return Recovered(batch.batch, ids, ending, ended.error.message), ended


class _Recovery:
    """The end of every open batch of one home, while this host's journal is locked."""

    def __init__(self, engine: EngineContext, open_home: OpenHome) -> None:
        self._engine = engine
        self._open_home = open_home
        self._writer = open_home.writer
        self._journal = open_home.journal
        self._ledger = engine.ledger
        self._now = engine.now

    def run(
        self, entries: Sequence[JournalEntry], unfinished: Sequence[OpenBatch]
    ) -> tuple[Recovered, ...]:
        stored = {batch.batch: batch for batch in unfinished}
        known = {entry.batch.batch for entry in entries}
        missing = [batch for batch in unfinished if batch.batch not in known]
        return (
            *(self._end_entry(entry, stored.get(entry.batch.batch)) for entry in entries),
            *(self._end_missing(batch) for batch in missing),
        )

    def _tidied(self, batch: OpenBatch) -> Recovered:
        """The end of a batch that was reported: only what it displaced was left."""
        ids = _proposals_of(batch)
        try:
            sweep(self._writer, self._journal, self._ledger, batch.batch, self._now())
        except (WriteFailed, HomeReadOnly) as stuck:
            return Recovered(batch.batch, ids, "stuck", stuck.message)
        return Recovered(batch.batch, ids, "tidied")

    def _end_entry(self, entry: JournalEntry, stored: OpenBatch | None) -> Recovered:
        batch = entry.batch
        if stored is None and not self._is_known(batch):
            if self._engine.machine is None or self._why_not_readmitted(batch) is not None:
                return self._end_unknown(entry)
            stored = _as_begun(batch)
        if stored is None:
            return self._tidied(batch)
        lease = None
        if not _is_done(stored):
            if (lease := self._ledger.claim_batch(batch.batch, entry.epoch)) is None:
                return self._not_ours(batch)
            entry = replace(entry, epoch=lease.epoch)
        if _as_begun(stored) != batch:
            why = "The journal of this host contradicts the ledger."
            return self._refuse(stored, lease, why)
        if (flaw := self._flaw(batch)) is not None:
            return self._refuse(stored, lease, flaw)
        return self._end(entry, is_written=lease is None)

    def _not_ours(self, batch: OpenBatch) -> Recovered:
        """What another worker claimed, and may be writing at this moment."""
        return Recovered(batch.batch, _proposals_of(batch), "busy", _CLAIMED)

    def report_again(self, entries: Sequence[JournalEntry]) -> Iterator[Recovered]:
        """Tells the ledger of batches that it had, and lost: they are on the disk."""
        for entry in entries:
            batch = entry.batch
            lease = None
            if (why := self._why_not_readmitted(batch)) is None:
                lease = self._ledger.claim_batch(batch.batch)
            if lease is not None:
                told = replace(entry, batch=_as_begun(batch), epoch=lease.epoch, books=())
                self._conclude(told, BatchEnd())
                yield Recovered(batch.batch, _proposals_of(batch), "finished", _AGAIN)
            elif why == _NOT_GIVEN_BACK:
                raise LedgerBehind(_NOT_GIVEN_BACK, hint=_OWNER_FIRST)
            elif why is not None:
                yield Recovered(batch.batch, _proposals_of(batch), "refused", why)

    def _why_not_readmitted(self, batch: OpenBatch) -> str | None:
        """None where the ledger has taken the batch in, as it is about to be written."""
        operators = [op for op in batch.operations if op.actor.kind is not ActorKind.POLICY]
        authority = self._engine.authority
        if authority.signs:
            flaw = batch_flaw(authority.flaw, operators, batch.decisions, batch.about)
            if flaw is not None:
                return flaw
        try:
            return None if self._ledger.readmit(_as_begun(batch)) else _LOST_ALL
        except NotPermitted:  # A host's role decides nothing for an operator.
            return _NOT_GIVEN_BACK

    def _end_unknown(self, entry: JournalEntry) -> Recovered:
        """The end of what this ledger has no record of: it is another one, or an older copy.

        The bytes that it replaces are stored first, as what was there.
        """
        batch = entry.batch
        if (why := self._flaw_of_unknown(batch)) is not None:
            self._journal.drop(batch.batch)
            return Recovered(batch.batch, _proposals_of(batch), "refused", why)
        self._note({change.path: change.before for change in batch.writes})
        ended, on_disk = _end_files(self._writer, entry)
        if on_disk is None:
            return ended
        rescued = [*on_disk.rescued]
        for token in tokens_of(batch.batch):
            rescued += self._writer.settle(token)
        for one in rescued:
            self._note({one.path: one.data})
        self._journal.drop(batch.batch)
        return replace(ended, detail=f"{ended.detail} {_UNKNOWN}".strip())

    def _note(self, found: Mapping[str, bytes | None]) -> None:
        snapshot = self._open_home.home.snapshot()
        live = [
            Live(path, revision_of(data), data, kind_of(path, snapshot))
            for path, data in found.items()
        ]
        note_live(self._ledger, self._open_home.home.id, live, self._now)

    def _end_missing(self, batch: OpenBatch) -> Recovered:
        """The end of a batch that was decided, or begun by an earlier version: by the ledger."""
        proposals = {op.proposal: self._ledger.proposal(op.proposal) for op in batch.operations}
        lease = None
        if not _is_done(batch) and (lease := self._ledger.claim_batch(batch.batch)) is None:
            return self._not_ours(batch)
        if (why := self._flaw(batch)) is not None:
            return self._refuse(batch, lease, why)
        inverse = {op.id: self._ledger.inverse_effects(op.id) for op in batch.operations}
        entry = replace(
            entry_of(batch, proposals, 0 if lease is None else lease.epoch),
            inverse={id: back for id, back in inverse.items() if back},
        )
        try:
            self._journal.put(entry)
        except (WriteFailed, HomeReadOnly) as stuck:
            if lease is not None:
                self._ledger.let_go(batch.batch, lease.epoch)
            return Recovered(batch.batch, _proposals_of(batch), "stuck", stuck.message)
        ended = self._end(entry, is_written=lease is None)
        if lease is not None and lease.was_approved and ended.ending == "finished":
            if self._engine.machine is not None:
                return replace(ended, was_interrupted=False)
            return replace(ended, detail=_APPROVED)
        return ended

    def _end(self, entry: JournalEntry, *, is_written: bool) -> Recovered:
        recovered, ended = (
            Recovered(entry.batch.batch, _proposals_of(entry.batch), "tidied"),
            BatchEnd(),
        )
        if not is_written:
            recovered, on_disk = _end_files(self._writer, entry)
            if on_disk is None:  # Else the next try would find it claimed, by us.
                self._ledger.let_go(entry.batch.batch, entry.epoch)
                return recovered
            ended = on_disk
        try:
            done = self._conclude(entry, ended)
        except LeaseLost as lost:
            return replace(recovered, ending=OVERTAKEN, detail=lost.message)
        if done.left is None:
            return recovered
        if is_written:
            return replace(recovered, ending="stuck", detail=done.left.message)
        return replace(recovered, detail=recovered.detail or done.left.message)

    def _conclude(self, entry: JournalEntry, ended: BatchEnd) -> Concluded:
        ledger, ids = self._ledger, _proposals_of(entry.batch)
        proposals = {id: ledger.proposal(id) for id in ids}
        return conclude(self._writer, self._journal, ledger, entry, proposals, ended, self._now)

    def _refuse(self, batch: OpenBatch, lease: Lease | None, why: str) -> Recovered:
        """Closes a batch and touches no file: a forged row must not make us roll back either."""
        if lease is None:
            self._ledger.settle(batch.batch)
        else:
            at, ended = self._now(), OperationState.ABANDONED
            self._ledger.abandon(batch.batch, at, ended, why, epoch=lease.epoch)
        self._journal.drop(batch.batch)
        return Recovered(batch.batch, _proposals_of(batch), "refused", why)

    def _flaw(self, batch: OpenBatch) -> str | None:
        """Why a batch must not be applied: then it is neither written nor rolled back."""
        engine = self._engine
        if not engine.authority.signs and engine.quorum.needs < 2:
            return None
        operators = [op for op in batch.operations if op.actor.kind is not ActorKind.POLICY]
        flaw = batch_flaw(engine.authority.flaw, operators, batch.decisions, batch.about)
        if flaw is None:
            shared = shared_in(engine, batch, operators)
            about, decisions = batch.about, batch.decisions
            flaw = quorum_flaw(engine.authority, operators, decisions, about, shared)
        if not engine.authority.signs:
            return flaw
        if flaw is None and len(operators) < len(batch.operations):
            if operators:
                return "It mixes operators' decisions with automatic ones."
            return _policy_flaw(engine, batch)
        return flaw

    def _flaw_of_unknown(self, batch: OpenBatch) -> str | None:
        try:
            return self._flaw(batch)
        except UnknownId:
            return "The ledger has no record of it, and the policy cannot judge it again."

    def _is_known(self, batch: OpenBatch) -> bool:
        try:
            self._ledger.operation(batch.operations[0].id)
        except UnknownId:
            return False
        return True


_CLAIMED: Final = "A worker has claimed it: it is tried again once the lease of that one is over."
_AGAIN: Final = "The ledger had lost it, and was told again."
_UNKNOWN: Final = "The ledger does not know it: what it wrote is listed as changed outside review."
_APPROVED: Final = "It was approved, but its process ended before it was written."
_NOT_GIVEN_BACK: Final = (
    "The hub has lost decisions of operators that are written on this machine, and a machine's role"
    " may not report them. Nothing more is claimed or reported."
)
_OWNER_FIRST: Final = (
    "Run `reviewdeck worker --accept-ledger` here once with the URL of the hub's owner, as"
    " --ledger postgresql://OWNER@...; then go on under the machine's role."
)
_LOST_ALL: Final = (
    "It is written here, and stays. The hub has lost the proposal too, or it was decided otherwise"
    " there since: it is listed as changed outside review."
)


def _end_retiring(open_home: OpenHome, ledger: Ledger) -> None:
    """Finishes removing the pending records that an interrupted run had begun to remove."""
    with suppress(WriteFailed, HomeReadOnly, HomeUnavailable):  # The next recovery tries again.
        open_home.writer.end_retiring(lambda: ledger.decided_records(open_home.home.id))


def _as_begun(batch: OpenBatch) -> OpenBatch:
    begun = (
        replace(operation, state=OperationState.INTENT, finished_at=None)
        for operation in batch.operations
    )
    return replace(batch, operations=tuple(begun))


def _is_done(batch: OpenBatch) -> bool:
    return all(operation.state is OperationState.DONE for operation in batch.operations)


def _proposals_of(batch: OpenBatch) -> tuple[str, ...]:
    return tuple(operation.proposal for operation in batch.operations)


def _policy_flaw(engine: EngineContext, batch: OpenBatch) -> str | None:
    """Why the policy would not write this batch now, on the home as it was before."""
    engine = engine.with_fixed_policy()
    suspended = engine.authority.why_nothing_is_automatic(engine.policy().mark)
    if suspended is not None:
        return f"Nothing is applied automatically: {suspended}."
    evaluator = engine.evaluator(engine.ledger.proposal(batch.operations[0].proposal))
    before = [change.reversed for change in batch.writes]
    evaluator.snapshot = Overlay(evaluator.snapshot, before)
    proposals = [engine.ledger.proposal(op.proposal) for op in batch.operations]
    evaluations = [evaluator.evaluate(proposal) for proposal in proposals]
    written = [each.proposal.saying(each.judgement.own) for each in evaluations]
    composed = compose([ChosenProposal(proposal) for proposal in written], evaluator.snapshot)
    if not _is_same(writes(composed.plan), batch.writes):
        return "It differs from the result of its proposals."
    if not all(evaluation.is_automatic for evaluation in evaluations):
        return "The policy does not approve it."
    return None


def _is_same(planned: tuple[Change, ...], stored: tuple[Change, ...]) -> bool:
    def texts(changes: tuple[Change, ...]) -> set[tuple[str, bytes | None, bytes | None]]:
        return {(change.path, change.before, change.after) for change in changes}

    return texts(planned) == texts(stored)
