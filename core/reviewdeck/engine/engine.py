"""The engine as one value: some homes, one ledger, one operator; what is read and decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewdeck import engine as parts
from reviewdeck.engine.confirmation import Confirm, unasked
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.stamp import combine_stamp
from reviewdeck.model import (
    Decision,
    Draft,
    Event,
    Marks,
    Observation,
    Operation,
    Proposal,
    QueueItem,
    Revision,
    State,
    Verb,
)
from reviewdeck.model.ledger import Filter
from reviewdeck.ports import Home, Progress
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.auto import AutoReport
    from reviewdeck.engine.decide import CommitReport
    from reviewdeck.engine.evaluation import Evaluation
    from reviewdeck.engine.history import Blamed
    from reviewdeck.engine.proposed import Proposed
    from reviewdeck.engine.recovery import Recovered
    from reviewdeck.engine.repair import Broken
    from reviewdeck.engine.source_turns import SourceTurns
    from reviewdeck.model.changes import DocumentChanges


@dataclass(frozen=True, slots=True)
class Engine(EngineContext):
    """One operator, some homes, one ledger: all that is read and decided.

    Whether it may write depends on how it was opened: the ledger, the writers of the homes and the
    authority refuse what they may not do.
    """

    # Looking: nothing here changes a byte of a home.

    def is_fresh(self, home: Home) -> bool:
        """Whether neither the home nor the policy changed since the last intake.

        A home on another machine always is: that machine takes it in.
        """
        if self.home_by_id(home.id).sight is not None:
            return True
        if self.machine is not None and self.ledger.begin_refresh(home.id).has_moved:
            return False  # Something was decided on another machine, which makes no pass.
        stamp = combine_stamp(home.stamp(home.documents()), self.policy().mark)
        return self.ledger.stamp(home.id) == stamp

    def refresh(self) -> None:
        """Takes in each home of this machine that may have changed since the last pass."""
        for open_home in self.here:
            if not self.is_fresh(open_home.home):
                self.intake(open_home.home.id)

    def pending(
        self, states: Sequence[State] = (), *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """A page of the queue, newest first, as the last intake left it. Open ones by default."""
        chosen = tuple(states) or tuple(state for state in State if state.is_open)
        return self._as_written(
            self.ledger.page(Filter(self.home_ids, chosen), after=after, limit=limit)
        )

    def find(self, id: str) -> QueueItem:
        """One line of the queue, by our id, a unique prefix of it, or the agent's own id."""
        item = self.ledger.item(self.ledger.resolve(id, self.home_ids))
        return self._as_written((item,))[0]

    def _as_written(self, items: tuple[QueueItem, ...]) -> tuple[QueueItem, ...]:
        if all(item.state is not State.APPLIED for item in items):
            return items
        return parts.written.written_items(self.ledger, items)

    def get(self, id: str) -> Evaluation:
        """One proposal evaluated against the live home, judged now: a decision rests on it."""
        proposal = self.ledger.proposal(self.ledger.resolve(id, self.home_ids))
        return self.evaluator(proposal).evaluate(proposal)

    def recall(self, id: str) -> Evaluation:
        """One proposal evaluated against the live home, to be shown.

        Its stored judgement is used while its key holds, except where decisions are signed: there
        an unsigned row of the ledger is not relied on.
        """
        proposal = self.ledger.proposal(self.ledger.resolve(id, self.home_ids))
        evaluator = self.evaluator_of(self.home(proposal.home))
        if self.authority.signs:
            return evaluator.evaluate(proposal)
        return evaluator.recall(proposal)

    def source_turns(self, proposal: Proposal) -> SourceTurns | None:
        """The turns that led to a proposal, from our recorder or the agent's own sessions.

        None when its session is unknown.
        """
        judgement = self.ledger.judgement(proposal.id)
        origin = None if judgement is None else judgement.origin
        holders = parts.source_turns.turn_holders(self.ledger, self.home(proposal.home))
        return parts.source_turns.find_source_turns(holders, proposal, origin)

    def history(self, document: str, home: str | None = None) -> tuple[Observation, ...]:
        """The revisions of a document, oldest first, with their authors."""
        return self.ledger.observations(self.home(home).id, document)

    def blame(self, document: str, home: str | None = None) -> tuple[Blamed, ...]:
        """The author of each part of a document."""
        return parts.history.blame(self.ledger, self.home(home), document)

    def since(self, moment: datetime | None = None) -> tuple[DocumentChanges, ...]:
        """The changes since a moment, or since an operator last looked: one diff per document."""
        documents: list[DocumentChanges] = []
        for home in self.homes:
            marks = self.ledger.marks(home.id) if moment is None else Marks(moment)
            documents += parts.changes.changes_since(self.ledger, home, marks.of)
        return tuple(documents)

    def evaluate_restore(
        self, document: str, revision: Revision, home: str | None = None
    ) -> Evaluation:
        """A preview of restoring a document to a revision."""
        return parts.reverse.restore(self, self.home(home).id, document, revision)

    def mark_seen(self, until: datetime | None = None) -> None:
        """Marks everything learnt until then, or until now, as seen by the operator.

        Raises NotPermitted.
        """
        with self.uninterrupted():
            for home in self.homes:
                parts.changes.mark(self, home, Marks(until or self.now()))

    def mark(self, home: str, marks: Marks) -> None:
        """Marks, document by document, until when the operator has seen a home's changes.

        Raises NotPermitted.
        """
        parts.changes.mark(self, self.home(home), marks)

    def log(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """The append-only log, oldest first."""
        return self.ledger.events(after=after, limit=limit)

    def operations(self, *, limit: int | None = None) -> tuple[Operation, ...]:
        """The operations, newest first."""
        return self.ledger.operations(limit=limit)

    # Writing: everything here may change a home.

    def propose(self, proposal: Proposal, record: bytes) -> Proposed:
        """Takes in a proposal that has no pending file, unless it leaves nothing to decide."""
        with self.uninterrupted():
            return parts.propose.propose(self, proposal, record)

    def recover(self) -> tuple[Recovered, ...]:
        """Finishes or rolls back the batches that an earlier run left unfinished here."""
        return tuple(
            ending for open_home in self.here for ending in parts.recovery.recover(self, open_home)
        )

    def run_errands(self) -> tuple[str, ...]:
        """Does in the homes of this machine what follows from decisions made on others.

        Gives the proposals that these were about.
        """
        run = parts.errands.run_errands
        return tuple(id for open_home in self.here for id in run(self, open_home))

    def auto(self, *, dry_run: bool = False, progress: Progress | None = None) -> AutoReport:
        """Applies the proposals that pass all checks and reports the others."""
        if not dry_run:
            self.recover()
            self.run_errands()
        report = parts.auto.AutoReport()
        for open_home in self.here:
            engine = replace(self, progress=progress)
            report += parts.auto.run_auto(engine, open_home, dry_run=dry_run)
        return report

    def approve(self, id: str, digest: str, confirm: Confirm = unasked) -> Operation:
        """Applies a proposal exactly as it was shown; the digest says what that was.

        For a home on another machine it is approved, the operation an intent, and that machine
        writes it; so it is with all that writes.
        """
        return parts.decide.apply(self, Draft(id, Verb.APPROVE, digest, self.now()), confirm)

    def approve_for_all(
        self, id: str, digest: str, confirm: Confirm = unasked
    ) -> tuple[Operation, CommitReport]:
        """As `approve`; other proposals about the same entry are superseded, as the report says."""
        return parts.decide.apply_for_all(self, self._draft(id, Verb.APPROVE, digest), confirm)

    def supersede(self, rivals: Sequence[QueueItem], winner: str) -> CommitReport:
        """Supersedes other proposals about the same entry as one that was applied."""
        return parts.decide.supersede(self, rivals, winner)

    def merge(
        self,
        id: str,
        text: str | None,
        digest: str,
        *,
        document: str | None = None,
        confirm: Confirm = unasked,
    ) -> Operation:
        """Applies the operator's own text instead of the proposed one."""
        draft = Draft(id, Verb.MERGE, digest, self.now(), text=text, document=document)
        return parts.decide.apply(self, draft, confirm)

    def keep(self, id: str, digest: str, reason: str = "", confirm: Confirm = unasked) -> Decision:
        """Keeps a change that is live already, as it was shown."""
        return parts.decide.record(self, self._draft(id, Verb.KEEP, digest, reason), confirm)

    def claim(self, id: str, digest: str, confirm: Confirm = unasked) -> Decision:
        """Keeps a change that the operator made themselves, as it was shown."""
        return parts.decide.record(self, self._draft(id, Verb.CLAIM, digest), confirm)

    def reject(self, id: str, reason: str) -> Decision:
        """Rejects a proposal for good."""
        return parts.decide.record(self, self._draft(id, Verb.REJECT, reason=reason))

    def defer(self, id: str, reason: str = "") -> Decision:
        """Defers a proposal until it changes or is decided, never to be applied automatically."""
        return parts.decide.record(self, self._draft(id, Verb.DEFER, reason=reason))

    def decide_each(self, ids: Sequence[str], verb: Verb, reason: str) -> CommitReport:
        """Rejects or defers several proposals; one that cannot be decided leaves the others."""
        drafts = [self._draft(id, verb, reason=reason) for id in ids]
        return parts.decide.record_each(self, drafts)

    def _draft(self, id: str, verb: Verb, digest: str | None = None, reason: str = "") -> Draft:
        full_id = self.ledger.resolve(id, self.home_ids)
        return Draft(full_id, verb, digest, self.now(), reason)

    def take_back(self, id: str, reason: str) -> Operation | None:
        """Takes back a live change, keeping later edits; None where nothing of it was left."""
        return parts.decide.take_back(self, id, reason)

    def broken(self, id: str) -> Broken:
        """A record that could not be read, as it was found. Raises NotDecidable for any other."""
        return parts.repair.broken(self, id)

    def repair(self, id: str, text: bytes) -> Proposal:
        """Takes in an operator's repair of a record that could not be read.

        Raises NotDecidable, BadInput when it still cannot be read, NotPermitted.
        """
        return parts.repair.repair(self, id, text)

    def reopen(self, id: str, reason: str = "") -> tuple[Decision, Proposal]:
        """Takes a rejection back: the proposal is pending again, under a new id."""
        return parts.reopen.reopen(self, id, reason)

    def undo(self, operation: str, digest: str | None = None) -> Operation:
        """Undoes an operation; where its document has changed since, the undo is a conflict.

        `digest` is the one that was shown, if any.
        """
        undone = parts.reverse.undo(self, operation)
        return parts.decide.apply_own(self, undone, "The undo", digest)

    def restore(
        self, document: str, revision: Revision, digest: str, home: str | None = None
    ) -> Operation:
        """Restores a document to a revision, exactly as it was shown."""
        restored = self.evaluate_restore(document, revision, home)
        return parts.decide.apply_own(self, restored, "Restoring it", digest)
