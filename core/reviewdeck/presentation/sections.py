"""The sections of the queue: proposals that wait for the same kind of reason, the gravest first."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from reviewdeck.model import QueueItem, State
from reviewdeck.presentation.proposal_words import is_dangerous
from reviewdeck.values import dataclass


class Section(IntEnum):
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
    Section.LIVE_DANGEROUS: Title("!", "Live and dangerous", "already in effect: keep or revert"),
    Section.STOPPED: Title("!", "Stopped", "attacks that the policy refuses"),
    Section.DANGEROUS: Title("!", "Dangerous", "look closely, one at a time"),
    Section.CONFLICTS: Title("#", "Conflicts", "the same text was changed meanwhile"),
    Section.LIVE: Title("*", "Already live", "changed outside reviewdeck: keep or revert"),
    Section.TO_DECIDE: Title("+", "To decide", "not approved automatically"),
    Section.DEFERRED: Title("~", "Deferred", "put aside for later"),
    Section.OUTDATED: Title("x", "Outdated", "can no longer be applied"),
    Section.UNREADABLE: Title("?", "Unreadable", "records that reviewdeck leaves alone"),
    Section.DECIDED: Title("=", "Decided", "applied, rejected or decided elsewhere"),
}

_BY_STATE: Final = {
    State.REFUSED: Section.STOPPED,
    State.CONFLICT: Section.CONFLICTS,
    State.DEFERRED: Section.DEFERRED,
    State.DEAD: Section.OUTDATED,
    State.QUARANTINED: Section.UNREADABLE,
}


def section_of(state: State, *, dangerous: bool) -> Section:
    """The section of a proposal in this state."""
    if state is State.LIVE:
        return Section.LIVE_DANGEROUS if dangerous else Section.LIVE
    if state is State.READY:
        return Section.DANGEROUS if dangerous else Section.TO_DECIDE
    return _BY_STATE.get(state, Section.DECIDED)


def section_of_item(item: QueueItem) -> Section:
    """The section of a proposal."""
    return section_of(item.state, dangerous=is_dangerous(item))
