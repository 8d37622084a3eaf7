"""Operations and decisions as rows, with their actors, and queries before writing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from reviewdeck.ledger.audit import Note
from reviewdeck.ledger.cells import dump, moment_of, unshield
from reviewdeck.ledger.columns import actor_of
from reviewdeck.ledger.database import LedgerPart
from reviewdeck.ledger.view_sql import DECISION, OF_BATCH, OPERATION, read_decisions
from reviewdeck.model import ActorKind, Change, Decision, Operation, OperationState, RecordedChange
from reviewdeck.model.ledger import Automatic

ON_DISK = f"state IN ('{OperationState.INTENT.value}', '{OperationState.DONE.value}')"
"""The states of operations that are on disk, or about to be."""
_AUTOMATIC_SINCE = f"""
    SELECT proposal, started_at, actor FROM operation
    WHERE home = :home AND started_at >= :since AND kind = 'apply' AND {ON_DISK}
    ORDER BY started_at, sequence
"""  # noqa: S608 - constant states


class SqlOperations(LedgerPart):
    """The journal's queries before something is written."""

    def automatic_since(self, home: str, since: datetime) -> tuple[Automatic, ...]:
        """The automatic applications since a moment, oldest first."""
        with self._reading("An operation") as tx:
            return tuple(
                Automatic(unshield(proposal), moment_of(at))
                for proposal, at, actor in tx.rows(_AUTOMATIC_SINCE, {"home": home, "since": since})
                if is_by_policy(actor)
            )

    def decisions_in(self, batch: str) -> tuple[Decision, ...]:
        """The decisions that a batch was begun for, as they are stored, oldest first.

        With the votes of other operators that they rest on.
        """
        with self._reading("A decision") as tx:
            return read_decisions(tx, OF_BATCH, {"batch": batch})


def is_by_policy(actor: str) -> bool:
    """Whether a stored actor is the policy."""
    return actor_of(actor).kind is ActorKind.POLICY


def operation_row(operation: Operation, claimed_from: str) -> dict[str, Any]:
    """The row of an operation that begins."""
    return OPERATION.row(operation) | {
        "claimed_from": claimed_from,
        "state": OperationState.INTENT.value,
        "finished_at": None,
        "undone_by": None,
        "settled": False,
        "inverse": dump([]),
    }


def change_rows(operation: Operation) -> Iterable[dict[str, Any]]:
    """An operation's own changes, by revision."""
    for ordinal, change in enumerate(operation.changes):
        ends = {"before": change.before, "after": change.after}
        yield {"operation": operation.id, "ordinal": ordinal, **_place_of(change), **ends}


def write_rows(batch: str, writes: Sequence[Change]) -> Iterable[dict[str, Any]]:
    """The physical writes of a batch; their bytes are blobs."""
    for ordinal, write in enumerate(writes):
        before = None if write.before is None else write.before_revision
        after = None if write.after is None else write.after_revision
        ends = {"before": before, "after": after}
        yield {"batch": batch, "ordinal": ordinal, **_place_of(write), **ends}


def _place_of(change: Change | RecordedChange) -> dict[str, Any]:
    modes = {"mode": change.mode, "was_mode": change.was_mode}
    return {"path": change.path, "tree": change.tree, **modes}


def decision_row(decision: Decision) -> dict[str, Any]:
    """The row of a decision."""
    return DECISION.row(decision) | {
        "signer": None if decision.seal is None else decision.seal.key,
        "counter": None if decision.seal is None else decision.seal.counter,
    }


def decision_note(decision: Decision, home: str) -> Note:
    """The line of the log about a decision."""
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
