"""Proposals to rows and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from reviewdeck.model import ABSENT, Base, Kind, Proposal, Quarantined, State
from reviewdeck.model.codec import bases_from_json, bases_to_json, edits_from_json, edits_to_json

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
