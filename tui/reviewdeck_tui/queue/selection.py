"""Which proposals a decision takes, and why it leaves others out. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

from reviewdeck.model import OUTSIDE, QueueItem, State
from reviewdeck.presentation.proposal_words import is_dangerous, wanted
from reviewdeck.presentation.words import count
from reviewdeck_tui.guard import Guard
from reviewdeck_tui.queue.view import flagged

APPROVABLE = frozenset({State.READY, State.DEFERRED, State.LIVE})

_SAMPLE: Final = 6
"""Proposals that a question names."""

_Against: TypeAlias = Callable[[QueueItem], str]
"""Why a proposal is left out; empty when it is not."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a decision is about."""

    taken: tuple[QueueItem, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many for each reason."""
    only: tuple[QueueItem, str] | None = None
    """What was left out, and why, when it is one alone."""

    @property
    def said(self) -> str:
        """What was left out, in words: ``2 dangerous, 1 not seen``."""
        return ", ".join(f"{amount} {why}" for why, amount in self.left_out.items())


def for_approval(items: Iterable[QueueItem], guard: Guard, *, by_mark: bool) -> Choice:
    """What may be approved: ready, and seen as it is now; a dangerous one only by itself."""
    return _sorted_out(items, lambda item: _against_approval(item, guard, by_mark=by_mark))


def for_claim(items: Iterable[QueueItem], guard: Guard, *, by_mark: bool) -> Choice:
    """What may be claimed as the operator's own: what is live already, and was seen as it is."""

    def against(item: QueueItem) -> str:
        if item.action != OUTSIDE:
            return "not live already"
        return _against_approval(item, guard, by_mark=by_mark)

    return _sorted_out(items, against)


def for_wide_approval(items: Iterable[QueueItem], guard: Guard) -> Choice:
    """What ``A`` takes: only what is ready, unflagged and was on the screen in full."""

    def against(item: QueueItem) -> str:
        if why := _against_approval(item, guard, by_mark=True):
            return why
        if flagged(item):
            return "flagged"
        return "" if guard.is_seen_whole(item.id, item.digest) else "not seen in full"

    return _sorted_out(items, against)


def for_rejection(items: Iterable[QueueItem], *, by_mark: bool) -> Choice:
    """What may be turned down: anything that could be read."""
    return _sorted_out(items, lambda item: _against_rejection(item, by_mark=by_mark))


def for_dismissal(items: Iterable[QueueItem]) -> Choice:
    """What ``D`` takes: what cannot be applied any more."""
    return Choice(tuple(item for item in items if item.state is State.DEAD))


def left_words(choice: Choice, lead: str = "Left out") -> str:
    """What a decision does not take."""
    return f"{lead}: {choice.said}." if choice.left_out else ""


def question(choice: Choice, noun: str) -> tuple[str, ...]:
    """What is asked before many drafts are made."""
    said = (f"Draft {count(len(choice.taken), noun)}?", left_words(choice))
    return tuple(line for line in said if line)


def sample(choice: Choice) -> tuple[str, ...]:
    """Some of the proposals that a question is about, and how many more there are."""
    said = [f"  {wanted(item)}" for item in islice(choice.taken, _SAMPLE)]
    if (more := len(choice.taken) - _SAMPLE) > 0:
        said.append(f"  and {more} more")
    return tuple(said)


def why_not(item: QueueItem, why: str) -> str:
    """What an operator can do instead."""
    match item.state:
        case State.CONFLICT:
            return "It is a conflict: m resolves it, r turns it down."
        case State.REFUSED:
            return "The policy refuses it as it is: e writes your own version, r turns it down."
        case State.DEAD:
            return "It cannot be applied any more: r turns it down, D dismisses all dead ones."
        case State.QUARANTINED:
            return (
                f"It cannot be read: `reviewdeck repair {item.id[:8]}` opens it in your editor,"
                " `reviewdeck reject` dismisses it."
            )
        case State.READY | State.DEFERRED | State.LIVE:
            return f"Not drafted: {why}."
        case _:
            return f"It is {item.state} already."


def _sorted_out(items: Iterable[QueueItem], against: _Against) -> Choice:
    taken: list[QueueItem] = []
    left_out: Counter[str] = Counter()
    last: tuple[QueueItem, str] | None = None
    for item in items:
        if why := against(item):
            left_out[why] += 1
            last = item, why
        else:
            taken.append(item)
    return Choice(tuple(taken), left_out, last if left_out.total() == 1 else None)


def _against_approval(item: QueueItem, guard: Guard, *, by_mark: bool) -> str:
    if item.state not in APPROVABLE or item.digest is None:
        return "not ready" if item.state.is_open else "decided already"
    if by_mark and is_dangerous(item):
        return "dangerous: one by one"
    return "" if guard.is_seen(item.id, item.digest) else "not seen yet"


def _against_rejection(item: QueueItem, *, by_mark: bool) -> str:
    if not item.state.is_open or item.state is State.QUARANTINED:
        return "cannot be decided"
    if by_mark and is_dangerous(item):
        return "dangerous: one by one"
    return ""
