"""What staging came to, stored with the proposals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Text, and_, bindparam, case, null, text, update

from reviewdeck.ledger.bulk import Many
from reviewdeck.ledger.cells import dump
from reviewdeck.ledger.judgements import store_judgements
from reviewdeck.ledger.listing import OPEN_SQL
from reviewdeck.ledger.tables import ProposalRow, table_of
from reviewdeck.model import Finding, State
from reviewdeck.model.codec import findings_to_json
from reviewdeck.ports import Staging

_PROPOSAL = table_of(ProposalRow)
_DEFERRED = and_(
    _PROPOSAL.c.state == State.DEFERRED.value,
    _PROPOSAL.c.digest.is_not_distinct_from(bindparam("b_digest")),
)
_STAGE = (
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id == bindparam("b_id"))
    .values({name: bindparam(f"b_{name}") for name in ("verdict", "digest", "reason")})
    # These come as the cells hold them: nearly all of a pass are the same few.
    .values({name: bindparam(f"b_{name}", type_=Text) for name in ("findings", "paths")})
    .values(needs=null())
)
_STAYS = Many(_STAGE.where(_PROPOSAL.c.state == bindparam("b_state")))
"""Where it stands as it stood, no index and no trigger has to hear of it."""
_MOVES = Many(
    _STAGE.where(text(OPEN_SQL), _PROPOSAL.c.state != bindparam("b_state")).values(
        state=case((_DEFERRED, State.DEFERRED.value), else_=bindparam("b_state"))
    )
)


def store_stagings(connection: Connection, stagings: Sequence[Staging]) -> None:
    """Stores these, in the caller's transaction; leaves proposals alone that are not open."""
    if stagings:
        rows = [_staged(staging) for staging in stagings]
        _STAYS.execute(connection, rows)
        _MOVES.execute(connection, rows)
        store_judgements(connection, stagings)


def _staged(staging: Staging) -> dict[str, Any]:
    return {
        "b_id": staging.proposal,
        "b_state": staging.state.value,
        "b_verdict": staging.verdict,
        "b_digest": staging.digest,
        "b_findings": _dumped(staging.findings),
        "b_reason": staging.reason,
        "b_paths": _listed(staging.paths),
    }


@lru_cache(maxsize=256)
def _dumped(findings: tuple[Finding, ...]) -> str:
    return dump(findings_to_json(findings))


@lru_cache(maxsize=256)
def _listed(paths: tuple[str, ...]) -> str:
    return dump(list(paths))
