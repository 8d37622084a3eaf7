"""The sections of the queue: proposals that wait for the same kind of reason, the gravest first."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from reviewdeck.model import QueueItem, State
from reviewdeck.presentation.proposal_words import is_dangerous
from reviewdeck.values import dataclass


class QueueSection(IntEnum):
    """A part of the queue, in the order in which a person should look at it."""

    LIVE_DANGEROUS = 0
    STOPPED = 1
    DANGEROUS = 2
    CONFLICTS = 3
    LIVE = 4
    TO_DECIDE = 5
    DEFERRED = 6
    OUTDATED = 7
    UNREADABLE = 8
    DECIDED = 9


@dataclass(frozen=True, slots=True)
class Title:
    """The heading of a section."""

    sign: str
    name: str
    words: str
    """Why these proposals wait, for a person who sees the queue for the first time."""


TITLES: Final = {
    QueueSection.LIVE_DANGEROUS: Title(
        "!", "Live and dangerous", "already in effect: keep or revert"
    ),
    QueueSection.STOPPED: Title("!", "Stopped", "attacks that the policy refuses"),
    QueueSection.DANGEROUS: Title("!", "Dangerous", "look closely, one at a time"),
    QueueSection.CONFLICTS: Title("#", "Conflicts", "the same text was changed meanwhile"),
    QueueSection.LIVE: Title("*", "Already live", "changed outside reviewdeck: keep or revert"),
    QueueSection.TO_DECIDE: Title("+", "To decide", "not approved automatically"),
    QueueSection.DEFERRED: Title("~", "Deferred", "put aside for later"),
    QueueSection.OUTDATED: Title("x", "Outdated", "can no longer be applied"),
    QueueSection.UNREADABLE: Title("?", "Unreadable", "records that reviewdeck leaves alone"),
    QueueSection.DECIDED: Title("=", "Decided", "applied, rejected or decided elsewhere"),
}

_BY_STATE: Final = {
    State.REFUSED: QueueSection.STOPPED,
    State.CONFLICT: QueueSection.CONFLICTS,
    State.DEFERRED: QueueSection.DEFERRED,
    State.DEAD: QueueSection.OUTDATED,
    State.QUARANTINED: QueueSection.UNREADABLE,
}


def section_of(state: State, *, dangerous: bool) -> QueueSection:
    """The section of a proposal in this state."""
    if state is State.LIVE:
        return QueueSection.LIVE_DANGEROUS if dangerous else QueueSection.LIVE
    if state is State.READY:
        return QueueSection.DANGEROUS if dangerous else QueueSection.TO_DECIDE
    return _BY_STATE.get(state, QueueSection.DECIDED)


def section_of_item(item: QueueItem) -> QueueSection:
    """The section of a proposal."""
    return section_of(item.state, dangerous=is_dangerous(item))
