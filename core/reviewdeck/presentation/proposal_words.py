"""A proposal in a word or a line: its glyph, its gist, when it was made."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from reviewdeck.model import UNDONE, Event, Finding, QueueItem, Severity, State
from reviewdeck.presentation.words import GLYPHS, age_of, one_line


def is_dangerous(item: QueueItem) -> bool:
    """Whether one of its findings is grave enough to be decided by itself."""
    return any(finding.severity.rank >= Severity.HIGH.rank for finding in item.findings)


def glyph_of(item: QueueItem) -> str:
    """One sign: ``!`` for what is dangerous, else the state's."""
    if item.state in (State.READY, State.LIVE) and is_dangerous(item):
        return "!"
    return GLYPHS[item.state]


def finding_count(findings: Iterable[Finding]) -> int:
    """How many different things were found: one that is said of several words counts once."""
    return len({(finding.code, finding.message) for finding in findings})


def gist(item: QueueItem) -> str:
    """What it would do beside its action and its target, in one inert line; may be empty."""
    return one_line(item.gist)


def wanted(item: QueueItem) -> str:
    """What it wants, in one inert line."""
    said = f"{one_line(item.action)} {one_line(item.target)}"
    more = gist(item)
    return f"{said}: {more}" if more else said


def claim_of(item: QueueItem) -> str:
    """What its author says of it, marked as that; empty for what was not said."""
    if not item.summary or item.state is State.QUARANTINED:
        return ""
    return f"\u201c{item.summary}\u201d, in its author's words"


def made_at(item: QueueItem) -> datetime:
    """When it was made, or first seen."""
    return item.created_at or item.ingested_at


def undone_words(item: QueueItem, now: datetime) -> str:
    """That it waits because it was undone, and since when: ``undone 2m ago``; else empty."""
    if not item.state.is_open:
        return ""
    moments = (one.at for one in item.findings if one.code == UNDONE)
    at = next(moments, None)
    return "" if at is None else f"undone {age_of(at, now)} ago"


def note_text(event: Event) -> str:
    """The words of a note."""
    return str(event.detail.get("text", ""))


def at_local(moment: datetime) -> str:
    """A moment on the operator's own clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def at_minute(moment: datetime) -> str:
    """The same to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
