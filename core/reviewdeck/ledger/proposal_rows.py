"""Proposals as rows, and the results of staging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from reviewdeck.ledger.cells import dump
from reviewdeck.ledger.database import Transaction, Values
from reviewdeck.ledger.list_sql import OPEN_SQL
from reviewdeck.ledger.row_sums import marks_cell
from reviewdeck.model import UNDONE, Finding, Proposal, Quarantined, State, gravity_of
from reviewdeck.model.codec import (
    answers_to_json,
    bases_to_json,
    edits_to_json,
    findings_to_json,
    judgement_to_json,
)
from reviewdeck.model.ledger import Staging, bounded_key

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
        "session": None,
        "gravity": 0,
    }
    if isinstance(record, Quarantined):
        return common | _quarantined_columns(record, ingested)
    return common | _proposal_columns(record, ingested)


def cells_of(row: Mapping[str, Any]) -> Values:
    """A row of `row_of` as it is stored."""
    return {**row, **{name: dump(row[name]) for name in ("findings", "paths", "body")}}


def _proposal_columns(proposal: Proposal, ingested: datetime) -> dict[str, Any]:
    return {
        "source_id": proposal.source_id and bounded_key(proposal.source_id),
        "action": proposal.action,
        "target": proposal.target,
        "state": (State.LIVE if proposal.outside else State.READY).value,
        "reason": "",
        "origin": proposal.origin,
        "session": proposal.session and bounded_key(proposal.session),
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
    """The fields that link a proposal with changes outside review, and name an operator's own.

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
    if proposal.author:
        fields["author"] = proposal.author
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


_STAGED = (
    "verdict = :verdict, digest = :digest, findings = :findings, reason = :reason, gist = :gist,"
    " subject = :subject, paths = :paths, gravity = :gravity, evaluation_key = NULL"
)
_STAYS = f"UPDATE proposal SET {_STAGED} WHERE id = :id AND state = :state"  # noqa: S608 - constant
"""With an unchanged state, so that no index and no trigger is involved."""
_CHANGES = f"""
    UPDATE proposal SET {_STAGED}, state = CASE
        WHEN state = 'deferred' AND coalesce(digest, '') = coalesce(:digest, '')
        THEN 'deferred' ELSE :state END
    WHERE id = :id AND state <> :state AND {OPEN_SQL}
"""  # noqa: S608 - constant states
"""A deferred proposal comes back when its digest is another: what it would do has changed."""


_PUT_JUDGEMENT = f"""
    INSERT INTO judgement (proposal, policy, is_settled, marks, body)
    SELECT id, :policy, CAST(:is_settled AS BOOLEAN), :marks, :body
    FROM proposal WHERE id = :proposal AND {OPEN_SQL}
    ON CONFLICT (proposal) DO UPDATE SET
        policy = excluded.policy, is_settled = excluded.is_settled,
        marks = excluded.marks, body = excluded.body
"""  # noqa: S608 - constant states
"""A decided proposal keeps the judgement that it was decided by."""
_PUT_MARKS = "UPDATE judgement SET marks = :marks WHERE proposal = :proposal"


def store_stagings(tx: Transaction, stagings: Sequence[Staging]) -> None:
    """Stores stagings, in the caller's transaction; skips proposals that are not open."""
    if stagings:
        rows = [_staging_values(staging) for staging in stagings]
        tx.many(_STAYS, rows)
        tx.many(_CHANGES, rows)
        _store_judgements(tx, stagings)


def _store_judgements(tx: Transaction, stagings: Sequence[Staging]) -> None:
    """Stores the judgements of these stagings, in the caller's transaction.

    A proposal that was applied and undone keeps the judgement it was applied by:
    `log --verify` checks the decision against it. Lists show its six answers as they are now.
    """
    judged = [
        {
            "proposal": staging.proposal,
            "policy": staging.judged_by,
            "is_settled": staging.judgement.origin is None or staging.judgement.origin.is_settled,
            "marks": marks_cell(answers_to_json(staging.judgement.marks), staging.gist),
            "body": dump(judgement_to_json(staging.judgement)),
        }
        for staging in stagings
        if staging.judgement is not None
    ]
    undone = {
        staging.proposal for staging in stagings if any(f.code == UNDONE for f in staging.findings)
    }
    if rows := [row for row in judged if row["proposal"] not in undone]:
        tx.many(_PUT_JUDGEMENT, rows)
    if rows := [row for row in judged if row["proposal"] in undone]:
        tx.many(_PUT_MARKS, rows)


def _staging_values(staging: Staging) -> dict[str, Any]:
    return {
        "id": staging.proposal,
        "state": staging.state.value,
        "verdict": staging.verdict,
        "digest": staging.digest,
        "findings": _findings_cell(staging.findings),
        "reason": staging.reason,
        "gist": staging.gist,
        "subject": staging.subject,
        "paths": _paths_cell(staging.paths),
        "gravity": gravity_of(staging.findings),
    }


@lru_cache(maxsize=256)
def _findings_cell(findings: tuple[Finding, ...]) -> str:
    return dump(findings_to_json(findings))


@lru_cache(maxsize=256)
def _paths_cell(paths: tuple[str, ...]) -> str:
    return dump(list(paths))
