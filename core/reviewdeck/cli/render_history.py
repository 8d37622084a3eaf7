"""History as lines and tables: what was learnt, revisions, blame, the log, operations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from rich.table import Table
from rich.text import Text

from reviewdeck.cli.queue_page import SHORT
from reviewdeck.engine.history import Blamed, mode_changes
from reviewdeck.model import Actor, ActorKind, Cause, Event, Observation, Operation
from reviewdeck.model.changes import ComposedPart, DocumentChanges
from reviewdeck.presentation.changes import Author, allowed_words, change_summary, claim_words
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.words import age_of, count, inert, one_line, origin_word
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import Redaction

_SIGNS = {"added": ("+ ", "green"), "removed": ("- ", "red")}


def learnt_lines(
    documents: Sequence[DocumentChanges],
    authors: dict[str, Author],
    now: datetime,
    names: Mapping[str, str],
    redaction: Redaction,
    you: Actor | None = None,
    unsettled: Collection[str] = (),
) -> Iterator[Text]:
    """One composed diff per document; each change names what added it.

    `unsettled` are the operations on probation: applied automatically, and seen by nobody yet.
    """
    for document in documents:
        home = f"{one_line(names.get(document.home, document.home))}: " if len(names) > 1 else ""
        yield Text(f"== {home}{one_line(document.document)}", style="bold")
        yield Text(f"   {change_summary(document, you)}", style="cyan")
        if document.archived:
            continue
        for kind, rows in groupby(document.rows, key=lambda row: row.kind):
            if kind == "kept":
                yield Text(f"  ... {count(len([*rows]), 'part')} unchanged", style="dim")
            else:
                yield from _changed_lines(kind, [*rows], authors, now, redaction, unsettled)


def _changed_lines(
    kind: str,
    rows: Sequence[ComposedPart],
    authors: dict[str, Author],
    now: datetime,
    redaction: Redaction,
    unsettled: Collection[str],
) -> Iterator[Text]:
    sign, style = _SIGNS[kind]
    for by, group in groupby(rows, key=lambda row: row.by):
        for row in group:
            for line in visible(redaction.text(row.text)).split("\n"):
                yield Text(f"{sign}{line}", style=style)
        state = "; on probation" if by.operation in unsettled else ""
        yield Text(f"    {credit_words(by, authors)}, {age_of(by.at, now)} ago{state}", style="dim")


def credit_words(observation: Observation, authors: dict[str, Author]) -> str:
    """Who added a line and how, in a few words."""
    if observation.cause is Cause.SEEN:
        return "first seen"
    if observation.cause is Cause.OUTSIDE:
        allowed = allowed_words(observation, authors)
        return claim_words(observation) or allowed or "changed outside review"
    parts = [f"by {(observation.proposal or '?')[:SHORT]}"]
    if author := authors.get(observation.proposal or ""):
        parts.append(origin_word(author.origin))
        parts += [f"session {one_line(author.session)}"] if author.session else []
        parts += [f"turn {one_line(author.turn)}"] if author.turn else []
    actor = inert(observation.actor.name) if observation.actor else "somebody"
    is_rule = observation.actor is not None and observation.actor.kind is ActorKind.POLICY
    how = f"applied automatically ({actor})" if is_rule else f"approved by {actor}"
    return f"{', '.join(parts)}; {how}, operation {(observation.operation or '?')[:12]}"


def blame_lines(
    parts: Sequence[Blamed], authors: dict[str, Author], now: datetime, redaction: Redaction
) -> Iterator[Text]:
    """Each part of a document, below a line on who added it."""
    for by, group in groupby(parts, key=lambda part: part.added_by):
        yield Text(f"-- {credit_words(by, authors)}, {age_of(by.at, now)} ago", style="cyan")
        for part in group:
            for line in visible(redaction.text(part.text)).split("\n"):
                yield Text(f"  {line}")


def _table(*columns: str) -> Table:
    """A table whose last column takes the remaining width."""
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim", padding=(0, 1, 0, 0))
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


def log_table(events: Sequence[Event], gists: Mapping[str, str]) -> Table:
    """Lines of the log, oldest first; `gists` has the requests of decided proposals, by id."""
    table = _table("no", "when", "what", "subject", "actor and detail")
    for event in events:
        summary = Text(inert(event.actor.name))
        if (gist := gists.get(event.subject)) is not None:
            summary.append(f": {gist}")
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
