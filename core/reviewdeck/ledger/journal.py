"""Intents and how they end. Each step is one transaction, with its events in the audit log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    Select,
    Text,
    bindparam,
    delete,
    func,
    select,
    type_coerce,
    update,
)

from reviewdeck.errors import LedgerDamaged, NotDecidable, UnknownId
from reviewdeck.ledger.audit import Note, log
from reviewdeck.ledger.blobs import chunks, listed
from reviewdeck.ledger.database import among, bulk_insert, keep_bytes, keep_near
from reviewdeck.ledger.operations import (
    ACTOR,
    ON_DISK,
    SqlOperations,
    change_rows,
    decision_row,
    is_by_policy,
    operation_row,
    write_rows,
)
from reviewdeck.ledger.revisions import store_observations
from reviewdeck.ledger.seals import sealed, sealed_claims
from reviewdeck.ledger.tables import (
    BatchRow,
    ChangeRow,
    DecisionRow,
    DraftRow,
    OperationRow,
    ProposalRow,
    RecordRow,
    RescuedRow,
    WriteRow,
    table_of,
)
from reviewdeck.ledger.view_sql import actor_of
from reviewdeck.model import (
    OPEN_STATES,
    Decision,
    Effect,
    Observation,
    Operation,
    OperationKind,
    OperationState,
    Restore,
    State,
    revision_of,
)
from reviewdeck.model.codec import edits_from_json, effects_to_json
from reviewdeck.ports import Claim, Sign, unsigned

_BATCH = table_of(BatchRow)
_OPERATION = table_of(OperationRow)
_IN_FORCE: Final = frozenset(
    state.value for state in (State.APPROVED, State.APPLYING, State.APPLIED)
)
_PROPOSAL = table_of(ProposalRow)
_DRAFT = table_of(DraftRow)
_RECORD = table_of(RecordRow)

NO_DETAIL: Mapping[str, object] = MappingProxyType({})

_ITS_PROPOSALS = select(_OPERATION.c.proposal).where(_OPERATION.c.batch == bindparam("of"))
_END: dict[str, BindParameter[Any]] = {
    "state": bindparam("to_state"),
    "finished_at": bindparam("ended"),
    "settled": bindparam("to_settled"),
}
_END_BATCH = (
    update(_BATCH)
    .where(_BATCH.c.id == bindparam("of"), _BATCH.c.state == OperationState.INTENT.value)
    .values(_END)
)
_END_OPERATIONS = update(_OPERATION).where(_OPERATION.c.batch == bindparam("of")).values(_END)
_MEMBERS: Select[Any] = (
    select(
        *(_OPERATION.c[name] for name in ("id", "kind", "home", "proposal", "undoes")),
        _OPERATION.c.claimed_from,
        # Nearly always the same, and read once: as text, then.
        type_coerce(_OPERATION.c.actor, Text).label("actor"),
    )
    .where(_OPERATION.c.batch == bindparam("of"))
    .order_by(_OPERATION.c.sequence)
)
_APPLY = (
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id.in_(_ITS_PROPOSALS))
    .values(state=State.APPLIED.value, reason="")
)
_MOVE = (
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id == bindparam("of"))
    .values(state=bindparam("to_state"), reason=bindparam("because"))
)
_PUT_BACK = (
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id == bindparam("of"))
    .values(
        state=State.READY.value,
        verdict="review",
        digest=None,
        evaluation_key=None,
        reason=bindparam("because"),
    )
)
_FORGET_RECORD = delete(_RECORD).where(_RECORD.c.proposal == bindparam("of"))
_DROP_DRAFTS = delete(_DRAFT).where(_DRAFT.c.proposal.in_(_ITS_PROPOSALS))
_DROP_DRAFT = delete(_DRAFT).where(_DRAFT.c.proposal == bindparam("of"))
_SETTLE_BATCH = (
    update(_BATCH)
    .where(_BATCH.c.id == bindparam("of"), _BATCH.c.settled.is_(False))
    .values(settled=True)
)
_SETTLE_OPERATIONS = (
    update(_OPERATION).where(_OPERATION.c.batch == bindparam("of")).values(settled=True)
)
_TAKES_BACK = (
    update(_OPERATION)
    .where(_OPERATION.c.id == bindparam("operation"), _OPERATION.c.settled.is_(False))
    .values(inverse=bindparam("back"))
)
_UNDONE_BY = (
    update(_OPERATION).where(_OPERATION.c.id == bindparam("of")).values(undone_by=bindparam("undo"))
)


def end(connection: Connection, batch: str, at: datetime, state: OperationState) -> bool:
    """Ends an intent; False when it has ended like this before."""
    settled = state is not OperationState.DONE
    bound = {"of": batch, "to_state": state.value, "ended": at, "to_settled": settled}
    if connection.execute(_END_BATCH, bound).rowcount == 1:
        connection.execute(_END_OPERATIONS, bound)
        return True
    current = _state_of(connection, batch)
    if current != state:
        raise NotDecidable(f"Batch {batch} has ended already: {current}.")
    return False


def members(connection: Connection, batch: str) -> Sequence[Row[Any]]:
    """The fields of a batch's operations that its end needs, in order."""
    return connection.execute(_MEMBERS, {"of": batch}).all()


def apply(connection: Connection, batch: str) -> None:
    """Marks the proposals of a batch as applied, and deletes their drafts."""
    connection.execute(_APPLY, {"of": batch})
    connection.execute(_DROP_DRAFTS, {"of": batch})


def give_back(
    connection: Connection, operations: Sequence[Row[Any]], state: OperationState, reason: str
) -> None:
    """Puts the proposals of an abandoned batch back into the queue."""
    moves = [
        {"of": row.proposal, "to_state": _returned_state(row, state).value, "because": reason}
        for row in operations
    ]
    connection.execute(_MOVE, moves)


def link_undone(connection: Connection, operations: Sequence[Row[Any]], at: datetime) -> list[Note]:
    """Links undone operations: an undone proposal is pending again, one undone twice is applied.

    An operator's own proposal is rejected instead of pending again. Gives the events of
    the proposals that are pending again.
    """
    waiting: list[Note] = []
    for row in operations:
        if row.kind != OperationKind.UNDO:
            continue
        by, undoes = row.id, row.undoes
        while undoes is not None:
            target = _operation(connection, undoes)
            connection.execute(_UNDONE_BY, {"of": target.id, "undo": by})
            if by is None:
                drop_draft(connection, target.proposal)
                _move(connection, target.proposal, State.APPLIED, "")
            elif _is_operators(connection, target.proposal):
                _move(connection, target.proposal, State.REJECTED, f"taken back by {by}")
            else:
                _put_back(connection, target.proposal, f"undone by {by}")
                actor, detail = actor_of(row.actor), {"undone_by": by}
                waiting.append(Note("returned", row.home, target.proposal, actor, at, detail))
            by, undoes = (target.id if by is None else None), target.undoes
    return waiting


def _is_operators(connection: Connection, proposal: str) -> bool:
    body = connection.scalar(select(_PROPOSAL.c.body).where(_PROPOSAL.c.id == proposal))
    edits = edits_from_json(body["edits"]) if body is not None else ()
    return bool(edits) and all(isinstance(edit, Restore) for edit in edits)


def _put_back(connection: Connection, proposal: str, reason: str) -> None:
    """Makes a proposal pending again, to be evaluated anew and decided by a person.

    Its pending file was removed when it was applied, so a missing file no longer means that
    it was decided elsewhere.
    """
    connection.execute(_PUT_BACK, {"of": proposal, "because": reason})
    connection.execute(_FORGET_RECORD, {"of": proposal})


def keep_inverse(connection: Connection, operation: str, effects: Sequence[Effect]) -> None:
    """Stores the inverse of an operation's side effects; final once they are settled."""
    bound = {"operation": operation, "back": effects_to_json(effects)}
    connection.execute(_TAKES_BACK, bound)


def settle(connection: Connection, batch: str) -> bool:
    """Marks a batch as settled; False when it was already."""
    if connection.execute(_SETTLE_BATCH, {"of": batch}).rowcount != 1:
        _state_of(connection, batch)
        return False
    connection.execute(_SETTLE_OPERATIONS, {"of": batch})
    return True


def drop_draft(connection: Connection, proposal: str) -> None:
    """Deletes the draft of a proposal."""
    connection.execute(_DROP_DRAFT, {"of": proposal})


def decision_note(decision: Decision, home: str) -> Note:
    """The event of a decision."""
    fields = {
        "digest": decision.digest,
        "reason": decision.reason,
        "text_sha": decision.text_sha,
        "policy": decision.policy,
    }
    detail: dict[str, object] = {"decision": decision.id}
    detail |= {name: value for name, value in fields.items() if value}
    if decision.seal is not None:
        detail |= {"counter": decision.seal.counter, "signature": decision.seal.signature}
    return Note(decision.verb.value, home, decision.proposal, decision.actor, decision.at, detail)


def intent_note(operation: Operation) -> Note:
    """The event of an intent."""
    detail: dict[str, object] = {
        "batch": operation.batch,
        "proposal": operation.proposal,
        "digest": operation.digest,
        "changes": [[change.path, change.before, change.after] for change in operation.changes],
    }
    if operation.undoes is not None:
        detail["undoes"] = operation.undoes
    return Note(
        "begin", operation.home, operation.id, operation.actor, operation.started_at, detail
    )


def end_notes(
    name: str,
    batch: str,
    operations: Iterable[Row[Any]],
    at: datetime,
    detail: Mapping[str, object] = NO_DETAIL,
) -> list[Note]:
    """One event for each operation of a batch."""
    return [
        Note(
            name,
            row.home,
            row.id,
            actor_of(row.actor),
            at,
            {"batch": batch, "proposal": row.proposal, **detail},
        )
        for row in operations
    ]


def _state_of(connection: Connection, batch: str) -> str:
    state = connection.scalar(select(_BATCH.c.state).where(_BATCH.c.id == batch))
    if state is None:
        raise UnknownId(f"There is no batch {batch}.")
    return str(state)


def _returned_state(row: Row[Any], state: OperationState) -> State:
    claimed_from = State(row.claimed_from)
    if claimed_from not in OPEN_STATES and claimed_from is not State.APPROVED:
        return claimed_from  # it was not in the queue before either
    return State.CONFLICT if state is OperationState.CONFLICT else State.READY


def _operation(connection: Connection, id: str) -> Row[Any]:
    row = connection.execute(select(_OPERATION).where(_OPERATION.c.id == id)).first()
    if row is None:
        raise UnknownId(f"There is no operation {id}.")
    return row


def _move(connection: Connection, proposal: str, state: State, reason: str) -> None:
    bound = {"of": proposal, "to_state": state.value, "because": reason}
    connection.execute(_MOVE, bound)


_PROPOSAL = table_of(ProposalRow)
_THEIR_STATES = select(_PROPOSAL.c.id, _PROPOSAL.c.state).where(among(_PROPOSAL.c.id, "ids"))
_TAKE = (
    update(_PROPOSAL)
    .where(among(_PROPOSAL.c.id, "ids"), among(_PROPOSAL.c.state, "allowed"))
    .values(state=State.APPLYING.value)
)


class SqlJournal(SqlOperations):
    """The writing half of the journal."""

    def begin(self, claims: Sequence[Claim], sign: Sign = unsigned) -> tuple[str, ...]:
        """Claims the proposals and stores the intents, durably, in one transaction.

        A batch of which one proposal cannot be claimed any more is left out whole; so is one that
        undoes an operation that cannot be undone any more. The write lock is held from the start,
        so what is read here is what is claimed.
        """
        with self._storage.writing() as connection:
            proposals = (operation.proposal for claim in claims for operation in claim.operations)
            states = _states(connection, proposals)
            not_undoable = _targets_not_undoable(connection, claims)
            claims = [claim for claim in claims if not _is_fenced_off(connection, claim)]
            before = dict(states)
            begun: list[Claim] = []
            for claim in claims:
                if _is_claimable(claim, states, not_undoable):
                    states |= {op.proposal: State.APPLYING.value for op in claim.operations}
                    not_undoable |= {op.undoes for op in claim.operations if op.undoes is not None}
                    begun.append(claim)
            _claim(connection, begun)
            _store(connection, sealed_claims(connection, begun, sign), before)
        return tuple(claim.operations[0].batch for claim in begun)

    def finish(self, batch: str, at: datetime, observations: Sequence[Observation]) -> None:
        """The writes are in place: operations done, proposals applied, observations stored.

        The drafts of these proposals are used up. Doing it twice is the same as once.
        """
        with self._storage.writing() as connection:
            if not end(connection, batch, at, OperationState.DONE):
                return
            operations = members(connection, batch)
            apply(connection, batch)
            waiting = link_undone(connection, operations, at)
            store_observations(connection, observations)
            log(connection, [*end_notes("finish", batch, operations, at), *waiting])

    def abandon(self, batch: str, at: datetime, state: OperationState, reason: str) -> None:
        """The writes are not in place: proposals go back to the queue, with their drafts."""
        with self._storage.writing() as connection:
            if not end(connection, batch, at, state):
                return
            operations = members(connection, batch)
            give_back(connection, operations, state, reason)
            detail: dict[str, object] = {"state": state, "reason": reason}
            log(connection, end_notes("abandon", batch, operations, at, detail))

    def rescue(self, batch: str, path: str, data: bytes, at: datetime) -> None:
        """Stores bytes of another program that we displaced, or would have."""
        sha = revision_of(data)
        with self._storage.writing() as connection:
            operations = members(connection, batch)
            if not operations:
                raise UnknownId(f"There is no batch {batch}.")
            keep_bytes(connection, [data])
            row = {"batch": batch, "path": path, "sha": sha, "at": at}
            bulk_insert(connection, RescuedRow, [row])
            actor = actor_of(operations[0].actor)
            detail: dict[str, object] = {"batch": batch, "sha": sha}
            log(connection, [Note("rescue", operations[0].home, path, actor, at, detail)])

    def keep_inverse(self, operation: str, effects: Sequence[Effect]) -> None:
        """Stores the inverse of an operation's side effects, before these are done."""
        with self._storage.writing() as connection:
            keep_inverse(connection, operation, effects)

    def settle(self, batch: str) -> None:
        """The side effects are done and the pending records retired."""
        with self._storage.writing() as connection:
            if not settle(connection, batch):
                return
            operations = members(connection, batch)
            log(connection, end_notes("settle", batch, operations, self._storage.now()))

    def decide(
        self,
        decision: Decision,
        state: State,
        from_states: Sequence[State],
        sign: Sign = unsigned,
    ) -> bool:
        """Records a decision that writes nothing to the home. False when another one won.

        A proposal that it leaves open is evaluated anew by the next pass.
        """
        table = table_of(ProposalRow)
        query = update(table).where(
            table.c.id == decision.proposal, table.c.state.in_([s.value for s in from_states])
        )
        with self._storage.writing() as connection:
            home = connection.scalar(select(table.c.home).where(table.c.id == decision.proposal))
            if home is None:
                raise UnknownId(f"There is no proposal {decision.proposal}.")
            query = query.values(state=state.value, reason=decision.reason)
            if state.is_open:
                query = query.values(evaluation_key=None)
            changed = connection.execute(query)
            if changed.rowcount != 1:
                return False
            drop_draft(connection, decision.proposal)
            decided = sealed(connection, decision, home, sign)
            bulk_insert(connection, DecisionRow, [decision_row(decided)])
            notes = [decision_note(decided, home)]
            if state is State.QUARANTINED:  # Any other reopened rejection stays one.
                notes.append(replace(notes[0], name="returned", detail={"reason": decided.reason}))
            log(connection, notes)
        return True


def _states(connection: Connection, proposals: Iterable[str]) -> dict[str, str]:
    rows = connection.execute(_THEIR_STATES, {"ids": listed(dict.fromkeys(proposals))})
    return {id: state for id, state in rows}


def _targets_not_undoable(connection: Connection, claims: Sequence[Claim]) -> set[str]:
    """The operations that these claims would undo, and cannot.

    They are undone already, or are being undone, or what would hold again was applied anew, or is
    applied by one of these claims.
    """
    table = table_of(OperationRow)
    claimed = {op.proposal for claim in claims for op in claim.operations}
    targets = [op.undoes for claim in claims for op in claim.operations if op.undoes is not None]
    undone: set[str] = set()
    for chunk in chunks(targets):
        query = select(table.c.undoes).where(
            table.c.undoes.in_(chunk), table.c.state.in_(ON_DISK), table.c.undone_by.is_(None)
        )
        undone |= set(connection.scalars(query))
    return undone | {id for id in targets if _is_applied_anew(connection, id, claimed)}


def _is_applied_anew(connection: Connection, operation: str, claimed: Collection[str]) -> bool:
    """Whether a proposal that the undo of this operation applies again is applied, or claimed."""
    undone = _operation(connection, operation).undoes
    while undone is not None:
        again = _operation(connection, undone)
        state = _states(connection, [again.proposal])[again.proposal]
        if state in _IN_FORCE or again.proposal in claimed:
            return True
        undone = None if again.undoes is None else _operation(connection, again.undoes).undoes
    return False


def _is_claimable(claim: Claim, states: dict[str, str], not_undoable: set[str]) -> bool:
    operations = claim.operations
    return (
        bool(operations)
        and all(states.get(op.proposal) in claim.from_states for op in operations)
        and not any(op.undoes in not_undoable for op in operations)
    )


def _is_fenced_off(connection: Connection, claim: Claim) -> bool:
    """Whether the policy applied something else since the allowances were counted."""
    fence = claim.fence
    if fence is None or not claim.operations:
        return False
    table = table_of(OperationRow)
    counted = select(table.c.sequence).where(table.c.id == fence.after).scalar_subquery()
    query = (
        select(ACTOR)
        .where(table.c.home == claim.operations[0].home, table.c.state.in_(ON_DISK))
        .where(table.c.sequence > func.coalesce(counted, 0), table.c.batch.not_in(fence.own))
    )
    return any(is_by_policy(actor) for actor in connection.scalars(query))


def _claim(connection: Connection, claims: Sequence[Claim]) -> None:
    """Moves the proposals to `applying`. Raises LedgerDamaged where a state changed meanwhile."""
    for claim in claims:
        ids = dict.fromkeys(operation.proposal for operation in claim.operations)
        allowed = [state.value for state in claim.from_states]
        bound = {"ids": listed(ids), "allowed": listed(allowed)}
        if connection.execute(_TAKE, bound).rowcount != len(ids):
            raise LedgerDamaged("A proposal changed its state under the write lock.")


def _store(connection: Connection, claims: Sequence[Claim], before: dict[str, str]) -> None:
    operations = [operation for claim in claims for operation in claim.operations]
    writes = [(claim.operations[0].batch, claim.writes) for claim in claims]
    for claim in claims:
        written = [data for write in claim.writes for data in (write.before, write.after) if data]
        keep_bytes(connection, _contents_of(claim))
        keep_near(connection, claim.contents, written)
    bulk_insert(connection, BatchRow, [_batch_row(claim) for claim in claims])
    bulk_insert(
        connection, OperationRow, [operation_row(op, before[op.proposal]) for op in operations]
    )
    bulk_insert(connection, ChangeRow, [row for op in operations for row in change_rows(op)])
    bulk_insert(
        connection, WriteRow, [row for batch, parts in writes for row in write_rows(batch, parts)]
    )
    decisions = [decision for claim in claims for decision in claim.decisions]
    bulk_insert(connection, DecisionRow, [decision_row(decision) for decision in decisions])
    homes = {operation.proposal: operation.home for operation in operations}
    decision_notes = [decision_note(decision, homes[decision.proposal]) for decision in decisions]
    log(connection, decision_notes + [intent_note(operation) for operation in operations])


def _contents_of(claim: Claim) -> Iterable[bytes | None]:
    for write in claim.writes:
        yield write.before
        yield write.after


def _batch_row(claim: Claim) -> dict[str, Any]:
    first = claim.operations[0]
    return {
        "id": first.batch,
        "home": first.home,
        "state": OperationState.INTENT.value,
        "started_at": first.started_at,
        "finished_at": None,
        "settled": False,
    }
