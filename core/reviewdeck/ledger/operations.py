"""Operations and decisions as rows, with their actors, and queries before writing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Text, bindparam, select, type_coerce

from reviewdeck.ledger.cells import Dumped, dump, shield
from reviewdeck.ledger.database import LedgerPart, runner
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.tables import OperationRow, table_of
from reviewdeck.ledger.view_sql import actor_of, read_decisions
from reviewdeck.model import (
    Actor,
    ActorKind,
    Change,
    Decision,
    Operation,
    OperationKind,
    OperationState,
)
from reviewdeck.model.codec import (
    actor_to_json,
    effects_to_json,
    seal_to_json,
)
from reviewdeck.ports import Automatic

_KNOWN = 256


@lru_cache(maxsize=_KNOWN)
def actor_cell(actor: Actor) -> Dumped:
    """An actor as a JSON cell."""
    return Dumped(dump(actor_to_json(actor)))


ON_DISK = (OperationState.INTENT.value, OperationState.DONE.value)
"""The states of operations that are on disk, or about to be."""


class SqlOperations(LedgerPart):
    """The journal's queries before something is written."""

    def automatic_since(self, home: str, since: datetime) -> tuple[Automatic, ...]:
        """The automatic applications since a moment, oldest first."""
        with self._storage.viewing() as session, decoding("An operation"):
            rows = session.execute(_AUTOMATIC_SINCE, {"of": home, "since": since})
            return tuple(
                Automatic(proposal, at) for proposal, at, actor in rows if is_by_policy(actor)
            )

    def newest_operation(self, home: str) -> str:
        """The id of the newest operation of a home; empty when there is none."""
        table = table_of(OperationRow)
        query = select(table.c.id).where(table.c.home == home).order_by(table.c.sequence.desc())
        with self._storage.reading() as session:
            return session.scalar(query.limit(1)) or ""

    def decisions_in(self, batch: str) -> tuple[Decision, ...]:
        """The decisions that a batch was begun for, as they are stored, oldest first."""
        its = {"batch": shield(batch)}
        with self._storage.viewing() as connection, decoding("A decision"):
            return read_decisions(runner(connection), "WHERE batch = :batch", its)


_OPERATION = table_of(OperationRow)
ACTOR = type_coerce(_OPERATION.c.actor, Text).label("actor")
"""The actor as a raw cell: nearly always the same few, decoded once each."""
_AUTOMATIC_SINCE = (
    select(_OPERATION.c.proposal, _OPERATION.c.started_at, ACTOR)
    .where(_OPERATION.c.home == bindparam("of"), _OPERATION.c.started_at >= bindparam("since"))
    .where(_OPERATION.c.kind == OperationKind.APPLY.value, _OPERATION.c.state.in_(ON_DISK))
    .order_by(_OPERATION.c.started_at, _OPERATION.c.sequence)
)


def is_by_policy(actor: str) -> bool:
    """Whether a stored actor is the policy."""
    return actor_of(actor).kind is ActorKind.POLICY


def operation_row(operation: Operation, claimed_from: str) -> dict[str, Any]:
    """The row of an operation that begins."""
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
            "was_mode": change.was_mode,
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
            "was_mode": write.was_mode,
        }


def decision_row(decision: Decision) -> dict[str, Any]:
    """The row of a decision."""
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
