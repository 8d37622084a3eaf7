"""Where a review goes, with what, and what happens when that fails."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reviewer.kit import FAST, Desk, add, anthropic_request, openai_request, spoken, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.conversation import ApiMode, MessageForm, Runtime
from reviewdeck.reviewer.models import Route, choose
from reviewdeck.reviewer.review import ReviewRequest

PARENT = Runtime("openai", "parent-model", base_url="http://parent", api_key="live")
CHEAP = Route("other", "cheap-model", "http://cheap", "own", 7.0)


@pytest.mark.parametrize(
    "route",
    [
        None,
        Route(),
        Route("auto", "auto"),
        Route("openai", ""),
        Route("", "cheap-model"),
        Route("auto", "cheap-model"),
        Route("openai", "parent-model"),
        Route("openai", "parent-model", "http://parent"),
    ],
    ids=repr,
)
def test_without_another_model_the_parents_live_runtime_is_used_as_it_is(
    route: Route | None,
) -> None:
    found = choose(route, PARENT)
    assert not found.is_routed and found.runtime == PARENT


def test_another_model_has_its_own_place_key_and_time() -> None:
    found = choose(CHEAP, PARENT)
    assert found.is_routed
    assert found.runtime == Runtime(
        "other", "cheap-model", ApiMode.CHAT, "http://cheap", "own", timeout=7.0
    )


def test_the_same_model_elsewhere_is_another_one() -> None:
    assert choose(Route("openai", "parent-model", "http://elsewhere"), PARENT).is_routed


def test_a_mode_that_cannot_review_gives_way_to_one_that_can() -> None:
    parent = replace(PARENT, api_mode=ApiMode.APP_SERVER)
    assert choose(None, parent).runtime.api_mode is ApiMode.RESPONSES
    route = replace(CHEAP, api_mode=ApiMode.APP_SERVER)
    assert choose(route, PARENT).runtime.api_mode is ApiMode.RESPONSES
    assert choose(Route("anthropic", "m"), PARENT).runtime.api_mode is ApiMode.MESSAGES


def test_a_key_is_never_part_of_a_text() -> None:
    assert "live" not in repr(PARENT) and "own" not in repr(CHEAP)


def test_a_routed_review_gets_a_digest_and_a_system_prompt_of_its_own(deck: Engine) -> None:
    desk = Desk(deck, route=CHEAP)
    long = spoken(*(f"message {n} {'word ' * 80}" for n in range(60)))
    reviewed = desk.review([add("The linter is ruff.")], talk(openai_request(long)))
    sent = desk.first_request
    assert sent.messages[0]["role"] == "system"
    assert "You are an agent." not in str(sent.messages)
    assert sent.messages[0]["content"].startswith("You review finished conversations")
    assert sent.settings["model"] == "cheap-model"
    assert {tool["function"]["name"] for tool in sent.tools} == {
        "memory",
        "skills_list",
        "skill_view",
        "skill_manage",
    }
    run = deck.ledger.reviews()[0]
    assert run.is_routed and run.shared is None and run.saved_tokens > 1500
    assert deck.ledger.proposal(reviewed.run.proposals[0]).model == "cheap-model"


def test_a_conversation_with_anthropic_can_be_reviewed_by_another_provider(deck: Engine) -> None:
    desk = Desk(deck, route=CHEAP)
    desk.review([], talk(anthropic_request()))
    assert desk.models[0].form is MessageForm.OPENAI
    assert [one["role"] for one in desk.first_request.messages] == [
        *("system", "user", "assistant", "user", "assistant", "user")
    ]


def test_a_route_that_fails_falls_back_to_the_parents_model_and_says_so(deck: Engine) -> None:
    desk = Desk(deck, route=CHEAP, limits=FAST)
    failing = [{"fail": {"kind": "refused", "message": "no such model"}}]
    reviewer = desk.reviewer(failing, [add("The linter is ruff.")])
    reviewed = reviewer.run(talk(runtime=PARENT), ReviewRequest())
    assert [runtime.model for runtime in desk.runtimes] == ["cheap-model", "parent-model"]
    assert desk.runtimes[1].api_key == "live"
    assert desk.first_request.messages[0]["content"].startswith("You are an agent.")
    assert len(reviewed.run.proposals) == 1
    (note,) = reviewed.notes
    assert "cheap-model failed" in note and "no such model" in note
    assert deck.ledger.reviews()[0].detail == f"{note} Nothing to save."


def test_what_a_failing_route_had_staged_stays_and_is_not_staged_again(deck: Engine) -> None:
    desk = Desk(deck, route=CHEAP, limits=FAST)
    half = [add("The linter is ruff."), *[{"fail": {"kind": "connection"}}] * 9]
    reviewer = desk.reviewer(half, [add("The linter is ruff."), add("Docs are built weekly.")])
    reviewed = reviewer.run(talk(runtime=PARENT), ReviewRequest())
    assert len(reviewed.run.proposals) == 2 and len(deck.pending()) == 2


def test_a_route_that_may_not_be_replaced_is_not(deck: Engine) -> None:
    desk = Desk(deck, route=CHEAP, limits=FAST, falls_back=False)
    reviewed = desk.review([{"fail": {"kind": "refused"}}], talk(runtime=PARENT))
    assert reviewed.run.ending == "failed"
    assert [runtime.model for runtime in desk.runtimes] == ["cheap-model"]


def test_a_parent_that_fails_has_nothing_to_fall_back_to(desk: Desk) -> None:
    reviewed = desk.review([{"fail": {"kind": "refused", "message": "no credit"}}])
    assert reviewed.run.ending == "failed" and "no credit" in reviewed.run.detail
    assert len(desk.models) == 1
