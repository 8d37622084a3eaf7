"""The real libraries against a provider on the loopback: parity in bytes, faults, cancelling."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest
from tests.reviewer.kit import (
    FAST,
    add,
    anthropic_request,
    call,
    openai_request,
    talk,
)
from tests.reviewer.peer import Peer, peer
from tests.steps import Work, steps_of

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.conversation import ApiMode, Json, ReviewedConversation, Runtime
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.fork import identical_share
from reviewdeck.reviewer.models import Cancel, ModelRequest, open_model
from reviewdeck.reviewer.review import Reviewed, Reviewer, ReviewRequest

MODES = (ApiMode.CHAT, ApiMode.MESSAGES)
STREAMED = (False, True)


def runtime_of(running: Peer, mode: ApiMode, **more: Any) -> Runtime:
    """How the peer is reached."""
    provider = "anthropic" if mode is ApiMode.MESSAGES else "openai"
    base = running.url if mode is ApiMode.MESSAGES else f"{running.url}/v1"
    return Runtime(provider, "parent-model", mode, base, "key-of-nobody", timeout=60.0, **more)


def conversation_at(running: Peer, mode: ApiMode, **settings: Any) -> ReviewedConversation:
    """A conversation whose model is the peer."""
    request = anthropic_request if mode is ApiMode.MESSAGES else openai_request
    return talk(request(**settings), runtime=runtime_of(running, mode))


def review(deck: Engine, conversation: ReviewedConversation, **more: Any) -> Reviewed:
    """One review with the real library."""
    home = deck.open_homes[0].home
    return Reviewer(deck, home, open_model, limits=FAST).run(conversation, ReviewRequest(), **more)


def parents_request(running: Peer, request: Json) -> None:
    """The parent's own turn, with the same library."""
    sent = request | {"messages": request["messages"][:-1]}
    if "system" in request:
        one = anthropic.Anthropic(base_url=running.url, api_key="k", max_retries=0)
        with one:
            one.messages.create(**sent)
    else:
        two = openai.OpenAI(base_url=f"{running.url}/v1", api_key="k", max_retries=0)
        with two:
            two.chat.completions.create(**sent)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_parity_the_forks_request_is_the_parents_to_the_byte_with_messages_put_in(
    deck: Engine, mode: ApiMode
) -> None:
    request = anthropic_request() if mode is ApiMode.MESSAGES else openai_request()
    with peer({"say": "Understood."}, add("The linter is ruff."), {"say": "Done."}) as running:
        parents_request(running, request)
        reviewed = review(deck, talk(request, runtime=runtime_of(running, mode)))
        parent, first, second = running.journal
    assert identical_share(parent, first) == 1.0
    assert identical_share(first, second) == 1.0
    assert len(first) > len(parent)
    for key in ("system", "tools", "reasoning_effort", "temperature", "model"):
        assert running.requests[0].get(key) == running.requests[1].get(key)
    assert running.requests[1]["messages"][: len(request["messages"])] == request["messages"]
    assert reviewed.fork.parity.share == 1.0
    assert len(reviewed.run.proposals) == 1


def test_parity_holds_for_settings_that_the_library_does_not_know(deck: Engine) -> None:
    others: dict[str, Any] = {"reasoning": {"effort": "low"}, "provider": {"order": ["one"]}}
    with peer({"say": "Understood."}) as running:
        parents_request(running, openai_request(extra_body=others))
        runtime = runtime_of(running, ApiMode.CHAT)
        review(deck, talk(openai_request(**others), runtime=runtime))
        parent, fork = running.journal
    assert identical_share(parent, fork) == 1.0
    assert running.requests[1]["provider"] == {"order": ["one"]}


@pytest.mark.parametrize("streamed", STREAMED, ids=("whole", "streamed"))
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_review_with_a_real_library_stages_and_counts(
    deck: Engine, mode: ApiMode, streamed: bool
) -> None:
    used = {"usage": {"input": 1000, "cached": 900, "output": 30}}
    lines = (add("The linter is ruff.") | used, {"say": "One thing kept."} | used)
    with peer(*lines) as running:
        more = {"stream": True} if streamed else {}
        reviewed = review(deck, conversation_at(running, mode, **more))
    assert reviewed.run.ending == "done" and reviewed.exchange.last_words == "One thing kept."
    assert len(reviewed.run.proposals) == 1
    run = reviewed.run
    assert (run.input_tokens, run.cached_tokens, run.output_tokens) == (2000, 1800, 60)


def test_an_app_server_is_reviewed_through_the_responses_interface(deck: Engine) -> None:
    with peer(add("The linter is ruff."), {"say": "Done."}) as running:
        # A busy machine is no provider that hangs: what it is sent twice is not what is asked.
        runtime = replace(runtime_of(running, ApiMode.APP_SERVER), timeout=60.0)
        reviewed = review(deck, talk(runtime=runtime))
        first, second = running.requests
    assert len(reviewed.run.proposals) == 1
    assert first["instructions"].startswith("You are an agent.")
    assert first["store"] is False
    assert [item.get("type") for item in second["input"]][-2:] == [
        "function_call",
        "function_call_output",
    ]


def test_what_a_provider_says_it_cost_is_in_the_ledger(deck: Engine) -> None:
    line = {"say": "Nothing to save.", "usage": {"input": 10, "output": 1, "cost": 0.0125}}
    with peer(line) as running:
        review(deck, conversation_at(running, ApiMode.CHAT))
    assert deck.ledger.review_totals().cost == pytest.approx(0.0125)


@pytest.mark.parametrize("streamed", STREAMED, ids=("whole", "streamed"))
@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("fault", ["ratelimit", "overloaded", "disconnect", "malformed"])
def test_a_passing_fault_is_got_over(
    deck: Engine, mode: ApiMode, fault: str, streamed: bool
) -> None:
    more = {"stream": True} if streamed else {}
    with peer({"fault": fault}, add("The linter is ruff."), {"say": "Done."}) as running:
        reviewed = review(deck, conversation_at(running, mode, **more))
        assert len(running.journal) == 3
    assert reviewed.run.ending == "done" and len(reviewed.run.proposals) == 1


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_truncated_stream_is_asked_for_again_and_never_half_taken(
    deck: Engine, mode: ApiMode
) -> None:
    cut = add("The linter is black.") | {"fault": "truncated"}
    with peer(cut, add("The linter is ruff."), {"say": "Done."}) as running:
        reviewed = review(deck, conversation_at(running, mode, stream=True))
    (id,) = reviewed.run.proposals
    assert "ruff" in deck.find(id).gist


@pytest.mark.parametrize("fault", ["ratelimit", "disconnect", "malformed", "truncated"])
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_fault_that_stays_ends_the_review_in_order(
    deck: Engine, mode: ApiMode, fault: str
) -> None:
    with peer(*[{"fault": fault, "say": "x y z"}] * 5) as running:
        reviewed = review(deck, conversation_at(running, mode, stream=True))
        assert len(running.journal) == FAST.attempts
    assert reviewed.exchange.ending is ExchangeEnd.FAILED
    assert deck.ledger.reviews()[0].ending == "failed"


def test_a_provider_that_asks_to_wait_is_waited_for(deck: Engine) -> None:
    with peer({"fault": "ratelimit", "retry_after": 0.2}, {"say": "Done."}) as running:
        before = time.monotonic()
        reviewed = review(deck, conversation_at(running, ApiMode.CHAT))
    assert time.monotonic() - before >= 0.2
    assert reviewed.run.ending == "done"


def test_a_wait_longer_than_the_limit_is_not_waited_for(deck: Engine) -> None:
    with peer({"fault": "ratelimit", "retry_after": 3600}) as running:
        reviewed = review(deck, conversation_at(running, ApiMode.CHAT))
        assert len(running.journal) == 1
    assert reviewed.exchange.ending is ExchangeEnd.FAILED and "rate-limit" in reviewed.run.detail


def test_a_wrong_key_is_not_tried_again_and_never_shown(deck: Engine) -> None:
    with peer({"fault": "refused"}) as running:
        reviewed = review(deck, conversation_at(running, ApiMode.CHAT))
        assert len(running.journal) == 1
    assert "key-of-nobody" not in repr(reviewed)
    assert "key-of-nobody" not in reviewed.run.detail


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_slow_answer_ends_at_its_timeout(deck: Engine, mode: ApiMode) -> None:
    with peer(*[{"latency": 600}] * 3) as running:
        conversation = conversation_at(running, mode)
        hasty = replace(conversation, runtime=replace(conversation.runtime, timeout=0.2))
        reviewed = review(deck, hasty)
    assert "timeout" in reviewed.run.detail


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_cancelling_breaks_off_a_request_that_is_under_way(deck: Engine, mode: ApiMode) -> None:
    cancel = Cancel()
    with peer({"latency": 600}) as running:

        def stop() -> None:
            running.asked.wait(60)
            cancel()

        speaking = threading.Thread(target=stop)
        speaking.start()
        reviewed = review(deck, conversation_at(running, mode), cancel=cancel)
        speaking.join()
        assert running.broken_off.wait(60)
    assert reviewed.exchange.ending is ExchangeEnd.CANCELLED


def test_a_model_that_writes_no_json_is_told_so_and_ended_after_three(deck: Engine) -> None:
    bad = {"call": [{"tool": "memory", "args": "{"}]}
    with peer(*[bad] * 9) as running:
        reviewed = review(deck, conversation_at(running, ApiMode.MESSAGES, stream=True))
        assert len(running.journal) == 3
    assert reviewed.exchange.ending is ExchangeEnd.MALFORMED


def test_the_whole_conversation_reaches_the_peer_unchanged_after_a_denial(deck: Engine) -> None:
    with peer(call("terminal", command="rm -rf /"), {"say": "Sorry."}) as running:
        reviewed = review(deck, conversation_at(running, ApiMode.CHAT))
        answer = running.requests[1]["messages"][-1]
    assert answer["role"] == "tool" and "'terminal' is denied" in answer["content"]
    assert reviewed.run.denied == {"terminal": 1}


@pytest.mark.parametrize("mode", MODES)
def test_a_library_does_not_look_into_every_message(mode: ApiMode) -> None:
    with peer({"say": "Fine."}) as running:
        model = open_model(runtime_of(running, mode))

        def asking(amount: int) -> Work:
            told = [{"role": "user", "content": "Good night."}] * amount
            return lambda: model.answer(ModelRequest(tuple(told)), Cancel())

        try:
            asking(8)()  # what is loaded once is not counted
            more = steps_of(asking(1000)) - steps_of(asking(8))
        finally:
            model.close()
    assert more < 40 * 1000, "a look at each value of a message takes over a hundred steps"
