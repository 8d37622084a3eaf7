"""A conversation like a real one, and a reviewer over a real deck whose model follows a script."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.conversation import (
    Json,
    MessageForm,
    ReviewedConversation,
    Runtime,
    conversation_of,
)
from reviewdeck.reviewer.exchange import allowed_tools, own_definitions
from reviewdeck.reviewer.models import ModelRequest, convert_tools, text_of
from reviewdeck.reviewer.review import Reviewed, Reviewer, ReviewRequest
from reviewdeck.reviewer.scripted import ScriptedModel

FAST = ExchangeLimits(backoff=0.001)

TERMINAL: Json = {
    "type": "function",
    "function": {
        "name": "terminal",
        "description": "Run a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}
TOOLS = [TERMINAL, *own_definitions(allowed_tools(memory=True, skills=True))]


def spoken(*texts: str) -> list[Json]:
    """User and assistant in turns."""
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]


TALK = spoken(
    "The tests run with nox now, not tox.",
    "Thank you, I will use nox.",
    "And please never add emojis to release notes.",
    "Understood: no emojis.",
)


def openai_request(messages: Sequence[Json] = tuple(TALK), **more: Any) -> Json:
    """A request as an agent sends it to an OpenAI-shaped provider, with the answer that came."""
    system = {"role": "system", "content": "You are an agent. Memory: Tests run with tox."}
    first: Json = {"model": "parent-model", "messages": [system, *messages], "tools": TOOLS}
    return copy.deepcopy(first) | {"temperature": 0.2, "reasoning_effort": "low"} | more


def anthropic_request(messages: Sequence[Json] = tuple(TALK), **more: Any) -> Json:
    """The same as an agent sends it to Anthropic."""
    tools = convert_tools(TOOLS, MessageForm.OPENAI, MessageForm.ANTHROPIC)
    system = [
        {
            "type": "text",
            "text": "You are an agent. Memory: Tests run with tox.",
            "cache_control": {"type": "ephemeral"},
        }
    ]
    first: Json = {"model": "parent-model", "max_tokens": 512, "system": system, "tools": tools}
    return first | {"messages": list(messages)} | more


def talk(request: Json | None = None, **about: Any) -> ReviewedConversation:
    """A conversation of a session."""
    known = {"session": "s-1", "platform": "telegram", "turn": "t-9"}
    conversation = conversation_of({"reviewdeck": known, **(request or openai_request())})
    return replace(conversation, **about)


def call(tool: str, **args: Any) -> Json:
    """One line of a script: the model calls a tool."""
    return {"call": [{"tool": tool, "args": args}]}


def add(content: str, target: str = "memory") -> Json:
    """It adds an entry."""
    return call("memory", action="add", target=target, content=content)


class Desk:
    """A reviewer over a deck, whose models follow scripts."""

    def __init__(self, deck: Engine, **options: Any) -> None:
        self.deck = deck
        self.models: list[ScriptedModel] = []
        self.runtimes: list[Runtime] = []
        self.home = deck.open_homes[0].home
        self.options: dict[str, Any] = {"limits": FAST, **options}

    def review(
        self,
        script: Sequence[Mapping[str, Any]],
        conversation: ReviewedConversation | None = None,
        wanted: ReviewRequest | None = None,
        **more: Any,
    ) -> Reviewed:
        """One review, with one script for whoever is asked."""
        return self.reviewer(script).run(conversation or talk(), wanted or ReviewRequest(), **more)

    def reviewer(self, *scripts: Sequence[Mapping[str, Any]]) -> Reviewer:
        """A reviewer: each model that is opened follows the next script."""
        left = list(scripts)

        def opened(runtime: Runtime) -> ScriptedModel:
            script = left.pop(0) if len(left) > 1 else left[0]
            form = (
                MessageForm.ANTHROPIC
                if runtime.api_mode == "anthropic_messages"
                else MessageForm.OPENAI
            )
            self.models.append(ScriptedModel(script, form))
            self.runtimes.append(runtime)
            return self.models[-1]

        return Reviewer(self.deck, self.home, opened, **self.options)

    @property
    def first_request(self) -> ModelRequest:
        """What the last model was asked first."""
        return self.models[-1].requests[0]

    @property
    def final_message(self) -> str:
        """The last message of that."""
        return text_of(self.first_request.messages[-1]["content"])


def answers(reviewed: Reviewed) -> list[Json]:
    """What the tools answered, in order."""
    return [json.loads(one.text) for one in reviewed.exchange.handled]
