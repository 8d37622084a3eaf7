"""The first request of a review: the conversation to the letter, or a digest of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from reviewdeck.reviewer.digest import digest
from reviewdeck.reviewer.models import Request
from reviewdeck.reviewer.prompts import Prompts
from reviewdeck.reviewer.tools import MANAGE, MEMORY, VIEW, own_definitions
from reviewdeck.reviewer.values import Conversation, Form, Json, Runtime, Said
from reviewdeck.reviewer.wire import (
    convert,
    convert_tools,
    read,
    tool_name,
    without_open_calls,
    write,
)

ANSWER_TOKENS: Final = 8192
"""What an answer may have where the conversation does not say: Anthropic wants to be told."""

NEEDED: Final = (MEMORY, MANAGE, VIEW)
"""Tools without which a review can propose nothing."""


@dataclass(frozen=True, slots=True)
class Parity:
    """How much of the parent's last request the fork sends again, byte for byte."""

    share: float | None
    """0 to 1; None when it cannot be told."""
    note: str
    """Why it is not all of it."""


@dataclass(frozen=True, slots=True)
class Fork:
    """What a review sends first."""

    request: Request
    parity: Parity
    folded: int = 0
    """Messages that a digest put into one."""
    characters_saved: int = 0
    """What the digest left out of the messages."""


def replayed(conversation: Conversation, form: Form, task: str, allowed: tuple[str, ...]) -> Fork:
    """The whole conversation with one more user message: nothing before that message is changed."""
    messages = without_open_calls(conversation.messages, conversation.form)
    offered, note = _offered(conversation, form, allowed)
    settings = dict(conversation.settings)
    if _forces_a_tool(settings.get("tool_choice")):
        del settings["tool_choice"]
        note = note or "tool_choice forced a tool, and was left out."
    system, spoken = convert(messages, conversation.form, form)
    if conversation.form is not form:
        note = "The model is spoken to in another form than the conversation was."
        settings = {}
        if conversation.system is not None:
            spoken = [{"role": "system", "content": _plain(conversation.system)}, *spoken]
    else:
        system = conversation.system
    request = Request((*spoken, *_asked(task, form)), system, tuple(offered), settings)
    return Fork(request, _parity(conversation, request, note))


def digested(
    conversation: Conversation,
    runtime: Runtime,
    form: Form,
    task: str,
    allowed: tuple[str, ...],
    prompts: Prompts,
) -> Fork:
    """The conversation in short, with a system prompt and tools of our own."""
    whole = without_open_calls(conversation.messages, conversation.form)
    short = digest(whole, conversation.form)
    _, spoken = convert(short.messages, conversation.form, form)
    settings: dict[str, Any] = {"model": runtime.model}
    first: list[Json] = []
    if form is Form.ANTHROPIC:
        settings["max_tokens"] = ANSWER_TOKENS
    else:
        first = [{"role": "system", "content": prompts.system}]
        settings["stream_options"] = {"include_usage": True}
    tools = convert_tools(own_definitions(allowed), Form.OPENAI, form)
    request = Request(
        (*first, *spoken, *_asked(task, form)),
        prompts.system if form is Form.ANTHROPIC else None,
        tuple(tools),
        settings | {"stream": True},
    )
    parity = Parity(None, "The review goes to another model, which has nothing of it in its cache.")
    saved = _length(whole) - _length(short.messages)
    return Fork(request, parity, short.folded, max(0, saved))


def _offered(
    conversation: Conversation, form: Form, allowed: tuple[str, ...]
) -> tuple[list[Json], str]:
    """The tools that are offered, and why they are not the parent's to the letter."""
    if conversation.tools is None:
        own = convert_tools(own_definitions(allowed), Form.OPENAI, form)
        return own, "The source of the conversation keeps no list of its tools."
    offered = convert_tools(conversation.tools, conversation.form, form)
    names = {tool_name(tool) for tool in offered}
    if not (missing := tuple(n for n in allowed if n in NEEDED and n not in names)):
        return offered, ""
    added = convert_tools(own_definitions(missing), Form.OPENAI, form)
    return [*offered, *added], f"The conversation has no tool {missing[0]!r}: ours was added."


def _asked(task: str, form: Form) -> list[Json]:
    return write(Said("user", task), form)


def _forces_a_tool(choice: object) -> bool:
    kind = choice.get("type") if isinstance(choice, dict) else choice
    return kind not in (None, "auto")


def _plain(system: object) -> str:
    return system if isinstance(system, str) else read({"content": system}, Form.ANTHROPIC).text


def _parity(conversation: Conversation, request: Request, note: str) -> Parity:
    if conversation.tools is None:
        return Parity(None, note)
    parent = Request(
        last_sent(conversation), conversation.system, conversation.tools, conversation.settings
    )
    return Parity(_shared(_pieces(parent), _pieces(request)), note)


def last_sent(conversation: Conversation) -> tuple[Json, ...]:
    """The messages of the parent's last request: without the answer that came."""
    messages = list(conversation.messages)
    if messages and messages[-1].get("role") == "assistant":
        messages.pop()
    return tuple(messages)


def _pieces(request: Request) -> list[str]:
    """A request in the order in which providers cache it: tools, system, messages."""
    return [_dumped(one) for one in (list(request.tools), request.system, *request.messages)]


def _shared(parent: Sequence[str], fork: Sequence[str]) -> float:
    """The share of a request that another one begins with."""
    same = 0
    for ours, theirs in zip(parent, fork, strict=False):
        if ours != theirs:
            break
        same += len(ours)
    return same / sum(map(len, parent))


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def identical_share(parent: bytes, fork: bytes) -> float:
    """How much of a request stands unchanged around what another one puts in at one place.

    1.0 when the fork is the parent's request with an insertion and nothing else.
    """
    most = min(len(parent), len(fork))
    head = next((i for i in range(most) if parent[i] != fork[i]), most)
    left = most - head
    tail = next((i for i in range(left) if parent[-1 - i] != fork[-1 - i]), left)
    return (head + tail) / len(parent) if parent else 1.0


def _length(messages: Sequence[Json]) -> int:
    return len(_dumped(list(messages)))
