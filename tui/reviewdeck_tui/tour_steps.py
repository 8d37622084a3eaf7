"""The steps of the tour: which are done, and what to press now. Pure.

A step is done by its outcome, never by a key: a draft, an operation in the ledger, a screen
that was open. So the steps may be done in any order, and in any way that the deck offers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final

from textual.content import Content

from reviewdeck.model import ActorKind, Draft, Event, Operation, OperationKind, OperationState, Verb
from reviewdeck_tui.keys import Keymap, key_of
from reviewdeck_tui.queue.bars import spread, styled

NAMES_FROM: Final = 118
"""Columns from which every step is named; below, only the next one is."""


class TourStep(StrEnum):
    """A step of the tour."""

    SKIM = "skim"
    MERGE = "merge"
    REJECT = "reject"
    APPLY = "apply"
    UNDO = "undo"


class TourPlace(Enum):
    """The screen in front."""

    QUEUE = auto()
    LEARNT = auto()
    REASON = auto()
    MERGE = auto()
    SUMMARY = auto()
    WRITTEN = auto()
    """The summary after its commit."""
    ELSEWHERE = auto()


@dataclass(frozen=True, slots=True)
class TourPosition:
    """The operator's position."""

    place: TourPlace
    on_conflict: bool = False
    """Whether the queue's cursor is on a conflict of texts without a draft."""
    on_undecided: bool = False
    """Whether it is on an open proposal without a draft."""
    only_conflicts: bool = False
    in_diff: bool = False
    open_places: int = 0
    """The number of unresolved conflicts of the merge in front."""
    has_both: bool = False
    """Whether both edits of the current one fit into one text."""
    against: str = ""
    """Why its result cannot be drafted; empty if it can."""
    drafts: int = 0
    has_undo: bool = False
    """Whether one of the drafts is an undo."""


def steps_done(
    drafts: Iterable[Draft], operations: Iterable[Operation], log: Iterable[Event]
) -> frozenset[TourStep]:
    """The steps whose outcome is in the drafts, the operations or the log."""
    verbs = {draft.verb.value for draft in drafts}
    verbs |= {event.name for event in log if event.actor.kind is ActorKind.OPERATOR}
    steps = {step for verb, step in _BY_VERB.items() if verb.value in verbs}
    for operation in operations:
        if operation.actor.kind is ActorKind.OPERATOR and operation.state is OperationState.DONE:
            steps.add(TourStep.UNDO if operation.kind is OperationKind.UNDO else TourStep.APPLY)
    return frozenset(steps)


_BY_VERB: Final = {Verb.REJECT: TourStep.REJECT, Verb.MERGE: TourStep.MERGE}


def next_step(done: frozenset[TourStep]) -> TourStep | None:
    """The first step that is not done; None if all are."""
    return next((step for step in TourStep if step not in done), None)


def tour_line(
    done: frozenset[TourStep], position: TourPosition, keymap: Keymap, width: int
) -> Content:
    """The bar: the steps with their progress, and what to press now. Signs repeat the colours."""
    step = next_step(done)
    if step is None:
        over = styled(" TOUR done. Explore freely; ", "ready")
        out = styled(f"f5 restarts it, {key_of('quit', keymap)} leaves and removes it.", "text")
        return spread(over + out, Content(""), width)
    number = list(TourStep).index(step) + 1
    head = styled(f" TOUR {number} of {len(TourStep)} ", "strong")
    steps = _step_names(done, step) if width >= NAMES_FROM else _signs(done, step)
    text = head + steps + styled(f" {advice(step, position, keymap)} ", "flag")
    is_exit = position.place is TourPlace.QUEUE and not position.in_diff
    restart_hint = "f5 restarts  " if width >= NAMES_FROM else ""
    quit_hint = f"{restart_hint}{key_of('quit', keymap)} leaves " if is_exit else ""
    return spread(text, styled(quit_hint, "quiet"), width)


def _step_names(done: frozenset[TourStep], current: TourStep) -> Content:
    parts = (
        styled(f" {_sign(step, done, current)} {step}", _meaning(step, done, current))
        for step in TourStep
    )
    return Content("").join(parts) + Content(" ")


def _signs(done: frozenset[TourStep], current: TourStep) -> Content:
    parts = (styled(_sign(step, done, current), _meaning(step, done, current)) for step in TourStep)
    return Content("").join(parts) + styled(f" {current}:", "strong")


def _sign(step: TourStep, done: frozenset[TourStep], current: TourStep) -> str:
    return "✓" if step in done else ">" if step is current else "·"


def _meaning(step: TourStep, done: frozenset[TourStep], current: TourStep) -> str:
    return "ready" if step in done else "strong" if step is current else "quiet"


def advice(step: TourStep, position: TourPosition, keymap: Keymap) -> str:
    """What to press now for the next step, from the operator's position."""

    def key(name: str) -> str:
        return key_of(name, keymap)

    match position.place:
        case TourPlace.REASON:
            return "a digit says why (1 to 8)"
        case TourPlace.ELSEWHERE:
            return "esc: back"
        case TourPlace.LEARNT:
            return "read what was applied automatically, then esc"
        case TourPlace.WRITTEN:
            return "saved. esc: back to the queue"
        case TourPlace.SUMMARY:
            return "read what will be written, then y"
        case TourPlace.MERGE:
            return _merge_advice(step, position, key("summary"))
        case TourPlace.QUEUE:
            return _queue_advice(step, position, keymap)


def _merge_advice(step: TourStep, position: TourPosition, summary: str) -> str:
    if step is TourStep.APPLY and position.drafts:
        return f"drafted, not written. {summary}: the summary"
    if step is not TourStep.MERGE:
        return "esc: back to the queue"
    if position.open_places:
        both = "4 both edits  " if position.has_both else ""
        return f"pick one: {both}1 base  2 live  3 proposed"
    if position.against:
        return "not possible: z undoes the pick"
    return "a drafts the result below"


def _queue_advice(step: TourStep, position: TourPosition, keymap: Keymap) -> str:
    def key(name: str) -> str:
        return key_of(name, keymap)

    match step:
        case TourStep.SKIM:
            return f"{key('lane_applied')} shows what was applied automatically"
        case TourStep.REJECT:
            reject = key("reject")
            if position.on_undecided:
                return f"{reject} rejects the one under the cursor"
            return f"{key('down')} to one without a draft, then {reject}"
        case TourStep.MERGE:
            return _conflict_advice(position, key("conflicts"), key("merge"), key("down"))
        case TourStep.APPLY:
            if position.drafts:
                return f"{key('summary')} shows all drafts together"
            return f"{key('approve')} drafts an approval first, then {key('summary')}"
        case TourStep.UNDO:
            if position.has_undo:
                return f"{key('summary')} shows the undo that you drafted"
            return f"{key('undo')} drafts the undo of what was written"


def _conflict_advice(position: TourPosition, conflicts: str, merge: str, down: str) -> str:
    if position.on_conflict:
        return f"{merge} merges the conflict under the cursor"
    if position.only_conflicts:
        return f"{down} to a replace or a patch: two texts that clash"
    return f"{conflicts} shows only the conflicts (sign #)"
