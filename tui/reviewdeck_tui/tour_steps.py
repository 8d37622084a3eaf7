"""The tour of `reviewdeck demo`: which steps there are, which are done, what to press now. Pure.

A step is done by what came of it, never by a key: a draft, an operation in the ledger, a screen
that was open. So the steps may be done in any order, and in any way that the deck offers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final

from textual.content import Content

from reviewdeck.model import (
    ActorKind,
    Draft,
    Event,
    Operation,
    OperationKind,
    OperationState,
    Verb,
)
from reviewdeck_tui.keys import BY_NAME, Keymap, keys_of
from reviewdeck_tui.queue.bars import spread, styled

NAMES_FROM: Final = 118
"""Columns from which every step is named; below, only the one that is next."""


class TourStep(StrEnum):
    """What the tour asks for."""

    SKIM = "skim"
    MERGE = "merge"
    REJECT = "reject"
    APPLY = "apply"
    UNDO = "undo"


class TourPlace(Enum):
    """Which screen is in front."""

    QUEUE = auto()
    LEARNT = auto()
    REASON = auto()
    MERGE = auto()
    SUMMARY = auto()
    WRITTEN = auto()
    """The summary after its commit."""
    ELSEWHERE = auto()


@dataclass(frozen=True, slots=True)
class Here:
    """Where the operator stands."""

    place: TourPlace
    on_conflict: bool = False
    """Whether the cursor of the queue is on a conflict of texts without a draft."""
    on_undecided: bool = False
    """Whether it is on a proposal that waits, without a draft."""
    only_conflicts: bool = False
    in_diff: bool = False
    open_places: int = 0
    """Of the merge that is in front."""
    against: str = ""
    """Why its result cannot be drafted; empty when it can."""
    drafts: int = 0
    has_undo: bool = False
    """Whether one of the drafts is an undo."""


def done_by(
    drafts: Iterable[Draft], operations: Iterable[Operation], log: Iterable[Event]
) -> frozenset[TourStep]:
    """The steps that drafts, operations and the log speak of."""
    verbs = {draft.verb.value for draft in drafts}
    verbs |= {event.name for event in log if event.actor.kind is ActorKind.OPERATOR}
    found = {step for verb, step in _BY_VERB.items() if verb.value in verbs}
    for one in operations:
        if one.actor.kind is ActorKind.OPERATOR and one.state is OperationState.DONE:
            found.add(TourStep.UNDO if one.kind is OperationKind.UNDO else TourStep.APPLY)
    return frozenset(found)


_BY_VERB: Final = {Verb.REJECT: TourStep.REJECT, Verb.MERGE: TourStep.MERGE}


def next_step(done: frozenset[TourStep]) -> TourStep | None:
    """The first that is not done; None when all are."""
    return next((step for step in TourStep if step not in done), None)


def tour_line(done: frozenset[TourStep], here: Here, keymap: Keymap, width: int) -> Content:
    """The bar: steps ticked off, and what to press now. A sign says what a colour says."""
    step = next_step(done)
    if step is None:
        over = styled(" TOUR done: that was all. Go on freely; ", "ready")
        out = styled(f"f5 begins anew, {_key('quit', keymap)} leaves and removes it.", "text")
        return spread(over + out, Content(""), width)
    number = list(TourStep).index(step) + 1
    head = styled(f" TOUR {number} of {len(TourStep)} ", "strong")
    steps = _named(done, step) if width >= NAMES_FROM else _signs(done, step)
    said = head + steps + styled(f" {advice(step, here, keymap)} ", "flag")
    leaves = here.place is TourPlace.QUEUE and not here.in_diff
    anew = "f5 anew  " if width >= NAMES_FROM else ""
    bye = f"{anew}{_key('quit', keymap)} leaves " if leaves else ""
    return spread(said, styled(bye, "quiet"), width)


def _named(done: frozenset[TourStep], at: TourStep) -> Content:
    parts = (styled(f" {_sign(one, done, at)} {one}", _meaning(one, done, at)) for one in TourStep)
    return Content("").join(parts) + Content(" ")


def _signs(done: frozenset[TourStep], at: TourStep) -> Content:
    parts = (styled(_sign(one, done, at), _meaning(one, done, at)) for one in TourStep)
    return Content("").join(parts) + styled(f" {at}:", "strong")


def _sign(step: TourStep, done: frozenset[TourStep], at: TourStep) -> str:
    return "✓" if step in done else ">" if step is at else "·"


def _meaning(step: TourStep, done: frozenset[TourStep], at: TourStep) -> str:
    return "ready" if step in done else "strong" if step is at else "quiet"


def _key(name: str, keymap: Keymap) -> str:
    return next(iter(keys_of(BY_NAME[name], keymap)), "?")


def advice(step: TourStep, here: Here, keymap: Keymap) -> str:
    """What to press now, for the step that is next, from where the operator stands."""

    def key(name: str) -> str:
        return _key(name, keymap)

    match here.place:
        case TourPlace.REASON:
            return "a digit says why (1 to 8)"
        case TourPlace.ELSEWHERE:
            return "esc: back"
        case TourPlace.LEARNT:
            return "read what was applied automatically, then esc"
        case TourPlace.WRITTEN:
            return "it is on disk. esc: back to the queue"
        case TourPlace.SUMMARY:
            return "read what will be written, then y"
        case TourPlace.MERGE:
            return _on_merge(step, here, key("summary"))
        case TourPlace.QUEUE:
            return _on_queue(step, here, keymap)


def _on_merge(step: TourStep, here: Here, summary: str) -> str:
    if step is TourStep.APPLY and here.drafts:
        return f"drafted, not written. {summary}: the summary"
    if step is not TourStep.MERGE:
        return "esc: back to the queue"
    if here.open_places:
        return "1 base  2 live  3 proposed: pick one"
    if here.against:
        return "not possible so: z takes the pick back"
    return "a drafts the result below"


def _on_queue(step: TourStep, here: Here, keymap: Keymap) -> str:
    def key(name: str) -> str:
        return _key(name, keymap)

    match step:
        case TourStep.SKIM:
            return f"{key('lane_applied')} shows what your agent learnt by itself"
        case TourStep.REJECT:
            reject = key("reject")
            if here.on_undecided:
                return f"{reject} turns down the one under the cursor"
            return f"{key('down')} to one without a letter, then {reject}"
        case TourStep.MERGE:
            return _to_merge(here, key("conflicts"), key("merge"), key("down"))
        case TourStep.APPLY:
            if here.drafts:
                return f"{key('summary')} shows all drafts together"
            return f"{key('approve')} drafts an approval first, then {key('summary')}"
        case TourStep.UNDO:
            if here.has_undo:
                return f"{key('summary')} shows the undo that you drafted"
            return f"{key('undo')} drafts the undo of what was written"


def _to_merge(here: Here, conflicts: str, merge: str, down: str) -> str:
    if here.on_conflict:
        return f"{merge} merges the conflict under the cursor"
    if here.only_conflicts:
        return f"{down} to a replace or a patch: two texts that clash"
    return f"{conflicts} shows the conflicts alone (sign #)"
