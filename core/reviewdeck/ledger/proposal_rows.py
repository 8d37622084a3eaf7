"""Proposals as rows, and the results of staging."""

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
"""The action of a quarantined record; no readable record can have it."""

_UNREADABLE: dict[str, Any] = {"edits": [], "bases": {}, "unknown_keys": []}


def row_of(record: Proposal | Quarantined, now: datetime) -> dict[str, Any]:
    """The row of a proposal or a quarantined record."""
    ingested = record.ingested_at or now
    common: dict[str, Any] = {
        "id": record.id,
        "home": record.home,
        "source": record.source,
        "kind": record.kind.value,
        "ingested_at": ingested,
        "payload_sha": record.payload_sha,
        "verdict": None,
        "digest": None,
        "findings": [],
        "paths": [],
        "gist": None,
        "subject": None,
    }
    if isinstance(record, Quarantined):
        return common | _quarantined_columns(record, ingested)
    return common | _proposal_columns(record, ingested)


def _proposal_columns(proposal: Proposal, ingested: datetime) -> dict[str, Any]:
    return {
        "source_id": proposal.source_id,
        "action": proposal.action,
        "target": proposal.target,
        "state": (State.LIVE if proposal.outside else State.READY).value,
        "reason": "",
        "origin": proposal.origin,
        "summary": proposal.summary,
        "created_at": proposal.created_at,
        # The creation time is the record's own claim: it cannot be later than its ingestion.
        "since": min(proposal.created_at or ingested, ingested),
        "body": {
            "edits": edits_to_json(proposal.edits),
            "bases": bases_to_json({p: replace(b, data=None) for p, b in proposal.bases.items()}),
            "session": proposal.session,
            "turn": proposal.turn,
            "tool_call": proposal.tool_call,
            "model": proposal.model,
            "provenance": dict(proposal.provenance),
            "unknown_keys": list(proposal.unknown_keys),
            "undoes": proposal.undoes,
        }
        | _outside_fields(proposal),
    }


def _outside_fields(proposal: Proposal) -> dict[str, Any]:
    """The fields that link a proposal with changes outside review.

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


def _quarantined_columns(record: Quarantined, ingested: datetime) -> dict[str, Any]:
    return {
        "source_id": None,
        "action": UNREADABLE,
        "target": record.source.rpartition("/")[2],
        "state": State.QUARANTINED.value,
        "reason": f"{record.reason}: {record.message}",
        "origin": "unknown",
        "summary": record.message,
        "gist": record.message,
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
    # Encoded and cached by the caller: nearly all of a pass are the same few.
    .values({name: bindparam(f"b_{name}", type_=Text) for name in ("findings", "paths")})
    .values(evaluation_key=null())
)
_STAYS = Many(_STAGE.where(_PROPOSAL.c.state == bindparam("b_state")))
"""With an unchanged state, so that no index and no trigger is involved."""
_MOVES = Many(
    _STAGE.where(text(OPEN_SQL), _PROPOSAL.c.state != bindparam("b_state")).values(
        state=case((_DEFERRED, State.DEFERRED.value), else_=bindparam("b_state"))
    )
)


def store_stagings(connection: Connection, stagings: Sequence[Staging]) -> None:
    """Stores stagings, in the caller's transaction; skips proposals that are not open."""
    if stagings:
        rows = [_staging_values(staging) for staging in stagings]
        _STAYS.execute(connection, rows)
        _MOVES.execute(connection, rows)
        store_judgements(connection, stagings)


def _staging_values(staging: Staging) -> dict[str, Any]:
    return {
        "b_id": staging.proposal,
        "b_state": staging.state.value,
        "b_verdict": staging.verdict,
        "b_digest": staging.digest,
        "b_findings": _findings_cell(staging.findings),
        "b_reason": staging.reason,
        "b_gist": staging.gist,
        "b_subject": staging.subject,
        "b_paths": _paths_cell(staging.paths),
    }


@lru_cache(maxsize=256)
def _findings_cell(findings: tuple[Finding, ...]) -> str:
    return dump(findings_to_json(findings))


@lru_cache(maxsize=256)
def _paths_cell(paths: tuple[str, ...]) -> str:
    return dump(list(paths))
