"""Writing a batch to its home, from its journal entry alone: no ledger is asked or told here.

So nothing waits for a database while the agent's own lock is held, and a host finishes what it
began, whether or not the ledger can be reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from reviewdeck.errors import ReviewdeckError, StaleBase, WriteFailed
from reviewdeck.model import Change, Effect, OperationState, executes_otherwise
from reviewdeck.model.ledger import JournalEntry
from reviewdeck.ports import BatchJournal, ForeignBytes, HomeWriter


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """How a batch ended on disk."""

    error: ReviewdeckError | None = None
    """Why nothing of it is there; None when all of it is."""
    rescued: tuple[ForeignBytes, ...] = ()
    """The bytes of other programs that stood in the way."""

    @property
    def state(self) -> OperationState:
        """The state of its operations."""
        if self.error is None:
            return OperationState.DONE
        is_stale = isinstance(self.error, StaleBase)
        return OperationState.CONFLICT if is_stale else OperationState.ABANDONED


def find_moved(writer: HomeWriter, writes: Sequence[Change]) -> StaleBase | None:
    """The error for a document that is no longer what the plan was made on."""
    for change in writes:
        live = writer.read(change.path)
        if live.problem is not None:
            return StaleBase(f"{change.path}: {live.problem}", path=change.path)
        is_executed_otherwise = executes_otherwise(change.was_mode, live.mode)
        if live.revision != change.before_revision or is_executed_otherwise:
            message = f"{change.path} changed since this was looked at."
            return StaleBase(message, path=change.path, found=live.data)
    return None


def write(writer: HomeWriter, entry: JournalEntry) -> BatchEnd:
    """Writes a batch for the first time, under the agent's lock, or rolls it back.

    Raises WriteFailed where it is neither written nor rolled back.
    """
    moved = find_moved(writer, entry.batch.writes)
    if moved is not None:
        return BatchEnd(moved, _found(moved))
    try:
        writer.write(entry.batch.writes, entry.batch.batch)
        _verify(writer, entry.batch.writes)
    except ReviewdeckError as error:
        return _roll_back(writer, entry, error)
    return BatchEnd()


def complete(writer: HomeWriter, entry: JournalEntry) -> BatchEnd:
    """Finishes or rolls back what an interrupted run had begun, under the agent's lock."""
    writes = entry.batch.writes
    foreign = [change for change in writes if _is_foreign(writer, change)]
    if not foreign:
        try:
            writer.write(writes, entry.batch.batch)
        except StaleBase as stale:
            foreign = [change for change in writes if change.path == stale.path]
        except WriteFailed as failed:
            return _roll_back(writer, entry, failed)
    if foreign and not _has_landed(writer, entry, foreign):
        paths = ", ".join(change.path for change in foreign)
        error = StaleBase(f"{paths} was changed by another program in the meantime.")
        return _roll_back(writer, entry, error)
    return BatchEnd()  # Where a foreign text is there, it came after the batch was written whole.


def tidy(
    writer: HomeWriter, journal: BatchJournal, entry: JournalEntry, at: datetime
) -> JournalEntry:
    """Does the agent's bookkeeping once, and takes the pending records away.

    Gives the entry with the inverse of the bookkeeping, which is journaled before it is done.
    """
    for operation in entry.batch.operations:
        if operation.id not in entry.books:
            continue
        if begun := entry.inverse.get(operation.id):
            writer.repeat_effects(begun)
            continue
        keep = partial(_keep, journal, entry, operation.id)
        if inverse := writer.apply_effects(operation.effects, at, keep):
            entry = _with_inverse(entry, operation.id, inverse)
    writer.retire(entry.records)
    return entry


def _keep(
    journal: BatchJournal, entry: JournalEntry, operation: str, inverse: tuple[Effect, ...]
) -> None:
    journal.put(_with_inverse(entry, operation, inverse))


def _with_inverse(entry: JournalEntry, operation: str, inverse: tuple[Effect, ...]) -> JournalEntry:
    return replace(entry, inverse={**entry.inverse, operation: inverse})


def _verify(writer: HomeWriter, writes: Sequence[Change]) -> None:
    """Reads back what was written. Raises StaleBase where it is something else."""
    for change in writes:
        live = writer.read(change.path)
        is_unset = change.was_mode is not None and executes_otherwise(change.mode, live.mode)
        if live.problem is not None or live.revision != change.after_revision or is_unset:
            raise StaleBase(
                f"{change.path} was changed by another program while it was written.",
                path=change.path,
                found=live.data,
            )


def _roll_back(writer: HomeWriter, entry: JournalEntry, error: ReviewdeckError) -> BatchEnd:
    """Rolls back the part of a batch that is on disk; bytes of another program stay."""
    batch, rescued = entry.batch.batch, [*_found(error)]
    live = [change for change in entry.batch.writes if _is_live(writer, change)]
    for group in _groups(live):
        try:
            writer.write([change.reversed for change in group], f"{batch}-back")
        except StaleBase as stale:
            rescued += _found(stale)
    return BatchEnd(error, tuple(rescued))


def _found(error: ReviewdeckError) -> tuple[ForeignBytes, ...]:
    if isinstance(error, StaleBase) and error.found is not None:
        return (ForeignBytes(error.path, error.found),)
    return ()


def _groups(changes: Sequence[Change]) -> list[list[Change]]:
    """The changes by tree, which is created or removed as a whole; any other change is alone."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.tree or change.path, []).append(change)
    return list(groups.values())


def _is_live(writer: HomeWriter, change: Change) -> bool:
    live = writer.read(change.path)
    return live.problem is None and live.revision == change.after_revision


def _is_foreign(writer: HomeWriter, change: Change) -> bool:
    live = writer.read(change.path)
    if live.problem is not None:
        return True
    return live.revision not in (change.before_revision, change.after_revision)


def _has_landed(writer: HomeWriter, entry: JournalEntry, foreign: Sequence[Change]) -> bool:
    """Whether all of a batch was on disk, though another program has written since."""
    own = [change for change in entry.batch.writes if change not in foreign]
    return all(
        writer.read(change.path).revision == change.after_revision for change in own
    ) and all(writer.has_landed(change, entry.batch.batch) for change in foreign)
