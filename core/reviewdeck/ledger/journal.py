"""Intents and how they end. Each step is one transaction, with its events in the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from reviewdeck.errors import LedgerDamaged, UnknownId
from reviewdeck.ledger import steps
from reviewdeck.ledger.actors import actor_of
from reviewdeck.ledger.audit import Note, log
from reviewdeck.ledger.bulk import bulk_insert
from reviewdeck.ledger.operations import (
    ACTOR,
    WENT_IN,
    SqlOperations,
    change_rows,
    decision_row,
    is_by_policy,
    operation_row,
    write_rows,
)
from reviewdeck.ledger.revisions import store_observations
from reviewdeck.ledger.sealing import sealed, sealed_claims
from reviewdeck.ledger.storage import among, chunks, keep_bytes, keep_near, listed
from reviewdeck.ledger.tables import (
    BatchRow,
    ChangeRow,
    DecisionRow,
    OperationRow,
    ProposalRow,
    RescuedRow,
    WriteRow,
    table_of,
)
from reviewdeck.model import (
    Decision,
    Effect,
    Observation,
    OperationState,
    State,
    revision_of,
)
from reviewdeck.ports import Claim, Sign, unsigned

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
        takes back an operation that is taken back already. The write lock is held from the start,
        so what is read here is what is claimed.
        """
        with self._storage.writing() as connection:
            wanted = (operation.proposal for claim in claims for operation in claim.operations)
            states = _states(connection, wanted)
            undone = _undone(connection, claims)
            claims = [claim for claim in claims if not _is_fenced_off(connection, claim)]
            before = dict(states)
            begun: list[Claim] = []
            for claim in claims:
                if _is_claimable(claim, states, undone):
                    states |= {op.proposal: State.APPLYING.value for op in claim.operations}
                    undone |= {op.undoes for op in claim.operations if op.undoes is not None}
                    begun.append(claim)
            _claim(connection, begun)
            _store(connection, sealed_claims(connection, begun, sign), before)
        return tuple(claim.operations[0].batch for claim in begun)

    def finish(self, batch: str, at: datetime, observations: Sequence[Observation]) -> None:
        """The writes are in place: operations done, proposals applied, observations stored.

        The drafts of these proposals are used up. Doing it twice is the same as once.
        """
        with self._storage.writing() as connection:
            if not steps.end(connection, batch, at, OperationState.DONE):
                return
            operations = steps.members(connection, batch)
            steps.apply(connection, batch)
            steps.link_undone(connection, operations)
            store_observations(connection, observations)
            log(connection, steps.notes("finish", batch, operations, at))

    def abandon(self, batch: str, at: datetime, state: OperationState, reason: str) -> None:
        """The writes are not in place: proposals go back to the queue, with their drafts."""
        with self._storage.writing() as connection:
            if not steps.end(connection, batch, at, state):
                return
            operations = steps.members(connection, batch)
            steps.give_back(connection, operations, state, reason)
            detail: dict[str, object] = {"state": state, "reason": reason}
            log(connection, steps.notes("abandon", batch, operations, at, detail))

    def rescue(self, batch: str, path: str, data: bytes, at: datetime) -> None:
        """Keeps bytes of a foreign writer that we displaced or would have."""
        sha = revision_of(data)
        with self._storage.writing() as connection:
            operations = steps.members(connection, batch)
            if not operations:
                raise UnknownId(f"There is no batch {batch}.")
            keep_bytes(connection, [data])
            row = {"batch": batch, "path": path, "sha": sha, "at": at}
            bulk_insert(connection, RescuedRow, [row])
            actor = actor_of(operations[0].actor)
            detail: dict[str, object] = {"batch": batch, "sha": sha}
            log(connection, [Note("rescue", operations[0].home, path, actor, at, detail)])

    def keep_inverse(self, operation: str, effects: Sequence[Effect]) -> None:
        """Stores what takes the side effects of an operation back, before they are done."""
        with self._storage.writing() as connection:
            steps.keep_inverse(connection, operation, effects)

    def settle(self, batch: str) -> None:
        """The side effects are done and the pending records retired."""
        with self._storage.writing() as connection:
            if not steps.settle(connection, batch):
                return
            operations = steps.members(connection, batch)
            log(connection, steps.notes("settle", batch, operations, self._storage.now()))

    def decide(
        self,
        decision: Decision,
        state: State,
        from_states: Sequence[State],
        sign: Sign = unsigned,
    ) -> bool:
        """Records a decision that writes nothing to the home. False when another one won."""
        table = table_of(ProposalRow)
        query = update(table).where(
            table.c.id == decision.proposal, table.c.state.in_([s.value for s in from_states])
        )
        with self._storage.writing() as connection:
            home = connection.scalar(select(table.c.home).where(table.c.id == decision.proposal))
            if home is None:
                raise UnknownId(f"There is no proposal {decision.proposal}.")
            changed = connection.execute(query.values(state=state.value, reason=decision.reason))
            if changed.rowcount != 1:
                return False
            steps.drop_draft(connection, decision.proposal)
            decided = sealed(connection, decision, home, sign)
            bulk_insert(connection, DecisionRow, [decision_row(decided)])
            log(connection, [steps.decided(decided, home)])
        return True


def _states(connection: Connection, proposals: Iterable[str]) -> dict[str, str]:
    rows = connection.execute(_THEIR_STATES, {"ids": listed(dict.fromkeys(proposals))})
    return {id: state for id, state in rows}


def _undone(connection: Connection, claims: Sequence[Claim]) -> set[str]:
    """Which of the operations that these claims take back are taken back, or about to be."""
    table = table_of(OperationRow)
    wanted = [op.undoes for claim in claims for op in claim.operations if op.undoes is not None]
    found: set[str] = set()
    for chunk in chunks(wanted):
        query = select(table.c.undoes).where(
            table.c.undoes.in_(chunk), table.c.state.in_(WENT_IN), table.c.undone_by.is_(None)
        )
        found |= set(connection.scalars(query))
    return found


def _is_claimable(claim: Claim, states: dict[str, str], undone: set[str]) -> bool:
    operations = claim.operations
    return (
        bool(operations)
        and all(states.get(op.proposal) in claim.from_states for op in operations)
        and not any(op.undoes in undone for op in operations)
    )


def _is_fenced_off(connection: Connection, claim: Claim) -> bool:
    """Whether something else went in by policy since the caps were counted."""
    fence = claim.fence
    if fence is None or not claim.operations:
        return False
    table = table_of(OperationRow)
    counted = select(table.c.sequence).where(table.c.id == fence.after).scalar_subquery()
    query = (
        select(ACTOR)
        .where(table.c.home == claim.operations[0].home, table.c.state.in_(WENT_IN))
        .where(table.c.sequence > func.coalesce(counted, 0), table.c.batch.not_in(fence.own))
    )
    return any(is_by_policy(actor) for actor in connection.scalars(query))


def _claim(connection: Connection, claims: Sequence[Claim]) -> None:
    """Takes the proposals, and makes sure that it was in a state that allows it."""
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
        keep_bytes(connection, _written(claim))
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
    made = [steps.decided(decision, homes[decision.proposal]) for decision in decisions]
    log(connection, made + [steps.begun(operation) for operation in operations])


def _written(claim: Claim) -> Iterable[bytes | None]:
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
