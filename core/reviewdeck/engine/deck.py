"""The engine's front door: the only place that puts looking, judging and deciding in sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from reviewdeck.engine import changes, decide, propose, repair, restore, undo
from reviewdeck.engine.auto import AutoReport, run_auto
from reviewdeck.engine.changes import Learnt
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.engine.history import Blamed
from reviewdeck.engine.intake import TakenIn, take_in
from reviewdeck.engine.journal import Outcome
from reviewdeck.engine.proposed import Proposed
from reviewdeck.engine.recovery import Recovered, flaw_of, recover
from reviewdeck.engine.repair import Broken
from reviewdeck.engine.source_turns import Behind
from reviewdeck.engine.view import View
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
from reviewdeck.planning.compose import ChosenProposal, Composed
from reviewdeck.ports import Ledger, OpenHome, Progress


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
        """The same for looking: what commands that decide nothing work with."""
        return self._context.view

    def close(self) -> None:
        """Lets go of the ledger."""
        self._context.ledger.close()

    # Looking: nothing here changes a byte of a home.

    def intake(
        self, home: str | None = None, *, progress: Progress | None = None
    ) -> tuple[TakenIn, ...]:
        """Reads every home, or this one, stores what is new and stages everything that is open.

        Progress that raises breaks it off: the next one does it again.
        """
        homes = self._context.homes if home is None else (self._context.one_home(home),)
        context, policy = self._context, self._context.policy()
        return tuple(
            take_in(one.home, context.ledger, context.now, progress, policy=policy) for one in homes
        )

    def is_fresh(self, one: OpenHome) -> bool:
        """Whether nothing moved since the last intake: neither the home nor the policy."""
        return self.view.is_fresh(one.home)

    def pending(
        self, states: Sequence[State] = (), *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """A page of the queue, newest first, as the last intake left it. Open ones by default."""
        return self.view.pending(states, after=after, limit=limit)

    def find(self, id: str) -> QueueItem:
        """One line of the queue, by our id, a unique prefix of it, or the agent's own id."""
        return self.view.find(id)

    def propose(self, proposal: Proposal, record: bytes) -> Proposed:
        """Takes in a proposal that comes from no file, unless there is nothing in it to decide."""
        return propose.propose(self._context, proposal, record)

    def get(self, id: str) -> Evaluation:
        """One proposal as it stands against the live home at this moment."""
        return self.view.get(id)

    def behind(self, proposal: Proposal) -> Behind | None:
        """The turns that led to a proposal; None when nothing tells its session."""
        return self.view.behind(proposal)

    def compose(self, wanted: Sequence[ChosenProposal]) -> Composed:
        """Several decisions on one home worked out together: what a summary shows."""
        return decide.compose_known(self._context, wanted)

    def history(self, document: str, home: str | None = None) -> tuple[Observation, ...]:
        """The revisions of a document, oldest first, with who brought them."""
        return self.view.history(document, home)

    def blame(self, document: str, home: str | None = None) -> tuple[Blamed, ...]:
        """Who brought each part of a document."""
        return self.view.blame(document, home)

    def since(self, moment: datetime | None = None) -> tuple[Learnt, ...]:
        """What was learnt since a moment, or since somebody last looked: a diff per document."""
        return self.view.since(moment)

    def evaluate_restore(
        self, document: str, revision: Revision, home: str | None = None
    ) -> Evaluation:
        """What it would do to make a document again what it was at a revision."""
        id = self._context.one_home(home).home.id
        return restore.evaluate_restore(self._context, id, document, revision)

    def mark_looked(self, until: datetime | None = None) -> None:
        """Remembers that the operator has seen what was learnt until then, or until now.

        Raises NotPermitted.
        """
        for one in self._context.homes:
            changes.mark(self._context, one.home, Marks(until or self._context.now()))

    def mark(self, home: str, marks: Marks) -> None:
        """Remembers until when the operator has seen what was learnt in a home, by document.

        Raises NotPermitted.
        """
        changes.mark(self._context, self._context.one_home(home).home, marks)

    def log(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """The append-only log, oldest first."""
        return self.ledger.events(after=after, limit=limit)

    def operations(self, *, limit: int | None = None) -> tuple[Operation, ...]:
        """What was written, newest first."""
        return self.ledger.operations(limit=limit)

    # Writing: everything here may change a home.

    def recover(self) -> tuple[Recovered, ...]:
        """Ends what an earlier run had begun and not ended."""
        return tuple(
            ending
            for one in self._context.homes
            for ending in recover(
                one.home.id, one.writer, self.ledger, self._context.now, flaw_of(self._context, one)
            )
        )

    def auto(self, *, dry_run: bool = False, progress: Progress | None = None) -> AutoReport:
        """Applies what is plainly safe and reports the rest. Decides for no operator."""
        context = replace(self._context, progress=progress)
        if not dry_run:
            self.recover()
        report = AutoReport()
        for one in self._context.homes:
            report += run_auto(context, one, dry_run=dry_run)
        return report

    def approve(self, id: str, digest: str) -> Operation:
        """Applies a proposal exactly as it was shown; the digest says what that was."""
        return decide.approve(self._context, id, digest)

    def keep(self, id: str, digest: str, reason: str = "") -> Decision:
        """Lets stay what was live already, as it was shown. Nothing is written."""
        return decide.keep(self._context, id, digest, reason)

    def claim(self, id: str, digest: str) -> Decision:
        """Lets stay what the operator wrote themselves, as it was shown. Nothing is written."""
        return decide.claim(self._context, id, digest)

    def take_back(self, id: str, reason: str) -> Operation | None:
        """Takes back what was live already, later edits kept; None where nothing was left."""
        return restore.take_back(self._context, id, reason)

    def approve_for_all(
        self, id: str, digest: str
    ) -> tuple[Operation, tuple[tuple[QueueItem, Decision], ...]]:
        """As `approve`; what else waits about the same thing gives way to it."""
        return decide.approve_for_all(self._context, id, digest)

    def merge(
        self, id: str, text: str | None, digest: str, *, document: str | None = None
    ) -> Operation:
        """Applies the operator's own text in the place of what was proposed."""
        return decide.merge(self._context, id, text, digest, document)

    def reject(self, id: str, reason: str) -> Decision:
        """Turns a proposal down, for good."""
        return decide.reject(self._context, id, reason)

    def defer(self, id: str, reason: str = "") -> Decision:
        """Puts a proposal off until it changes or is decided."""
        return decide.defer(self._context, id, reason)

    def broken(self, id: str) -> Broken:
        """A record that could not be read, as it was found. Raises NotDecidable for any other."""
        return repair.broken(self._context, id)

    def repair(self, id: str, text: bytes) -> Proposal:
        """Takes in what an operator made of a record that could not be read.

        Raises NotDecidable, BadInput when it cannot be read still, NotPermitted.
        """
        return repair.repair(self._context, id, text)

    def reopen(self, id: str, reason: str = "") -> tuple[Decision, Proposal]:
        """Takes a rejection back: what was wanted waits again, under a new id."""
        return undo.reopen(self._context, id, reason)

    def commit(self, wanted: Sequence[ChosenProposal], digest: str) -> tuple[Outcome, ...]:
        """Applies several decisions as they were composed and shown together."""
        return decide.commit(self._context, wanted, digest)

    def undo(self, operation: str) -> Operation:
        """Takes an operation back; when its document moved on, the undo waits as a conflict."""
        return undo.undo(self._context, operation)

    def restore(
        self, document: str, revision: Revision, digest: str, home: str | None = None
    ) -> Operation:
        """Makes a document again what it was, exactly as it was shown."""
        id = self._context.one_home(home).home.id
        return restore.restore(self._context, id, document, revision, digest)
