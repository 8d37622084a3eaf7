"""Proposals to rows and back, with what staging came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, Text, and_, bindparam, case, null, text, update

from reviewdeck.ledger.cells import dump
from reviewdeck.ledger.database import Many
from reviewdeck.ledger.judgements import store_judgements
from reviewdeck.ledger.list_sql import OPEN_SQL
from reviewdeck.ledger.tables import ProposalRow, table_of
from reviewdeck.model import ABSENT, Base, Finding, Kind, Proposal, Quarantined, State
from reviewdeck.model.codec import (
    bases_from_json,
    bases_to_json,
    edits_from_json,
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
        "state": State.READY.value,
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
        },
    }


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


def base_shas(row: Row[Any]) -> tuple[str, ...]:
    """The blobs that hold the texts of a proposal's bases."""
    return tuple(
        base["revision"]
        for base in row.body["bases"].values()
        if base["has_text"] and base["revision"] != ABSENT
    )


_PROPOSAL = table_of(ProposalRow)
READ = tuple(
    _PROPOSAL.c[name]
    for name in (
        *("position", "id", "home", "kind", "action", "target", "payload_sha", "origin", "source"),
        *("source_id", "summary", "created_at", "ingested_at", "body"),
    )
)
"""What `proposal_of` looks at: what it came to when it was evaluated is longer than all of it."""


def proposal_of(row: Row[Any], blobs: Mapping[str, bytes]) -> Proposal:
    """The proposal, with the texts of its bases."""
    body = row.body
    return Proposal(
        id=row.id,
        home=row.home,
        kind=Kind(row.kind),
        action=row.action,
        target=row.target,
        edits=edits_from_json(body["edits"]),
        payload_sha=row.payload_sha,
        origin=row.origin,
        source=row.source,
        source_id=row.source_id,
        summary=row.summary,
        created_at=row.created_at,
        ingested_at=row.ingested_at,
        bases={p: _with_text(b, blobs) for p, b in bases_from_json(body["bases"]).items()},
        session=body.get("session"),
        turn=body.get("turn"),
        tool_call=body.get("tool_call"),
        model=body.get("model"),
        provenance=body.get("provenance") or {},
        unknown_keys=tuple(body["unknown_keys"]),
        undoes=body.get("undoes"),
    )


def _with_text(base: Base, blobs: Mapping[str, bytes]) -> Base:
    if not base.has_text or base.revision == ABSENT:
        return base
    return replace(base, data=blobs[base.revision])


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
