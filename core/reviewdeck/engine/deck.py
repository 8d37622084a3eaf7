"""The engine's front door: sequences reading, evaluating and deciding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from reviewdeck.engine import changes, decide, propose, repair, restore, undo
from reviewdeck.engine.auto import AutoReport, run_auto
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.history import Blamed
from reviewdeck.engine.intake import TakenIn, take_in
from reviewdeck.engine.journal import Outcome
from reviewdeck.engine.proposed import Proposed
from reviewdeck.engine.recovery import Recovered, batch_check, recover
from reviewdeck.engine.repair import Broken
from reviewdeck.engine.source_turns import SourceTurns
from reviewdeck.engine.view import View
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    Decision,
    Event,
    Marks,
    Observation,
    Operation,
    Proposal,
    QueueItem,
    Revision,
    State,
)
from reviewdeck.model.changes import DocumentChanges
from reviewdeck.planning.compose import ChosenProposal, Composed
from reviewdeck.ports import OpenHome, Progress


class Deck:
    """Proposals of some homes, one ledger, one operator."""

    def __init__(self, context: EngineContext) -> None:
        self._context = context

    @property
    def context(self) -> EngineContext:
        """The homes, the ledger and the operator."""
        return self._context

    @property
    def ledger(self) -> Ledger:
        """The ledger."""
        return self._context.ledger

    @property
    def view(self) -> View:
        """The read-only side, for commands that decide nothing."""
        return self._context.view

    def close(self) -> None:
        """Closes the ledger."""
        self._context.ledger.close()

    # Looking: nothing here changes a byte of a home.

    def intake(
        self, home: str | None = None, *, progress: Progress | None = None
    ) -> tuple[TakenIn, ...]:
        """Takes in every home, or this one: stores new records and refreshes open proposals.

        An exception from `progress` aborts the pass; the next one does it again.
        """
        homes = self._context.homes if home is None else (self._context.home_by_id(home),)
        context, policy = self._context, self._context.policy()
        return tuple(
            take_in(open_home.home, context.ledger, context.now, progress, policy=policy)
            for open_home in homes
        )

    def is_fresh(self, open_home: OpenHome) -> bool:
        """Whether neither the home nor the policy changed since the last intake."""
        return self.view.is_fresh(open_home.home)

    def pending(
        self, states: Sequence[State] = (), *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """A page of the queue, newest first, as the last intake left it. Open ones by default."""
        return self.view.pending(states, after=after, limit=limit)

    def find(self, id: str) -> QueueItem:
        """One line of the queue, by our id, a unique prefix of it, or the agent's own id."""
        return self.view.find(id)

    def propose(self, proposal: Proposal, record: bytes) -> Proposed:
        """Takes in a proposal that has no pending file, unless it leaves nothing to decide."""
        return propose.propose(self._context, proposal, record)

    def get(self, id: str) -> Evaluation:
        """One proposal evaluated against the live home, judged now: a decision rests on it."""
        proposal = self.ledger.proposal(self.ledger.resolve(id, self._context.home_ids))
        return self._context.evaluator(proposal).evaluate(proposal)

    def source_turns(self, proposal: Proposal) -> SourceTurns | None:
        """The turns that led to a proposal; None when its session is unknown."""
        return self.view.source_turns(proposal)

    def compose(self, choices: Sequence[ChosenProposal]) -> Composed:
        """The combined plan of several decisions on one home, as a summary shows it."""
        return decide.compose_decisions(self._context, choices)

    def history(self, document: str, home: str | None = None) -> tuple[Observation, ...]:
        """The revisions of a document, oldest first, with their authors."""
        return self.view.history(document, home)

    def blame(self, document: str, home: str | None = None) -> tuple[Blamed, ...]:
        """The author of each part of a document."""
        return self.view.blame(document, home)

    def since(self, moment: datetime | None = None) -> tuple[DocumentChanges, ...]:
        """The changes since a moment, or since an operator last looked: one diff per document."""
        return self.view.since(moment)

    def evaluate_restore(
        self, document: str, revision: Revision, home: str | None = None
    ) -> Evaluation:
        """A preview of restoring a document to a revision."""
        id = self._context.home_by_id(home).home.id
        return restore.evaluate_restore(self._context, id, document, revision)

    def mark_seen(self, until: datetime | None = None) -> None:
        """Marks everything learnt until then, or until now, as seen by the operator.

        Raises NotPermitted.
        """
        for open_home in self._context.homes:
            changes.mark(self._context, open_home.home, Marks(until or self._context.now()))

    def mark(self, home: str, marks: Marks) -> None:
        """Marks, document by document, until when the operator has seen a home's changes.

        Raises NotPermitted.
        """
        changes.mark(self._context, self._context.home_by_id(home).home, marks)

    def log(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """The append-only log, oldest first."""
        return self.ledger.events(after=after, limit=limit)

    def operations(self, *, limit: int | None = None) -> tuple[Operation, ...]:
        """The operations, newest first."""
        return self.ledger.operations(limit=limit)

    # Writing: everything here may change a home.

    def recover(self) -> tuple[Recovered, ...]:
        """Finishes or rolls back the batches that an earlier run left unfinished."""
        return tuple(
            ending
            for open_home in self._context.homes
            for ending in recover(
                open_home.home.id,
                open_home.writer,
                self.ledger,
                self._context.now,
                batch_check(self._context, open_home),
            )
        )

    def auto(self, *, dry_run: bool = False, progress: Progress | None = None) -> AutoReport:
        """Applies the proposals that pass all checks and reports the others."""
        context = replace(self._context, progress=progress)
        if not dry_run:
            self.recover()
        report = AutoReport()
        for open_home in self._context.homes:
            report += run_auto(context, open_home, dry_run=dry_run)
        return report

    def approve(self, id: str, digest: str) -> Operation:
        """Applies a proposal exactly as it was shown; the digest says what that was."""
        return decide.approve(self._context, id, digest)

    def keep(self, id: str, digest: str, reason: str = "") -> Decision:
        """Keeps a change that is live already, as it was shown."""
        return decide.keep(self._context, id, digest, reason)

    def claim(self, id: str, digest: str) -> Decision:
        """Keeps a change that the operator made themselves, as it was shown."""
        return decide.claim(self._context, id, digest)

    def take_back(self, id: str, reason: str) -> Operation | None:
        """Takes back a live change, keeping later edits; None where nothing of it was left."""
        return restore.take_back(self._context, id, reason)

    def approve_for_all(
        self, id: str, digest: str
    ) -> tuple[Operation, tuple[tuple[QueueItem, Decision], ...]]:
        """As `approve`; other proposals about the same entry are superseded by it."""
        return decide.approve_for_all(self._context, id, digest)

    def merge(
        self, id: str, text: str | None, digest: str, *, document: str | None = None
    ) -> Operation:
        """Applies the operator's own text instead of the proposed one."""
        return decide.merge(self._context, id, text, digest, document)

    def reject(self, id: str, reason: str) -> Decision:
        """Rejects a proposal for good."""
        return decide.reject(self._context, id, reason)

    def defer(self, id: str, reason: str = "") -> Decision:
        """Defers a proposal until it changes or is decided."""
        return decide.defer(self._context, id, reason)

    def broken(self, id: str) -> Broken:
        """A record that could not be read, as it was found. Raises NotDecidable for any other."""
        return repair.broken(self._context, id)

    def repair(self, id: str, text: bytes) -> Proposal:
        """Takes in an operator's repair of a record that could not be read.

        Raises NotDecidable, BadInput when it still cannot be read, NotPermitted.
        """
        return repair.repair(self._context, id, text)

    def reopen(self, id: str, reason: str = "") -> tuple[Decision, Proposal]:
        """Takes a rejection back: the proposal is pending again, under a new id."""
        return undo.reopen(self._context, id, reason)

    def commit(self, choices: Sequence[ChosenProposal], digest: str) -> tuple[Outcome, ...]:
        """Applies several decisions as they were composed and shown together."""
        return decide.commit(self._context, choices, digest)

    def undo(self, operation: str) -> Operation:
        """Undoes an operation; where its document has changed since, the undo is a conflict."""
        return undo.undo(self._context, operation)

    def restore(
        self, document: str, revision: Revision, digest: str, home: str | None = None
    ) -> Operation:
        """Restores a document to a revision, exactly as it was shown."""
        id = self._context.home_by_id(home).home.id
        return restore.restore(self._context, id, document, revision, digest)
