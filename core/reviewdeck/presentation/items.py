"""Values as JSON: the keys that other programs rely on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from reviewdeck.model import (
    Actor,
    Decision,
    Event,
    Finding,
    Observation,
    Operation,
    QueueItem,
    State,
)
from reviewdeck.model.plain import to_plain
from reviewdeck.presentation.checks import checks_json
from reviewdeck.presentation.proposal_words import creation_time


def moment_json(moment: datetime | None) -> str | None:
    """A moment with its zone."""
    return None if moment is None else moment.isoformat()


def findings_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "code": finding.code,
            "severity": finding.severity.value,
            "message": finding.message,
            **({} if finding.at is None else {"at": moment_json(finding.at)}),
        }
        for finding in findings
    ]


def item_json(item: QueueItem, now: datetime) -> dict[str, Any]:
    """One line of the queue. A record that could not be read has no proposal."""
    return {
        "proposal": None if item.state is State.QUARANTINED else item.id,
        "id": item.id,
        "source_id": item.source_id,
        "home": item.home,
        "source": item.source,
        "kind": item.kind.value,
        "action": item.action,
        "target": item.target,
        "state": item.state.value,
        "verdict": item.verdict,
        "digest": item.digest,
        "findings": findings_json(item.findings),
        "reason": item.reason,
        "origin": item.origin,
        "gist": item.gist,
        "claim": item.summary,
        "created_at": moment_json(item.created_at),
        "ingested_at": moment_json(item.ingested_at),
        "age_seconds": max(0, int((now - creation_time(item)).total_seconds())),
        "position": item.position,
        "checks": checks_json(item.checks),
    }


def actor_json(actor: Actor | None) -> dict[str, Any] | None:
    """An actor, and how they were identified."""
    return None if actor is None else to_plain(actor)


def note_json(event: Event) -> dict[str, Any]:
    """A note that an operator wrote about a proposal."""
    return {
        "at": moment_json(event.at),
        "actor": actor_json(event.actor),
        "text": event.detail.get("text", ""),
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """A committed decision."""
    return {
        "id": decision.id,
        "proposal": decision.proposal,
        "verb": decision.verb.value,
        "actor": actor_json(decision.actor),
        "at": moment_json(decision.at),
        "digest": decision.digest,
        "reason": decision.reason,
        "policy": decision.policy or None,
    }


def operation_json(operation: Operation) -> dict[str, Any]:
    """An operation and its changes."""
    return {
        "id": operation.id,
        "batch": operation.batch,
        "kind": operation.kind.value,
        "state": operation.state.value,
        "home": operation.home,
        "proposal": operation.proposal,
        "actor": actor_json(operation.actor),
        "digest": operation.digest,
        "changes": [
            {"document": change.path, "before": change.before, "after": change.after}
            for change in operation.changes
        ],
        "started_at": moment_json(operation.started_at),
        "finished_at": moment_json(operation.finished_at),
        "undoes": operation.undoes,
        "undone_by": operation.undone_by,
    }


def observation_json(observation: Observation) -> dict[str, Any]:
    """One document at one revision, and the cause."""
    return {
        "document": observation.path,
        "revision": observation.revision,
        "at": moment_json(observation.at),
        "cause": observation.cause.value,
        "operation": observation.operation,
        "proposal": observation.proposal,
        "actor": actor_json(observation.actor),
    }


def event_json(event: Event) -> dict[str, Any]:
    """One line of the log."""
    return {
        "sequence": event.position,
        "chain": event.chain,
        "line": event.sequence,
        "at": moment_json(event.at),
        "name": event.name,
        "home": event.home,
        "subject": event.subject,
        "actor": actor_json(event.actor),
        "detail": event.detail,
        "sha": event.sha,
    }
