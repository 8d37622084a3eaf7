"""Messages as the model that reviews takes them.

What was sent is sent again to the byte. Messages from an agent's store, or for another provider
than they were held with, have fields that a provider may refuse, or lack some that it requires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from reviewdeck.reviewer.conversation import ApiMode, Json, MessageForm, Runtime
from reviewdeck.reviewer.models import is_tool_result
from reviewdeck.reviewer.other_forms import REASONING_ITEMS

_PRIVATE: Final = ("reasoning", "reasoning_content", REASONING_ITEMS)
_STANDARD: Final = frozenset({"role", "content", "name", "tool_calls", "tool_call_id"})
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_ECHOING: Final = re.compile(
    r"deepseek|mimo|^(moonshot|kimi\S*|xiaomi) |//[^/ ]*(kimi\.com|moonshot\.(ai|cn))"
)
"""Providers that refuse a message with tool calls without what the model thought before them."""


def from_store(messages: Iterable[Json], runtime: Runtime) -> tuple[Json, ...]:
    """Messages of an agent's store as their provider takes them; only it gets their thoughts."""
    about = f"{runtime.provider} //{(runtime.base_url or '').partition('//')[2]} {runtime.model}"
    is_echoing = _ECHOING.search(about.lower()) is not None
    return tuple(
        _stored(message, runtime, is_echoing=is_echoing)
        if message.get("role") == "assistant"
        else message
        for message in messages
    )


def _stored(message: Json, runtime: Runtime, *, is_echoing: bool) -> Json:
    plain = {key: value for key, value in message.items() if key not in _PRIVATE}
    if isinstance(calls := plain.get("tool_calls"), list):
        plain["tool_calls"] = [
            {k: v for k, v in call.items() if k not in {"call_id", "response_item_id"}}
            for call in calls
            if isinstance(call, dict)
        ]
    if runtime.api_mode is ApiMode.RESPONSES and message.get(REASONING_ITEMS):
        return plain | {REASONING_ITEMS: message[REASONING_ITEMS]}
    if is_echoing:
        thought = message.get("reasoning_content") or message.get("reasoning")
        # DeepSeek refuses an empty text as it refuses none.
        return plain | {"reasoning_content": thought or " "}
    return plain


def for_another(messages: Iterable[Json], form: MessageForm) -> tuple[Json, ...]:
    """Messages for a provider that did not write them: no field of another one's own."""
    if form is MessageForm.ANTHROPIC:
        return tuple(_without_thinking(message) for message in messages)
    return tuple(map(_standard, messages))


def _standard(message: Json) -> Json:
    plain = {key: value for key, value in message.items() if key in _STANDARD}
    if isinstance(calls := plain.get("tool_calls"), list):
        plain["tool_calls"] = [
            {key: value for key, value in call.items() if key in {"id", "type", "function"}}
            for call in calls
            if isinstance(call, dict)
        ]
    return plain


def _without_thinking(message: Json) -> Json:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    kept = [b for b in content if not (isinstance(b, dict) and b.get("type") in _THINKING)]
    return message | {"content": kept or [{"type": "text", "text": "(nothing)"}]}


def with_user_text(messages: Sequence[Json], text: str, form: MessageForm) -> tuple[Json, ...]:
    """The messages and one more text of the user.

    It is joined to a last message of the user: the templates of many local models require that
    turns alternate.
    """
    if messages and _is_users(messages[-1], form):
        return (*messages[:-1], _joined(messages[-1], {"role": "user", "content": text}))
    return (*messages, {"role": "user", "content": text})


def alternating(messages: Sequence[Json], form: MessageForm) -> tuple[Json, ...]:
    """The messages with consecutive ones of the user joined."""
    joined: list[Json] = []
    for message in messages:
        if joined and _is_users(joined[-1], form) and _is_users(message, form):
            joined[-1] = _joined(joined[-1], message)
        else:
            joined.append(message)
    return tuple(joined)


def _is_users(message: Json, form: MessageForm) -> bool:
    return message.get("role") == "user" and not is_tool_result(message, form)


def _joined(first: Json, second: Json) -> Json:
    one, two = first.get("content") or "", second.get("content") or ""
    if isinstance(one, str) and isinstance(two, str):
        return first | {"content": f"{one}\n\n{two}" if one else two}
    return first | {"content": [*_blocks(one), *_blocks(two)]}


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list | tuple):
        return list(content)
    return [{"type": "text", "text": content}] if content else []
