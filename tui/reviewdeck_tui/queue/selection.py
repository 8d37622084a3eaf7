"""The proposals that a decision takes, and why it leaves others out. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

from reviewdeck.model import OUTSIDE, QueueItem, State
from reviewdeck.presentation.proposal_words import is_dangerous, request_line
from reviewdeck.presentation.words import count, state_word
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.queue.view import is_flagged

APPROVABLE = frozenset({State.READY, State.DEFERRED, State.LIVE})

_SAMPLE: Final = 6
"""Proposals that a question names."""

_Reason: TypeAlias = Callable[[QueueItem], str]
"""The reason that a proposal is left out; empty if it is not."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The proposals that a decision takes, and the reasons for leaving others out."""

    items: tuple[QueueItem, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The number of proposals left out for each reason."""
    only: tuple[QueueItem, str] | None = None
    """The proposal left out, and why, if it is only one."""


def for_approval(items: Iterable[QueueItem], guard: Guard, *, by_mark: bool) -> Chosen:
    """The proposals that may be approved: ready, and painted as they are; a dangerous one alone."""
    return _choose(items, lambda item: _reason_against_approval(item, guard, by_mark=by_mark))


def for_claim(items: Iterable[QueueItem], guard: Guard, *, by_mark: bool) -> Chosen:
    """The proposals that may be claimed: already live, and painted as they are."""

    def reason_against(item: QueueItem) -> str:
        if item.action != OUTSIDE:
            return "not live"
        return _reason_against_approval(item, guard, by_mark=by_mark)

    return _choose(items, reason_against)


def for_wide_approval(items: Iterable[QueueItem], guard: Guard) -> Chosen:
    """The proposals that ``A`` takes: ready, unflagged, and painted in full."""

    def reason_against(item: QueueItem) -> str:
        if why := _reason_against_approval(item, guard, by_mark=True):
            return why
        if is_flagged(item):
            return "flagged"
        return "" if guard.is_seen_whole(item.id, item.digest) else "not viewed in full"

    return _choose(items, reason_against)


def for_rejection(items: Iterable[QueueItem], *, by_mark: bool) -> Chosen:
    """The proposals that may be rejected: any readable one."""
    return _choose(items, lambda item: _reason_against_rejection(item, by_mark=by_mark))


def for_dismissal(items: Iterable[QueueItem]) -> Chosen:
    """The proposals that ``D`` takes: those that can no longer be applied."""
    return Chosen(tuple(item for item in items if item.state is State.DEAD))


def left_out_reasons(choice: Chosen) -> str:
    """The reasons for leaving proposals out, as ``2 dangerous, 1 not seen``."""
    return ", ".join(f"{amount} {why}" for why, amount in choice.left_out.items())


def left_out_words(choice: Chosen, lead: str = "Skipped") -> str:
    """The proposals that a decision leaves out, in a sentence; empty for none."""
    return f"{lead}: {left_out_reasons(choice)}." if choice.left_out else ""


def question(choice: Chosen, noun: str) -> tuple[str, ...]:
    """The question before many drafts are made."""
    lines = (f"Draft {count(len(choice.items), noun)}?", left_out_words(choice))
    return tuple(line for line in lines if line)


def sample(choice: Chosen) -> tuple[str, ...]:
    """Some of the proposals of a question, and how many more there are."""
    lines = [f"  {request_line(item)}" for item in islice(choice.items, _SAMPLE)]
    if (more := len(choice.items) - _SAMPLE) > 0:
        lines.append(f"  and {more} more")
    return tuple(lines)


def why_not(item: QueueItem, why: str) -> str:
    """The operator's alternatives for a proposal that a decision does not take."""
    match item.state:
        case State.CONFLICT:
            return "It is a conflict: m resolves it, r rejects it."
        case State.REFUSED:
            return "The policy refuses it as it is: e writes your own text, r rejects it."
        case State.DEAD:
            return "This one can no longer be applied: r rejects it, D dismisses all outdated ones."
        case State.QUARANTINED:
            id = item.id[:8]
            return f"Unreadable: `reviewdeck repair {id}` opens it, `reject {id}` drops it."
        case State.READY | State.DEFERRED | State.LIVE:
            return f"Not drafted: {why}."
        case _:
            return f"It is {state_word(item.state)} already."


def _choose(items: Iterable[QueueItem], reason_against: _Reason) -> Chosen:
    items_taken: list[QueueItem] = []
    left_out: Counter[str] = Counter()
    last: tuple[QueueItem, str] | None = None
    for item in items:
        if why := reason_against(item):
            left_out[why] += 1
            last = item, why
        else:
            items_taken.append(item)
    return Chosen(tuple(items_taken), left_out, last if left_out.total() == 1 else None)


def _reason_against_approval(item: QueueItem, guard: Guard, *, by_mark: bool) -> str:
    if item.state not in APPROVABLE or item.digest is None:
        return "not ready" if item.state.is_open else "decided already"
    if by_mark and is_dangerous(item):
        return "dangerous (decide those one at a time)"
    return "" if guard.is_seen(item.id, item.digest) else "not viewed yet"


def _reason_against_rejection(item: QueueItem, *, by_mark: bool) -> str:
    if not item.state.is_open or item.state is State.QUARANTINED:
        return "cannot be decided"
    if by_mark and is_dangerous(item):
        return "dangerous (decide those one at a time)"
    return ""
