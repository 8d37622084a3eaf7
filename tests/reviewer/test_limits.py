"""How far a review goes, and that it ends in order whatever a model does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reviewer.kit import FAST, Desk, add, call, openai_request, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.conversation import Json, MessageForm
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.exchange import ExchangeProgress
from reviewdeck.reviewer.fork import replayed
from reviewdeck.reviewer.models import Cancel
from reviewdeck.reviewer.review import ReviewRequest

LOOK = call("skills_list")


def test_a_review_has_sixteen_answers(deck: Engine) -> None:
    desk = Desk(deck)
    reviewed = desk.review([LOOK] * 99)
    assert reviewed.exchange.ending is ExchangeEnd.ITERATIONS
    assert len(desk.models[0].requests) == 16 == reviewed.run.iterations


def test_what_was_staged_before_a_limit_stays(deck: Engine) -> None:
    desk = Desk(deck, limits=replace(FAST, iterations=2))
    reviewed = desk.review([add("The linter is ruff."), *[LOOK] * 9])
    assert reviewed.run.ending == "iteration-limit" and len(deck.pending()) == 1


def test_a_review_stages_no_flood(deck: Engine) -> None:
    desk = Desk(deck, limits=replace(FAST, proposals=3))
    calls = [add(f"Fact number {n} of the harbour.")["call"][0] for n in range(9)]
    reviewed = desk.review([{"call": calls}])
    assert len(reviewed.run.proposals) == 3 and len(deck.pending()) == 3


def test_the_cap_on_tokens_counts_all_requests(deck: Engine) -> None:
    desk = Desk(deck, limits=replace(FAST, input_tokens=10_000))
    used = {"usage": {"input": 4_000}}
    reviewed = desk.review([LOOK | used] * 9)
    assert reviewed.exchange.ending is ExchangeEnd.TOKENS
    assert len(desk.models[0].requests) == 2


def test_a_conversation_over_the_cap_is_not_sent_at_all(deck: Engine) -> None:
    desk = Desk(deck, limits=ExchangeLimits(input_tokens=10))
    reviewed = desk.review([LOOK])
    assert reviewed.run.ending == "token-limit" and desk.models[0].requests == []


def test_a_review_has_a_time(deck: Engine) -> None:
    desk = Desk(deck, limits=replace(FAST, seconds=0.05))
    reviewed = desk.review([LOOK | {"wait": 0.06}] * 9)
    assert reviewed.exchange.ending is ExchangeEnd.TIME


def test_an_empty_answer_is_asked_for_again_and_then_ends_it(desk: Desk) -> None:
    reviewed = desk.review([{"say": " "}] * 9)
    assert reviewed.exchange.ending is ExchangeEnd.EMPTY
    assert len(desk.models[0].requests) == FAST.attempts
    reviewed = desk.review([{"say": ""}, {"say": "Nothing to save."}])
    assert reviewed.exchange.ending is ExchangeEnd.DONE


def test_silence_after_work_is_an_end(desk: Desk) -> None:
    reviewed = desk.review([add("The linter is ruff."), {"say": ""}])
    assert reviewed.exchange.ending is ExchangeEnd.DONE


def test_nothing_to_save_is_a_good_end(desk: Desk, deck: Engine) -> None:
    reviewed = desk.review([{"say": "Nothing to save."}])
    assert reviewed.run.ending == "done" and reviewed.run.proposals == ()
    assert deck.ledger.reviews()[0].ending == "done"


def test_cancelled_before_it_starts_it_asks_nobody(desk: Desk) -> None:
    cancel = Cancel()
    cancel()
    reviewed = desk.review([LOOK], cancel=cancel)
    assert reviewed.exchange.ending is ExchangeEnd.CANCELLED and desk.models[0].requests == []


def test_cancelled_between_two_calls_it_runs_no_more_of_them(desk: Desk, deck: Engine) -> None:
    cancel = Cancel()

    def watch(progress: ExchangeProgress) -> None:
        if progress.event == "memory":
            cancel()

    both = {"call": [*LOOK["call"], *add("x y z")["call"], *add("The linter is ruff.")["call"]]}
    desk.review([both], cancel=cancel, watch=watch)
    assert len(deck.pending()) <= 1


@pytest.mark.parametrize(
    "kind", ["rate-limit", "overloaded", "connection", "timeout", "cut-stream"]
)
def test_a_passing_failure_is_tried_again(desk: Desk, kind: str) -> None:
    reviewed = desk.review([{"fail": {"kind": kind}}, {"say": "Nothing to save."}])
    assert reviewed.exchange.ending is ExchangeEnd.DONE


def test_progress_is_told_with_iteration_tool_and_tokens(desk: Desk) -> None:
    seen: list[ExchangeProgress] = []
    desk.review([LOOK | {"usage": {"input": 70}}], watch=seen.append)
    assert [(one.iteration, one.event, one.usage.input) for one in seen] == [
        (1, "asking", 0),
        (1, "skills_list", 70),
        (2, "asking", 70),
    ]


def test_a_call_that_nobody_answered_is_left_out_of_the_replay() -> None:
    function = {"name": "terminal", "arguments": "{}"}
    open_call = {"id": "c", "type": "function", "function": function}
    messages: list[Json] = [
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": None, "tool_calls": [open_call]},
    ]
    fork = replayed(talk(openai_request(messages)), MessageForm.OPENAI, "task", ("memory",))
    # The task joins the user's message, since local models want turns to alternate.
    assert [one["role"] for one in fork.request.messages] == ["system", "user"]
    assert fork.request.messages[-1]["content"] == "Do it.\n\ntask"


def test_a_choice_that_forces_a_tool_is_left_out_and_said() -> None:
    conversation = talk(openai_request(tool_choice="required"))
    fork = replayed(conversation, MessageForm.OPENAI, "task", ("memory",))
    assert "tool_choice" not in fork.request.settings and "tool_choice" in fork.parity.note


def test_a_source_without_tools_has_no_parity_and_says_so(desk: Desk) -> None:
    request = openai_request()
    del request["tools"]
    reviewed = desk.review([], talk(request), ReviewRequest())
    assert reviewed.fork.parity.share is None
    assert "keeps no list of its tools" in reviewed.fork.parity.note
    assert len(desk.first_request.tools) == 4
