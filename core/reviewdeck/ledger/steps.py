"""What the end of a batch changes, row by row, and the events that go with it.

The statements are put together once: a batch ends in a few of them, and a thousand batches may
end in one run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    Select,
    Text,
    bindparam,
    delete,
    select,
    type_coerce,
    update,
)

from reviewdeck.errors import NotDecidable, UnknownId
from reviewdeck.ledger.actors import actor_of
from reviewdeck.ledger.audit import Note
from reviewdeck.ledger.tables import BatchRow, DraftRow, OperationRow, ProposalRow, table_of
from reviewdeck.model import (
    OPEN_STATES,
    Decision,
    Effect,
    Operation,
    OperationKind,
    OperationState,
    State,
)
from reviewdeck.model.codec import effects_to_json

_BATCH = table_of(BatchRow)
_OPERATION = table_of(OperationRow)
_PROPOSAL = table_of(ProposalRow)
_DRAFT = table_of(DraftRow)

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
    found = _state_of(connection, batch)
    if found != state:
        raise NotDecidable(f"Batch {batch} has ended already: {found}.")
    return False


def members(connection: Connection, batch: str) -> Sequence[Row[Any]]:
    """What the end of a batch needs of its operations, in the order in which they were given."""
    return connection.execute(_MEMBERS, {"of": batch}).all()


def apply(connection: Connection, batch: str) -> None:
    """The proposals are applied, and their drafts used up."""
    connection.execute(_APPLY, {"of": batch})
    connection.execute(_DROP_DRAFTS, {"of": batch})


def give_back(
    connection: Connection, operations: Sequence[Row[Any]], state: OperationState, reason: str
) -> None:
    """The proposals wait again."""
    moves = [
        {"of": row.proposal, "to_state": _back_to(row, state).value, "because": reason}
        for row in operations
    ]
    connection.execute(_MOVE, moves)


def link_undone(connection: Connection, operations: Sequence[Row[Any]]) -> None:
    """What is taken back is not applied any more; what that had taken back is again, and so on."""
    for row in operations:
        if row.kind != OperationKind.UNDO:
            continue
        by, undoes = row.id, row.undoes
        while undoes is not None:
            target = _operation(connection, undoes)
            connection.execute(_UNDONE_BY, {"of": target.id, "undo": by})
            if by is None:
                _move(connection, target.proposal, State.APPLIED, "")
            else:
                _move(connection, target.proposal, State.REJECTED, f"taken back by {by}")
            by, undoes = (target.id if by is None else None), target.undoes


def keep_inverse(connection: Connection, operation: str, effects: Sequence[Effect]) -> None:
    """What takes the side effects of an operation back; it is final once they are settled."""
    bound = {"operation": operation, "back": effects_to_json(effects)}
    connection.execute(_TAKES_BACK, bound)


def settle(connection: Connection, batch: str) -> bool:
    """Nothing is left to be done; False when that was so before."""
    if connection.execute(_SETTLE_BATCH, {"of": batch}).rowcount != 1:
        _state_of(connection, batch)
        return False
    connection.execute(_SETTLE_OPERATIONS, {"of": batch})
    return True


def drop_draft(connection: Connection, proposal: str) -> None:
    """The draft of a proposal is used up."""
    connection.execute(_DROP_DRAFT, {"of": proposal})


def decided(decision: Decision, home: str) -> Note:
    """The event of a decision."""
    said = {
        "digest": decision.digest,
        "reason": decision.reason,
        "text_sha": decision.text_sha,
        "policy": decision.policy,
    }
    detail: dict[str, object] = {"decision": decision.id}
    detail |= {name: value for name, value in said.items() if value}
    if decision.seal is not None:
        detail |= {"counter": decision.seal.counter, "signature": decision.seal.signature}
    return Note(decision.verb.value, home, decision.proposal, decision.actor, decision.at, detail)


def begun(operation: Operation) -> Note:
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


def notes(
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


def _back_to(row: Row[Any], state: OperationState) -> State:
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
