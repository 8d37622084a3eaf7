"""What the bar of the tour says: from facts, never from keys."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reviewdeck.model import (
    Actor,
    ActorKind,
    Draft,
    Event,
    Operation,
    OperationKind,
    OperationState,
    Verb,
)
from reviewdeck_tui.tour_steps import (
    TourPlace,
    TourPosition,
    TourStep,
    next_step,
    steps_done,
    tour_line,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DANA = Actor(ActorKind.OPERATOR, "dana")
RULE = Actor(ActorKind.POLICY, "memory-addition")
QUEUE = TourPosition(TourPlace.QUEUE, on_undecided=True)


def draft(verb: Verb) -> Draft:
    """A draft about some proposal."""
    return Draft("p1", verb, None, NOW)


def operation(
    actor: Actor = DANA,
    kind: OperationKind = OperationKind.APPLY,
    state: OperationState = OperationState.DONE,
) -> Operation:
    """Something that was written."""
    return Operation("o1", "b1", kind, state, "home", "p1", actor, "0" * 64, (), NOW)


def event(name: str, actor: Actor = DANA) -> Event:
    """A line of the log."""
    return Event(1, NOW, name, "home", "p1", actor)


def said(*done: TourStep, here: TourPosition = QUEUE, width: int = 80, **keys: str) -> str:
    """The bar in plain text."""
    return tour_line(frozenset(done), here, keys, width).plain


def test_a_draft_ticks_its_step_off_and_so_does_what_became_of_it() -> None:
    assert steps_done([draft(Verb.REJECT), draft(Verb.MERGE)], [], []) == {
        TourStep.REJECT,
        TourStep.MERGE,
    }
    assert steps_done([], [], [event("reject"), event("merge")]) == {
        TourStep.REJECT,
        TourStep.MERGE,
    }
    assert steps_done([draft(Verb.APPROVE)], [], []) == frozenset()


def test_only_what_the_operator_wrote_counts_as_applied() -> None:
    assert steps_done([], [operation(RULE)], [event("reject", RULE)]) == frozenset()
    assert steps_done([], [operation(state=OperationState.ABANDONED)], []) == frozenset()
    assert steps_done([], [operation()], []) == {TourStep.APPLY}
    assert steps_done([], [operation(kind=OperationKind.UNDO)], []) == {TourStep.UNDO}


def test_the_steps_may_be_done_in_any_order() -> None:
    assert next_step(frozenset({TourStep.REJECT, TourStep.MERGE})) is TourStep.SKIM
    assert next_step(frozenset(TourStep)) is None
    bar = said(TourStep.MERGE, TourStep.APPLY)
    assert bar.startswith(" TOUR 1 of 5 >✓·✓· skim: 2 shows")


def test_a_sign_says_which_steps_are_done() -> None:
    wide = said(TourStep.SKIM, width=120)
    assert "✓ skim > merge · reject · apply · undo" in wide


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("place", list(TourPlace))
@pytest.mark.parametrize("done", range(6))
def test_every_advice_fits(done: int, place: TourPlace, width: int) -> None:
    for flag in (False, True):
        here = TourPosition(
            place,
            on_conflict=flag,
            on_undecided=flag,
            only_conflicts=flag,
            open_places=int(flag),
            against="" if flag else "it is live already",
            drafts=int(flag),
            has_undo=flag,
        )
        line = tour_line(frozenset(list(TourStep)[:done]), here, {}, width)
        assert line.cell_length <= width and "…" not in line.plain and "\n" not in line.plain


def test_an_operators_own_keys_are_named() -> None:
    assert "x rejects" in said(TourStep.SKIM, TourStep.MERGE, reject="x,ctrl+x")
    assert "Z leaves" in said(quit="Z")


def test_what_cannot_be_drafted_is_not_asked_for() -> None:
    here = TourPosition(TourPlace.MERGE, against="this is what is live already")
    assert "z undoes the pick" in said(TourStep.SKIM, TourStep.REJECT, here=here)
    here = TourPosition(TourPlace.MERGE, open_places=2)
    assert "pick one" in said(TourStep.SKIM, TourStep.REJECT, here=here)
    assert "both edits" not in said(TourStep.SKIM, TourStep.REJECT, here=here)
    here = TourPosition(TourPlace.MERGE, open_places=2, has_both=True)
    assert "4 both edits" in said(TourStep.SKIM, TourStep.REJECT, here=here)


def test_the_end_is_said_and_leaves_the_operator_free() -> None:
    words = " TOUR done. Explore freely; f5 restarts it, q leaves and removes it."
    assert said(*TourStep).rstrip() == words
