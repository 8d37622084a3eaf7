"""After a crash: every begun batch is applied whole or not at all. Running it twice is safe.

Where decisions are signed, a row of the ledger is no reason to write. Operators' decisions must
carry their signature. The policy's carry none: they are planned once more from the
proposals, and have to come to the same bytes by the same judgement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from reviewdeck.engine.authorisation import batch_flaw
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.journal import observations_of, settle, take_back
from reviewdeck.errors import (
    Busy,
    HomeReadOnly,
    HomeUnavailable,
    ReviewdeckError,
    StaleBase,
    WriteFailed,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ActorKind, Change, Operation, OperationState, Proposal
from reviewdeck.model.ledger import OpenBatch
from reviewdeck.planning.compose import ChosenProposal, compose, writes
from reviewdeck.planning.overlay import Overlay
from reviewdeck.ports import Clock, HomeWriter, OpenHome

Check: TypeAlias = Callable[[OpenBatch], str | None]
"""Gives why a batch must not be applied; None when it may."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The end of one unfinished batch."""

    batch: str
    proposals: tuple[str, ...]
    ending: str
    """finished, tidied, taken back, conflict, busy (another reviewdeck is at work on it), stuck
    (the system refuses to write), or refused (its decision does not count)."""
    detail: str = ""


def accept_batch(batch: OpenBatch) -> str | None:
    """The check of a ledger without keys: every stored batch may be applied."""
    return None


def recover(
    home: str, writer: HomeWriter, ledger: Ledger, now: Clock, flaw: Check = accept_batch
) -> tuple[Recovered, ...]:
    """Finishes or rolls back what an earlier run had begun, under the same locks.

    `flaw` says why a batch must not be applied: then it is neither written nor rolled back.
    """
    _end_retiring(home, writer, ledger)
    endings = [_end(batch, writer, ledger, now, flaw) for batch in ledger.unfinished(home)]
    return tuple(ending for ending in endings if ending is not None)


def _end_retiring(home: str, writer: HomeWriter, ledger: Ledger) -> None:
    """Finishes removing the pending records that an interrupted run had begun to remove."""
    with suppress(WriteFailed, HomeReadOnly, HomeUnavailable):  # The next recovery tries again.
        if writer.is_retiring():
            writer.end_retiring(ledger.decided_records(home))


def _end(
    batch: OpenBatch, writer: HomeWriter, ledger: Ledger, now: Clock, flaw: Check
) -> Recovered | None:
    proposals = {op.proposal: ledger.proposal(op.proposal) for op in batch.operations}
    try:
        with writer.lock(sorted({change.path for change in batch.writes})):
            # The process that held the locks may have been alive, and have finished by now.
            current = [b for b in ledger.unfinished(batch.home) if b.batch == batch.batch]
            if not current:
                return None
            if (why := flaw(current[0])) is not None:
                return _refuse(current[0], tuple(proposals), ledger, now, why)
            return _end_locked(current[0], proposals, writer, ledger, now)
    except Busy as busy:
        return Recovered(batch.batch, tuple(proposals), "busy", busy.message)
    except (WriteFailed, HomeReadOnly) as stuck:
        return Recovered(batch.batch, tuple(proposals), "stuck", stuck.message)


def _end_locked(
    batch: OpenBatch,
    proposals: dict[str, Proposal],
    writer: HomeWriter,
    ledger: Ledger,
    now: Clock,
) -> Recovered:
    ids = tuple(proposals)
    if _is_done(batch.operations):
        settle(writer, ledger, batch.operations, proposals, now())
        return Recovered(batch.batch, ids, "tidied")
    foreign = [change for change in batch.writes if _is_foreign(writer, change)]
    if not foreign:
        try:
            writer.write(batch.writes, batch.batch)
        except StaleBase as stale:
            foreign = [change for change in batch.writes if change.path == stale.path]
        except WriteFailed as failed:
            return _take_back(batch, ids, writer, ledger, now, failed)
    if foreign and _has_landed(batch, foreign, writer):
        foreign = []  # The batch had been written whole; the foreign text came after it.
    if foreign:
        paths = ", ".join(change.path for change in foreign)
        error = StaleBase(f"{paths} was changed by another program in the meantime.")
        return _take_back(batch, ids, writer, ledger, now, error)
    ledger.finish(batch.batch, now(), observations_of(batch.operations, now()))
    settle(writer, ledger, batch.operations, proposals, now())
    return Recovered(batch.batch, ids, "finished")


def _has_landed(batch: OpenBatch, foreign: Sequence[Change], writer: HomeWriter) -> bool:
    """Whether all of a batch was on disk, though another program has written since."""
    own = [change for change in batch.writes if change not in foreign]
    return all(
        writer.read(change.path).revision == change.after_revision for change in own
    ) and all(writer.has_landed(change, batch.batch) for change in foreign)


def _refuse(
    batch: OpenBatch, ids: tuple[str, ...], ledger: Ledger, now: Clock, why: str
) -> Recovered:
    """Closes a batch without touching a file: a forged row must not make us roll back either."""
    if _is_done(batch.operations):
        ledger.settle(batch.batch)
    else:
        ledger.abandon(batch.batch, now(), OperationState.ABANDONED, why)
    return Recovered(batch.batch, ids, "refused", why)


def _is_done(operations: Sequence[Operation]) -> bool:
    return all(operation.state is OperationState.DONE for operation in operations)


def _is_foreign(writer: HomeWriter, change: Change) -> bool:
    live = writer.read(change.path)
    if live.problem is not None:
        return True
    return live.revision not in (change.before_revision, change.after_revision)


def _take_back(
    batch: OpenBatch,
    ids: tuple[str, ...],
    writer: HomeWriter,
    ledger: Ledger,
    now: Clock,
    error: ReviewdeckError,
) -> Recovered:
    take_back(writer, ledger, batch.batch, batch.writes, error, now())
    ending = "conflict" if isinstance(error, StaleBase) else "taken back"
    return Recovered(batch.batch, ids, ending, error.message)


def batch_check(context: Engine, open_home: OpenHome) -> Check:
    """The check for the batches of one home."""

    def check(batch: OpenBatch) -> str | None:
        if not context.authority.signs:
            return None
        operators = [op for op in batch.operations if op.actor.kind is not ActorKind.POLICY]
        flaw = batch_flaw(context.authority, operators, batch.decisions, batch.about)
        if flaw is None and len(operators) < len(batch.operations):
            flaw = (
                _policy_flaw(context, open_home, batch)
                if not operators
                else "It mixes operators' decisions with automatic ones."
            )
        return flaw

    return check


def _policy_flaw(context: Engine, open_home: OpenHome, batch: OpenBatch) -> str | None:
    """Why the policy would not write this batch now, on the home as it was before."""
    context = context.with_fixed_policy()
    suspended = context.authority.why_nothing_is_automatic(context.policy().mark)
    if suspended is not None:
        return f"Nothing is applied automatically: {suspended}."
    evaluator = context.evaluator(context.ledger.proposal(batch.operations[0].proposal))
    before = [change.reversed for change in batch.writes]
    evaluator.snapshot = Overlay(evaluator.snapshot, before)
    proposals = [context.ledger.proposal(op.proposal) for op in batch.operations]
    based = [evaluator.with_bases(proposal) for proposal in proposals]
    composed = compose([ChosenProposal(proposal) for proposal in based], evaluator.snapshot)
    if not _is_same(writes(composed.plan), batch.writes):
        return "It differs from the result of its proposals."
    if not all(evaluator.evaluate(proposal).is_automatic for proposal in proposals):
        return "The policy does not approve it."
    return None


def _is_same(planned: tuple[Change, ...], stored: tuple[Change, ...]) -> bool:
    def texts(changes: tuple[Change, ...]) -> set[tuple[str, bytes | None, bytes | None]]:
        return {(change.path, change.before, change.after) for change in changes}

    return texts(planned) == texts(stored)
