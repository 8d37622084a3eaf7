"""Operations and decisions as they are stored, with their actors, and reading them back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Text, bindparam, select, type_coerce
from sqlalchemy.orm import Session
from sqlmodel import col

from reviewdeck.errors import UnknownId
from reviewdeck.ledger.cells import Dumped, dump, load
from reviewdeck.ledger.database import LedgerPart, bytes_of, chunks
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.tables import (
    BatchRow,
    ChangeRow,
    DecisionRow,
    OperationRow,
    WriteRow,
    table_of,
)
from reviewdeck.model import (
    Actor,
    ActorKind,
    Change,
    Decision,
    Effect,
    Operation,
    OperationKind,
    OperationState,
    RecordedChange,
    Revision,
    Verb,
)
from reviewdeck.model.codec import (
    actor_from_json,
    actor_to_json,
    effects_from_json,
    effects_to_json,
    seal_from_json,
    seal_to_json,
)
from reviewdeck.ports import Automatic, OpenBatch, Undone

_KNOWN = 256


@lru_cache(maxsize=_KNOWN)
def actor_cell(actor: Actor) -> Dumped:
    """What a column of JSON holds for somebody."""
    return Dumped(dump(actor_to_json(actor)))


@lru_cache(maxsize=_KNOWN)
def actor_of(cell: str) -> Actor:
    """Whom a cell is about."""
    return actor_from_json(load(cell))


_LAST = chr(0x10FFFF)
WENT_IN = (OperationState.INTENT.value, OperationState.DONE.value)
"""States of what is on disk, or about to be."""


class SqlOperations(LedgerPart):
    """The reading half of the journal."""

    def unfinished(self, home: str) -> tuple[OpenBatch, ...]:
        """Batches that are intents still, or done and not settled."""
        query = (
            select(BatchRow)
            .where(col(BatchRow.home) == home, col(BatchRow.settled).is_(False))
            .order_by(col(BatchRow.started_at))
        )
        with self._storage.reading() as session, decoding("An unfinished batch"):
            return tuple(_open_batch(session, row) for row in session.scalars(query).all())

    def operations(
        self, *, home: str | None = None, limit: int | None = None
    ) -> tuple[Operation, ...]:
        """Operations, newest first."""
        query = select(OperationRow).order_by(col(OperationRow.sequence).desc()).limit(limit)
        if home is not None:
            query = query.where(col(OperationRow.home) == home)
        with self._storage.reading() as session, decoding("An operation"):
            return operations_of(session, session.scalars(query).all())

    def automatic_since(self, home: str, since: datetime) -> tuple[Automatic, ...]:
        """What went in without an operator from this moment on, oldest first."""
        with self._storage.viewing() as session, decoding("An operation"):
            rows = session.execute(_WENT_IN_SINCE, {"of": home, "since": since})
            return tuple(Automatic(one, at) for one, at, actor in rows if is_by_policy(actor))

    def newest_operation(self, home: str) -> str:
        """The id of the newest operation of a home; empty when there is none."""
        table = table_of(OperationRow)
        query = select(table.c.id).where(table.c.home == home).order_by(table.c.sequence.desc())
        with self._storage.reading() as session:
            return session.scalar(query.limit(1)) or ""

    def undone(self, home: str) -> Mapping[str, Undone]:
        """The proposals of a home whose newest application was taken back, and by what."""
        found: dict[str, Undone] = {}
        with self._storage.viewing() as session, decoding("An operation"):
            for proposal, by, at, actor in session.execute(_UNDONE, {"of": home}):
                found.pop(proposal, None)  # What counts is the newest one.
                if by is not None:
                    found[proposal] = Undone(by, at, actor_of(actor))
        return found

    def operation(self, prefix: str) -> Operation:
        """The operation with this id or unique prefix of it. Raises UnknownId."""
        query = select(OperationRow).where(
            col(OperationRow.id) >= prefix, col(OperationRow.id) < prefix + _LAST
        )
        with self._storage.reading() as session, decoding(f"Operation {prefix}"):
            rows = session.scalars(query.order_by(col(OperationRow.id)).limit(6)).all()
            exact = [row for row in rows if row.id == prefix] or rows
            if len(exact) == 1 and prefix:
                return operations_of(session, exact)[0]
        if not rows or not prefix:
            raise UnknownId(f"There is no operation {prefix}.")
        raise UnknownId(f"{prefix} could be any of {', '.join(row.id for row in rows)}.")

    def inverse_effects(self, operation: str) -> tuple[Effect, ...]:
        """What takes back the side effects of this operation: those that are done, or begun."""
        query = select(OperationRow).where(col(OperationRow.id) == operation)
        with self._storage.reading() as session, decoding(f"Operation {operation}"):
            row = session.scalar(query)
            return () if row is None else effects_from_json(row.inverse)

    def decisions(self, proposal: str) -> tuple[Decision, ...]:
        """What was decided about a proposal, oldest first."""
        query = (
            select(DecisionRow)
            .where(col(DecisionRow.proposal) == proposal)
            .order_by(col(DecisionRow.sequence))
        )
        with self._storage.reading() as session, decoding("A decision"):
            return tuple(decision_of(row) for row in session.scalars(query))

    def decisions_in(self, batch: str) -> tuple[Decision, ...]:
        """The decisions that a batch was begun for, as they are stored, oldest first."""
        with self._storage.reading() as session, decoding("A decision"):
            return decisions_of(session, batch)


def decisions_of(session: Session, batch: str) -> tuple[Decision, ...]:
    """The decisions of a batch."""
    query = select(DecisionRow).where(col(DecisionRow.batch) == batch)
    ordered = query.order_by(col(DecisionRow.sequence))
    return tuple(decision_of(row) for row in session.scalars(ordered))


_OPERATION = table_of(OperationRow)
_EVER_UNDONE = select(_OPERATION.c.proposal).where(
    _OPERATION.c.home == bindparam("of"), _OPERATION.c.undone_by.is_not(None)
)
ACTOR = type_coerce(_OPERATION.c.actor, Text).label("actor")
"""Who did it, as the cell holds it: nearly always the same few, and each is read once."""
_WENT_IN_SINCE = (
    select(_OPERATION.c.proposal, _OPERATION.c.started_at, ACTOR)
    .where(_OPERATION.c.home == bindparam("of"), _OPERATION.c.started_at >= bindparam("since"))
    .where(_OPERATION.c.kind == OperationKind.APPLY.value, _OPERATION.c.state.in_(WENT_IN))
    .order_by(_OPERATION.c.started_at, _OPERATION.c.sequence)
)

_LATER = _OPERATION.alias("later")
_UNDONE = (
    select(
        _OPERATION.c.proposal,
        _OPERATION.c.undone_by,
        _LATER.c.finished_at,
        type_coerce(_LATER.c.actor, Text),
    )
    .join_from(_OPERATION, _LATER, _LATER.c.id == _OPERATION.c.undone_by, isouter=True)
    .where(_OPERATION.c.home == bindparam("of"), _OPERATION.c.kind == OperationKind.APPLY.value)
    .where(_OPERATION.c.state == OperationState.DONE.value)
    .where(_OPERATION.c.proposal.in_(_EVER_UNDONE))
    .order_by(_OPERATION.c.sequence)
)


def is_by_policy(actor: str) -> bool:
    """Whether this is no person's doing."""
    return actor_of(actor).kind is ActorKind.POLICY


def operations_of(session: Session, rows: Sequence[OperationRow]) -> tuple[Operation, ...]:
    """These operations with their changes."""
    changes: defaultdict[str, list[RecordedChange]] = defaultdict(list)
    for chunk in chunks(row.id for row in rows):
        query = (
            select(ChangeRow)
            .where(col(ChangeRow.operation).in_(chunk))
            .order_by(col(ChangeRow.operation), col(ChangeRow.ordinal))
        )
        for change in session.scalars(query):
            changes[change.operation].append(_recorded(change))
    return tuple(_operation_of(row, changes[row.id]) for row in rows)


def _members(session: Session, batch: str) -> list[OperationRow]:
    """The operations of a batch, in the order in which they were given."""
    query = (
        select(OperationRow)
        .where(col(OperationRow.batch) == batch)
        .order_by(col(OperationRow.sequence))
    )
    return list(session.scalars(query))


def operation_row(operation: Operation, claimed_from: str) -> dict[str, Any]:
    """What the table stores of an operation that begins."""
    return {
        "id": operation.id,
        "batch": operation.batch,
        "kind": operation.kind.value,
        "state": OperationState.INTENT.value,
        "home": operation.home,
        "proposal": operation.proposal,
        "claimed_from": claimed_from,
        "actor": actor_cell(operation.actor),
        "digest": operation.digest,
        "started_at": operation.started_at,
        "finished_at": None,
        "undoes": operation.undoes,
        "undone_by": None,
        "settled": False,
        "effects": effects_to_json(operation.effects),
        "inverse": [],
    }


def change_rows(operation: Operation) -> Iterable[dict[str, Any]]:
    """An operation's own changes, by revision."""
    for ordinal, change in enumerate(operation.changes):
        yield {
            "operation": operation.id,
            "ordinal": ordinal,
            "path": change.path,
            "before": change.before,
            "after": change.after,
            "mode": change.mode,
            "tree": change.tree,
        }


def write_rows(batch: str, writes: Sequence[Change]) -> Iterable[dict[str, Any]]:
    """The physical writes of a batch; their bytes are blobs."""
    for ordinal, write in enumerate(writes):
        yield {
            "batch": batch,
            "ordinal": ordinal,
            "path": write.path,
            "before": None if write.before is None else write.before_revision,
            "after": None if write.after is None else write.after_revision,
            "mode": write.mode,
            "tree": write.tree,
        }


def decision_row(decision: Decision) -> dict[str, Any]:
    """What the table stores of a decision."""
    return {
        "id": decision.id,
        "proposal": decision.proposal,
        "verb": decision.verb.value,
        "actor": actor_cell(decision.actor),
        "at": decision.at,
        "digest": decision.digest,
        "reason": decision.reason,
        "text_sha": decision.text_sha,
        "batch": decision.batch,
        "counter": None if decision.seal is None else decision.seal.counter,
        "seal": seal_to_json(decision.seal),
        "policy": decision.policy,
    }


def _open_batch(session: Session, row: BatchRow) -> OpenBatch:
    query = select(WriteRow).where(col(WriteRow.batch) == row.id).order_by(col(WriteRow.ordinal))
    writes = session.scalars(query).all()
    shas = (sha for write in writes for sha in (write.before, write.after) if sha is not None)
    blobs = bytes_of(session, shas)
    return OpenBatch(
        batch=row.id,
        home=row.home,
        operations=operations_of(session, _members(session, row.id)),
        decisions=decisions_of(session, row.id),
        writes=tuple(
            Change(
                path=write.path,
                before=None if write.before is None else blobs[write.before],
                after=None if write.after is None else blobs[write.after],
                mode=write.mode,
                tree=write.tree,
            )
            for write in writes
        ),
    )


def _operation_of(row: OperationRow, changes: Iterable[RecordedChange]) -> Operation:
    return Operation(
        id=row.id,
        batch=row.batch,
        kind=OperationKind(row.kind),
        state=OperationState(row.state),
        home=row.home,
        proposal=row.proposal,
        actor=actor_from_json(row.actor),
        digest=row.digest,
        changes=tuple(changes),
        started_at=row.started_at,
        finished_at=row.finished_at,
        undoes=row.undoes,
        undone_by=row.undone_by,
        effects=effects_from_json(row.effects),
        settled=row.settled,
    )


def _recorded(row: ChangeRow) -> RecordedChange:
    return RecordedChange(
        path=row.path,
        before=Revision(row.before),
        after=Revision(row.after),
        mode=row.mode,
        tree=row.tree,
    )


def decision_of(row: DecisionRow) -> Decision:
    return Decision(
        id=row.id,
        proposal=row.proposal,
        verb=Verb(row.verb),
        actor=actor_from_json(row.actor),
        at=row.at,
        digest=row.digest,
        reason=row.reason,
        text_sha=row.text_sha,
        batch=row.batch,
        seal=seal_from_json(row.seal),
        policy=row.policy,
    )
