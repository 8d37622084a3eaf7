"""Proposals to rows, with what staging came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Text, and_, bindparam, case, null, text, update

from reviewdeck.ledger.cells import dump
from reviewdeck.ledger.database import Many
from reviewdeck.ledger.judgements import store_judgements
from reviewdeck.ledger.list_sql import OPEN_SQL
from reviewdeck.ledger.tables import ProposalRow, table_of
from reviewdeck.model import Finding, Proposal, Quarantined, State
from reviewdeck.model.codec import (
    bases_to_json,
    edits_to_json,
    findings_to_json,
)
from reviewdeck.ports import Staging

UNREADABLE = "unreadable"
"""What stands for the action of a quarantined record; no record can have it."""

_UNREADABLE: dict[str, Any] = {"edits": [], "bases": {}, "unknown_keys": []}


def row_of(found: Proposal | Quarantined, now: datetime) -> dict[str, Any]:
    """What the table stores of a record that was found."""
    ingested = found.ingested_at or now
    common: dict[str, Any] = {
        "id": found.id,
        "home": found.home,
        "source": found.source,
        "kind": found.kind.value,
        "ingested_at": ingested,
        "payload_sha": found.payload_sha,
        "verdict": None,
        "digest": None,
        "findings": [],
        "paths": [],
        "gist": None,
        "subject": None,
    }
    if isinstance(found, Quarantined):
        return common | _quarantined(found, ingested)
    return common | _readable(found, ingested)


def _readable(found: Proposal, ingested: datetime) -> dict[str, Any]:
    return {
        "source_id": found.source_id,
        "action": found.action,
        "target": found.target,
        "state": (State.LIVE if found.outside else State.READY).value,
        "reason": "",
        "origin": found.origin,
        "summary": found.summary,
        "created_at": found.created_at,
        # When it was made is the record's own claim: it cannot be later than when we saw it.
        "since": min(found.created_at or ingested, ingested),
        "body": {
            "edits": edits_to_json(found.edits),
            "bases": bases_to_json({p: replace(b, data=None) for p, b in found.bases.items()}),
            "session": found.session,
            "turn": found.turn,
            "tool_call": found.tool_call,
            "model": found.model,
            "provenance": dict(found.provenance),
            "unknown_keys": list(found.unknown_keys),
            "undoes": found.undoes,
        }
        | _outside(found),
    }


def _outside(proposal: Proposal) -> dict[str, Any]:
    """What a proposal has to do with changes outside review.

    Empty for all other proposals, so that the sums of earlier rows stay what they are.
    """
    fields: dict[str, Any] = {}
    if proposal.outside:
        fields["outside"] = [
            [change.path, change.before, change.after, *([change.modes] if change.modes else [])]
            for change in proposal.outside
        ]
    if proposal.takes_back is not None:
        fields["takes_back"] = proposal.takes_back
    return fields


def _quarantined(found: Quarantined, ingested: datetime) -> dict[str, Any]:
    return {
        "source_id": None,
        "action": UNREADABLE,
        "target": found.source.rpartition("/")[2],
        "state": State.QUARANTINED.value,
        "reason": f"{found.reason}: {found.message}",
        "origin": "unknown",
        "summary": found.message,
        "gist": found.message,
        "created_at": None,
        "since": ingested,
        "body": _UNREADABLE,
    }


_PROPOSAL = table_of(ProposalRow)
_DEFERRED = and_(
    _PROPOSAL.c.state == State.DEFERRED.value,
    _PROPOSAL.c.digest.is_not_distinct_from(bindparam("b_digest")),
)
_PLAIN = ("verdict", "digest", "reason", "gist", "subject")
_STAGE = (
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id == bindparam("b_id"))
    .values({name: bindparam(f"b_{name}") for name in _PLAIN})
    # These come as the cells hold them: nearly all of a pass are the same few.
    .values({name: bindparam(f"b_{name}", type_=Text) for name in ("findings", "paths")})
    .values(evaluation_key=null())
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
        "b_gist": staging.gist,
        "b_subject": staging.subject,
        "b_paths": _listed(staging.paths),
    }


@lru_cache(maxsize=256)
def _dumped(findings: tuple[Finding, ...]) -> str:
    return dump(findings_to_json(findings))


@lru_cache(maxsize=256)
def _listed(paths: tuple[str, ...]) -> str:
    return dump(list(paths))
