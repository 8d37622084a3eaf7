"""A proposal in a word or a line: its glyph, its gist, when it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from reviewdeck.model import (
    OUTSIDE,
    UNDONE,
    CheckName,
    Decision,
    Event,
    Finding,
    Operation,
    QueueItem,
    Severity,
    State,
    gravity_of,
)
from reviewdeck.presentation.words import GLYPHS, age_of, one_line
from reviewdeck.text.redact import redact


def is_dangerous(item: QueueItem) -> bool:
    """Whether one of its findings is grave enough to be decided by itself."""
    return gravity_of(item.findings) >= Severity.HIGH.rank


def told_once(findings: Iterable[Finding]) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """One finding for each message, with all that findings of this message quote."""
    by_message: dict[str, tuple[Finding, dict[str, None]]] = {}
    for finding in findings:
        _, quotes = by_message.setdefault(finding.message, (finding, {}))
        if finding.quote:
            quotes[finding.quote] = None
    return ((finding, tuple(quotes)) for finding, quotes in by_message.values())


def is_held_by_origin(item: QueueItem) -> bool:
    """Whether only the origin check holds an addition back, or nothing until the next `auto`."""
    return (
        item.state is State.READY
        and item.checks is not None
        and {*item.checks.failing} <= {CheckName.ORIGIN}
        and not is_dangerous(item)
    )


def is_in_other_words(item: QueueItem) -> bool:
    """Whether an addition waits only because nobody typed it in these words."""
    return is_held_by_origin(item) and item.checks is not None and item.checks.is_in_other_words


def closest_words(closest: str) -> str:
    """The typed sentence that is closest to an entry that nobody typed so: inert, redacted."""
    if not closest:
        return "no matching message from you"

    return f"closest to it, you said: “{one_line(redact(closest))}”"


def glyph_of(item: QueueItem) -> str:
    """``!`` for a dangerous proposal, else the sign of its state."""
    if item.state in (State.READY, State.LIVE) and is_dangerous(item):
        return "!"
    return GLYPHS[item.state]


def finding_count(findings: Iterable[Finding]) -> int:
    """How many different findings there are; one that applies to several words counts once."""
    return len({(finding.code, finding.message) for finding in findings})


def gist(item: QueueItem) -> str:
    """The gist of its content, in one inert line; may be empty."""
    return one_line(item.gist)


def request_line(item: QueueItem) -> str:
    """Its action, target and gist, in one inert line."""
    request = f"{one_line(item.action)} {one_line(item.target)}"
    detail = gist(item)
    return f"{request}: {detail}" if detail else request


def quoted_summary(item: QueueItem) -> str:
    """Its author's summary, quoted and attributed; empty if there is none."""
    if not item.summary or item.state is State.QUARANTINED or item.action == OUTSIDE:
        return ""  # That of a change outside review is our own.
    return f"\u201c{item.summary}\u201d, in the agent's words"


def creation_time(item: QueueItem) -> datetime:
    """When it was created, or taken in if that is unknown."""
    return item.created_at or item.ingested_at


def undone_words(item: QueueItem, now: datetime) -> str:
    """``undone 2m ago`` for a proposal that is waiting again after an undo, else empty."""
    if not item.state.is_open:
        return ""
    moments = (finding.at for finding in item.findings if finding.code == UNDONE)
    at = next(moments, None)
    return "" if at is None else f"undone {age_of(at, now)} ago"


def operation_words(operation: Operation) -> str:
    """An operation by its id, how it ended, and what undid it."""
    undone = f", undone by {operation.undone_by}" if operation.undone_by else ""
    return f"operation {operation.id}, {operation.state.value}{undone}"


def decision_words(decision: Decision) -> str:
    """Who decided what, and when; its reason stands beside it."""
    return f"{decision.verb.value} by {decision.actor.name}, {local_time(decision.at)}"


def note_author(event: Event) -> str:
    return f"by {event.actor.name}, {local_time(event.at)}"


def note_text(event: Event) -> str:
    return str(event.detail.get("text", ""))


def local_time(moment: datetime) -> str:
    """A moment in local time, to the second."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def local_clock(moment: datetime) -> str:
    """The local time of day, to the second."""
    return moment.astimezone().strftime("%H:%M:%S")


def local_minute(moment: datetime) -> str:
    """A moment in local time, to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
