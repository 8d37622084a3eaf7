"""Where what a review proposes comes from: the conversation that it was given."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.reviewer.kit import (
    TALK,
    Desk,
    add,
    anthropic_request,
    openai_request,
    spoken,
    talk,
)

from reviewdeck.model import KnownBy, Origin, OriginClass, SeenBy
from reviewdeck.origin.said import hear
from reviewdeck.origin.sources import origin_of
from reviewdeck.ports import Trust
from reviewdeck.reviewer.conversation import Json, ReviewedConversation

FILES = (
    "You are an agent.\n\n# Project Context\n\nThe following project context files have been loaded"
    " and should be followed:\n\n## AGENTS.md\n\nUse tabs."
)


def origin(desk: Desk, conversation: ReviewedConversation) -> Origin:
    """The origin of the one thing that a review of it proposes."""
    script = [add("Tests run with nox."), {"say": "Done."}]
    (id,) = desk.review(script, conversation).run.proposals
    proposal = desk.deck.ledger.proposal(id)
    return origin_of(proposal, desk.home, desk.deck.ledger, Trust())


def with_tool(name: str, arguments: str) -> Sequence[Json]:
    function = {"name": name, "arguments": arguments}
    asked = {"id": "c1", "type": "function", "function": function}
    return [
        {"role": "user", "content": "Have a look."},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "c1", "content": "There it is."},
        *spoken(*(one["content"] for one in TALK)),
    ]


def test_a_talk_is_the_users_own(desk: Desk) -> None:
    found = origin(desk, talk(platform="cli"))
    assert (found.kind, found.known_by) == (OriginClass.USER, KnownBy.EXACT)
    assert hear(TALK[0]["content"], found.typed).said == TALK[0]["content"]
    assert found.seen["memories/MEMORY.md"].by is SeenBy.RECORD


def test_a_talk_in_anthropics_form_is_too(desk: Desk) -> None:
    assert origin(desk, talk(anthropic_request(), platform="")).kind is OriginClass.USER


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("terminal", '{"command": "ls"}', OriginClass.WORKSPACE),
        ("terminal", '{"command": "curl example.org"}', OriginClass.OUTSIDE),
        ("web_extract", '{"urls": []}', OriginClass.OUTSIDE),
        ("WebFetch", "{}", OriginClass.OUTSIDE),
    ],
)
def test_tools_of_the_talk_count(desk: Desk, tool: str, arguments: str, kind: OriginClass) -> None:
    request = openai_request(with_tool(tool, arguments))
    assert origin(desk, talk(request, platform="cli")).kind is kind


@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_files_in_its_prompt_count(desk: Desk, form: str) -> None:
    request = openai_request() if form == "openai" else anthropic_request(system=FILES)
    if form == "openai":
        request["messages"][0]["content"] = FILES
    assert origin(desk, talk(request, platform="cli")).kind is OriginClass.WORKSPACE


def test_a_talk_on_a_platform_where_others_write_is_outside(desk: Desk) -> None:
    assert origin(desk, talk(platform="telegram")).kind is OriginClass.OUTSIDE
