"""History as tables: revisions, the log, operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from rich.table import Table
from rich.text import Text

from reviewdeck.cli.output import stretched_table
from reviewdeck.cli.queue_page import SHORT
from reviewdeck.engine.history import mode_changes
from reviewdeck.model import IN_YOUR_WORDS, ActorKind, Cause, Event, Observation, Operation, Verb
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.words import age_of, inert, one_line


def _table(*columns: str) -> Table:
    """A table whose last column takes the remaining width."""
    table = stretched_table()
    for name in columns[:-1]:
        table.add_column(name, no_wrap=True)
    table.add_column(columns[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    return table


def history_table(observations: Sequence[Observation]) -> Table:
    """The revisions of a document, oldest first."""
    table = _table("when", "revision", "how", "who", "proposal", "operation")
    for observation, mode in zip(observations, mode_changes(observations), strict=True):
        outside = "outside review" if mode else "changed outside review"
        how = {Cause.SEEN: "first seen", Cause.OUTSIDE: outside}
        label = "claimed" if observation.claimant else how.get(observation.cause, "operation")
        table.add_row(
            Text(local_time(observation.at)),
            Text(observation.revision[:10]),
            Text(f"{mode}, {label}" if mode else label),
            Text(
                inert(observation.actor.name)
                if (observation.operation or observation.claimant) and observation.actor
                else ""
            ),
            Text((observation.proposal or "")[:SHORT]),
            Text(observation.operation or ""),
        )
    return table


_DID: Final = {
    Verb.APPROVE: "approved",
    Verb.MERGE: "merged",
    Verb.REJECT: "rejected",
    Verb.DEFER: "deferred",
    Verb.SUPERSEDE: "superseded",
    Verb.KEEP: "kept",
    Verb.CLAIM: "claimed",
    Verb.REOPEN: "reopened",
    Verb.VOTE: "voted for",
    Verb.WITHDRAW: "withdrew the vote about",
}


def decisions_table(events: Sequence[Event], gists: Mapping[str, str]) -> Table:
    """What was decided, oldest first, in words; `gists` has the requests, by proposal."""
    table = _table("when", "proposal", "operation", "what happened")
    for event in events:
        operation = event.detail.get("operation")
        table.add_row(
            Text(local_time(event.at)),
            Text(one_line(event.subject)[:SHORT] if event.name in _DID else ""),
            Text(operation if isinstance(operation, str) else ""),
            Text(_happening(event, gists.get(event.subject))),
        )
    return table


def _happening(event: Event, request: str | None) -> str:
    actor = event.actor
    by = f"by {inert(actor.name)}"
    if event.name not in _DID:
        return f"{one_line(event.name).replace('-', ' ')} {by}: {one_line(event.subject)}"
    automatically = actor.kind is ActorKind.POLICY
    did = _DID[Verb(event.name)]
    verb = _automatic(did, actor.name) if automatically else f"{did} {by}"
    if request and request.startswith("undo "):
        verb, request = f"undone {by}", request.removeprefix("undo ")
    reason = event.detail.get("reason")
    because = f" ({one_line(reason)})" if isinstance(reason, str) and reason else ""
    return f"{verb}: {request or one_line(event.subject)}{because}"


def _automatic(did: str, rule: str) -> str:
    if did == _DID[Verb.REJECT]:
        return f"{did} by your rule {inert(rule)}"
    words = " in your own words" if rule == IN_YOUR_WORDS else ""
    return f"applied automatically{words}"


def log_table(events: Sequence[Event]) -> Table:
    """Every line of the log, oldest first."""
    table = _table("no", "when", "what", "subject", "actor and detail")
    for event in events:
        summary = Text(inert(event.actor.name))
        table.add_row(
            Text(str(event.position)),
            Text(local_time(event.at)),
            Text(one_line(event.name)),
            Text(one_line(event.subject)[:24]),
            summary.append(_detail(event), style="dim"),
        )
    return table


def _detail(event: Event) -> str:
    """The text fields of an event's detail, digests abbreviated."""
    parts = ""
    for name in sorted(event.detail):
        value = event.detail[name]
        if isinstance(value, str) and value and name != "decision":
            text = inert(value[:12]) if _is_digest(value) else one_line(value)
            parts += f", {inert(name)} {text}"
    return parts


def _is_digest(value: str) -> bool:
    return len(value) == 64 and all(digit in "0123456789abcdef" for digit in value)


def operations_table(operations: Sequence[Operation], now: datetime) -> Table:
    """Operations, newest first, with the ids that `undo` takes."""
    table = _table("operation", "age", "state", "proposal", "documents")
    for operation in operations:
        state = f"{operation.kind.value} {operation.state.value}"
        if operation.undone_by:
            state = "undone"
        table.add_row(
            Text(operation.id),
            Text(age_of(operation.started_at, now)),
            Text(state),
            Text(operation.proposal[:SHORT]),
            Text(one_line(", ".join(change.path for change in operation.changes))),
        )
    return table
