"""What comes after a write: tidying up when it worked, taking back when it did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from reviewdeck.errors import ReviewdeckError, StaleBase
from reviewdeck.likeness import subjects_of
from reviewdeck.model import (
    Cause,
    Change,
    Kind,
    Likeness,
    Observation,
    Operation,
    OperationState,
    Proposal,
    Relation,
    Restore,
    Revision,
)
from reviewdeck.ports import HomeWriter, Ledger
from reviewdeck.removals import removed


def settle(
    writer: HomeWriter,
    ledger: Ledger,
    operations: Sequence[Operation],
    proposals: Mapping[str, Proposal],
    at: datetime,
) -> None:
    """What follows a finished batch: bookkeeping, the pending records, what was displaced."""
    for operation in operations:
        if proposals[operation.proposal].kind is Kind.SKILLS:
            _keep_books(writer, ledger, operation, at)
    decided = [proposals[operation.proposal] for operation in operations]
    writer.retire_all([(one.source, one.payload_sha) for one in decided if one.source is not None])
    gone = _removed(ledger, operations, proposals)
    kept_away = [*gone, *_rejected(operations, proposals), *_unasked(ledger, operations, gone)]
    for operation in operations:
        if operation.undoes is not None:  # A revert that is taken back rejects nothing any more.
            undone = ledger.operation(operation.undoes).proposal
            ledger.forget(operation.home, Relation.REJECTED, undone)
    ledger.remember(operations[0].home, kept_away, at)
    batch = operations[0].batch
    for rescued in writer.settle(batch):
        ledger.rescue(batch, rescued.path, rescued.data, at)
    ledger.settle(batch)


def _keep_books(writer: HomeWriter, ledger: Ledger, operation: Operation, at: datetime) -> None:
    """Does an operation's bookkeeping once, also when an earlier attempt was cut short in it."""
    if begun := ledger.inverse_effects(operation.id):
        writer.repeat_effects(begun)
    else:
        writer.apply_effects(
            operation.effects, at, lambda back: ledger.keep_inverse(operation.id, back)
        )


def _removed(
    ledger: Ledger, operations: Sequence[Operation], proposals: Mapping[str, Proposal]
) -> list[Likeness]:
    """What a batch took out of its documents: it must not come back unseen."""
    first: dict[str, Revision] = {}
    last: dict[str, Revision] = {}
    memories: set[str] = set()
    for operation in operations:
        for change in operation.changes:
            first.setdefault(change.path, change.before)
            last[change.path] = change.after
            if proposals[operation.proposal].kind is Kind.MEMORY:
                memories.add(change.path)
    found: list[Likeness] = []
    for path, before in first.items():
        then, now = ledger.content(before), ledger.content(last[path])
        found += removed(path, then, now, is_memory=path in memories)
    return found


def _rejected(operations: Sequence[Operation], proposals: Mapping[str, Proposal]) -> list[Likeness]:
    """What an operator took out for good, with a reason: as if it had been turned down."""
    return [
        Likeness(Relation.REJECTED, text, 100.0, operation.proposal, exact=True)
        for operation in operations
        for edit in proposals[operation.proposal].edits
        if isinstance(edit, Restore)
        for text in edit.rejects
    ]


def _unasked(
    ledger: Ledger, operations: Sequence[Operation], gone: Sequence[Likeness]
) -> list[Likeness]:
    """What was asked for where another text went in for it, which is taken back: that, too."""
    there = {one.text for one in gone}
    return [
        Likeness(Relation.REJECTED, subject.text, 100.0, operation.proposal, exact=True)
        for operation in operations
        if operation.undoes is not None
        for subject in subjects_of(ledger.proposal(ledger.operation(operation.undoes).proposal))
        if subject.text not in there
    ]


def take_back(
    writer: HomeWriter,
    ledger: Ledger,
    batch: str,
    writes: Sequence[Change],
    error: ReviewdeckError,
    at: datetime,
) -> None:
    """Puts back what of a batch is on disk, and says in the ledger that it was not applied.

    What another program wrote in the meantime stays as it is, and is kept in the ledger.
    """
    for group in _groups([change for change in writes if _is_live(writer, change)]):
        try:
            writer.write(
                [replace(one, before=one.after, after=one.before) for one in group],
                f"{batch}-back",
            )
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
    """A tree comes and goes as a whole; everything else stands for itself."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.tree or change.path, []).append(change)
    return list(groups.values())


def _is_live(writer: HomeWriter, change: Change) -> bool:
    live = writer.read(change.path)
    return live.problem is None and live.revision == change.after_revision


def observations_of(operations: Sequence[Operation], at: datetime) -> list[Observation]:
    """Each document's step from one revision to the next, so that blame can tell them apart."""
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
        )
        for operation in operations
        for change in operation.changes
        if change.before != change.after
    ]
