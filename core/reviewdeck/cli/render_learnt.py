"""What was learnt, and who added what, as lines. Loads no tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from rich.text import Text

from reviewdeck.cli.queue_page import SHORT
from reviewdeck.engine.history import Blamed
from reviewdeck.model import IN_YOUR_WORDS, Actor, ActorKind, Cause, Observation
from reviewdeck.model.changes import ComposedPart, DocumentChanges
from reviewdeck.presentation.changes import (
    Author,
    allowed_words,
    change_summary,
    claim_words,
    rule_words,
)
from reviewdeck.presentation.words import age_of, count, inert, one_line, origin_word
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import Redaction, redact

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
        if by.actor is not None and by.actor.name == IN_YOUR_WORDS and by.proposal in authors:
            texts = one_line(redact(" · ".join(authors[by.proposal].texts)))
            yield Text(f"    instead of the agent's: “{texts}”", style="dim")


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
    actor = observation.actor
    if actor is not None and actor.kind is ActorKind.POLICY:
        how = f"applied automatically ({rule_words(actor.name)})"
    else:
        how = f"approved by {inert(actor.name) if actor else 'somebody'}"
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
