"""The past for a person: what was learnt, revisions, blame, the log."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from rich.table import Table
from rich.text import Text

from reviewdeck.engine.changes import ComposedPart, Learnt
from reviewdeck.engine.history import Blamed, modes_told
from reviewdeck.model import Actor, ActorKind, Cause, Event, Observation, Operation
from reviewdeck.policy.redact import Redaction
from reviewdeck.presentation.changes import Author, claim_words, learnt_words
from reviewdeck.presentation.proposal_words import at_local
from reviewdeck.presentation.words import age_of, count, inert, one_line, origin_word
from reviewdeck.text.inert import visible

_SIGNS = {"added": ("+ ", "green"), "removed": ("- ", "red")}
SHORT = 8


def learnt_lines(
    found: Sequence[Learnt],
    known: dict[str, Author],
    now: datetime,
    names: Mapping[str, str],
    redaction: Redaction,
    you: Actor | None = None,
    unsettled: Collection[str] = (),
) -> Iterator[Text]:
    """One composed diff per document; each change names what brought it.

    `unsettled` are the operations on probation: nobody has seen yet what they let in.
    """
    for one in found:
        home = f"{one_line(names.get(one.home, one.home))}: " if len(names) > 1 else ""
        yield Text(f"== {home}{one_line(one.document)}", style="bold")
        yield Text(f"   {learnt_words(one, you)}", style="cyan")
        if one.archived:
            continue
        for kind, rows in groupby(one.rows, key=lambda row: row.kind):
            if kind == "kept":
                yield Text(f"  ... {count(len([*rows]), 'part')} unchanged", style="dim")
            else:
                yield from _changed(kind, [*rows], known, now, redaction, unsettled)


def _changed(
    kind: str,
    rows: Sequence[ComposedPart],
    known: dict[str, Author],
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
        yield Text(f"    {brought(by, known)}, {age_of(by.at, now)} ago{state}", style="dim")


def brought(by: Observation, known: dict[str, Author]) -> str:
    """What brought a line, in a few words."""
    if by.cause is Cause.SEEN:
        return "first seen"
    if by.cause is Cause.OUTSIDE:
        return claim_words(by) or "changed outside review"
    said = [f"by {(by.proposal or '?')[:SHORT]}"]
    if author := known.get(by.proposal or ""):
        said.append(origin_word(author.origin))
        said += [f"session {one_line(author.session)}"] if author.session else []
        said += [f"turn {one_line(author.turn)}"] if author.turn else []
    actor = inert(by.actor.name) if by.actor else "somebody"
    is_rule = by.actor is not None and by.actor.kind is ActorKind.POLICY
    how = f"applied automatically ({actor})" if is_rule else f"approved by {actor}"
    return f"{', '.join(said)}; {how}, operation {(by.operation or '?')[:12]}"


def blame_lines(
    parts: Sequence[Blamed], known: dict[str, Author], now: datetime, redaction: Redaction
) -> Iterator[Text]:
    """Each part of a document below what brought it."""
    for by, group in groupby(parts, key=lambda part: part.brought_by):
        yield Text(f"-- {brought(by, known)}, {age_of(by.at, now)} ago", style="cyan")
        for part in group:
            for line in visible(redaction.text(part.text)).split("\n"):
                yield Text(f"  {line}")


def _table(*columns: str) -> Table:
    """A table whose last column takes what room there is."""
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim", padding=(0, 1, 0, 0))
    for name in columns[:-1]:
        table.add_column(name, no_wrap=True)
    table.add_column(columns[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    return table


def history_table(observations: Sequence[Observation]) -> Table:
    """The revisions of a document, oldest first."""
    table = _table("when", "revision", "how", "who", "proposal", "operation")
    for one, mode in zip(observations, modes_told(observations), strict=True):
        outside = "outside review" if mode else "changed outside review"
        how = {Cause.SEEN: "first seen", Cause.OUTSIDE: outside}
        said = "claimed" if one.claimant else how.get(one.cause, "operation")
        table.add_row(
            Text(at_local(one.at)),
            Text(one.revision[:10]),
            Text(f"{mode}, {said}" if mode else said),
            Text(inert(one.actor.name) if (one.operation or one.claimant) and one.actor else ""),
            Text((one.proposal or "")[:SHORT]),
            Text(one.operation or ""),
        )
    return table


def log_table(events: Sequence[Event], gists: Mapping[str, str]) -> Table:
    """Lines of the log, oldest first; `gists` says what a decided proposal asks for."""
    table = _table("no", "when", "what", "subject", "by whom, and what")
    for event in events:
        said = Text(inert(event.actor.name))
        if (gist := gists.get(event.subject)) is not None:
            said.append(f": {gist}")
        table.add_row(
            Text(str(event.sequence)),
            Text(at_local(event.at)),
            Text(one_line(event.name)),
            Text(one_line(event.subject)[:24]),
            said.append(_detail(event), style="dim"),
        )
    return table


def _detail(event: Event) -> str:
    """What else there is to say of an event: its plain words, and digests cut short."""
    said = ""
    for name in sorted(event.detail):
        value = event.detail[name]
        if isinstance(value, str) and value and name != "decision":
            text = inert(value[:12]) if _is_digest(value) else one_line(value)
            said += f", {inert(name)} {text}"
    return said


def _is_digest(value: str) -> bool:
    return len(value) == 64 and all(one in "0123456789abcdef" for one in value)


def operations_table(operations: Sequence[Operation], now: datetime) -> Table:
    """What was written, newest first, by the ids that `undo` takes."""
    table = _table("operation", "age", "state", "proposal", "documents")
    for one in operations:
        state = "taken back" if one.undone_by else f"{one.kind.value} {one.state.value}"
        table.add_row(
            Text(one.id),
            Text(age_of(one.started_at, now)),
            Text(state),
            Text(one.proposal[:SHORT]),
            Text(one_line(", ".join(change.path for change in one.changes))),
        )
    return table
