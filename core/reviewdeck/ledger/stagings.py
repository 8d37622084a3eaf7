"""What staging came to, stored with the proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, and_, bindparam, case, delete, null, text, update

from reviewdeck.ledger.bulk import Many, insert_missing
from reviewdeck.ledger.listing import OPEN_SQL
from reviewdeck.ledger.storage import chunks
from reviewdeck.ledger.tables import KinRow, ProposalRow, table_of
from reviewdeck.model import State
from reviewdeck.model.codec import findings_to_json
from reviewdeck.ports import Staging

_PROPOSAL = table_of(ProposalRow)
_STAGED = ("state", "verdict", "digest", "findings", "reason", "paths")
_DEFERRED = and_(
    _PROPOSAL.c.state == State.DEFERRED.value,
    _PROPOSAL.c.digest.is_not_distinct_from(bindparam("b_digest")),
)
_STAGE = Many(
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id == bindparam("b_id"), text(OPEN_SQL))
    .values({name: bindparam(f"b_{name}") for name in _STAGED} | {"needs": null()})
    .values(state=case((_DEFERRED, State.DEFERRED.value), else_=bindparam("b_state")))
)


def store_stagings(connection: Connection, stagings: Sequence[Staging]) -> None:
    """Stores these, in the caller's transaction; leaves proposals alone that are not open."""
    if stagings:
        _STAGE.execute(connection, [_staged(staging) for staging in stagings])
        _keep_kin(connection, stagings)


def _staged(staging: Staging) -> dict[str, Any]:
    return {
        "b_id": staging.proposal,
        "b_state": staging.state.value,
        "b_verdict": staging.verdict,
        "b_digest": staging.digest,
        "b_findings": findings_to_json(staging.findings),
        "b_reason": staging.reason,
        "b_paths": list(staging.paths),
    }


def _keep_kin(connection: Connection, stagings: Sequence[Staging]) -> None:
    table = table_of(KinRow)
    for chunk in chunks(staging.proposal for staging in stagings):
        connection.execute(delete(table).where(table.c.proposal.in_(chunk)))
    pairs = [
        {"proposal": staging.proposal, "other": other}
        for staging in stagings
        for other in dict.fromkeys(staging.kin)
    ]
    insert_missing(connection, KinRow, pairs)
