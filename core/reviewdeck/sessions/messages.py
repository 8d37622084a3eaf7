"""Messages as agents have them, in OpenAI's or Anthropic's form, as messages of a turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reviewdeck.model import Message, Role

_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL, **{role.value: role for role in Role}}


def messages_of(raw: Iterable[Mapping[str, Any]]) -> tuple[Message, ...]:
    """What these say. Calls and results of tools are messages of their own; images are named."""
    names: dict[str, str] = {}
    return tuple(message for one in raw for message in _messages(one, names))


def _messages(raw: Mapping[str, Any], names: dict[str, str]) -> Iterator[Message]:
    role = _ROLES.get(str(raw.get("role")), Role.USER)
    content = raw.get("content")
    call = _text(raw.get("tool_call_id"))
    if role is Role.TOOL:
        tool = _text(raw.get("name")) or names.get(call, "")
        yield Message(role, _said(content), tool, call)
    elif isinstance(content, list):
        yield from _blocks(role, content, names)
    elif content:
        yield Message(role, _said(content))
    calls = raw.get("tool_calls")
    for one in calls if isinstance(calls, list) else []:
        yield _called(one, names)


def _blocks(role: Role, blocks: list[Any], names: dict[str, str]) -> Iterator[Message]:
    """The blocks of one message: text that stands together stays together."""
    said: list[str] = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind not in {"tool_use", "tool_result"}:
            said.append(_block(block))
            continue
        if said:
            yield Message(role, "\n".join(said))
            said = []
        if kind == "tool_use":
            call = _text(block.get("id"))
            names[call] = _text(block.get("name"))
            yield Message(role, _plain(block.get("input")), names[call], call)
        else:
            call = _text(block.get("tool_use_id"))
            yield Message(Role.TOOL, _said(block.get("content")), names.get(call, ""), call)
    if any(said):
        yield Message(role, "\n".join(said))


def _called(raw: Any, names: dict[str, str]) -> Message:
    function = raw.get("function") if isinstance(raw, dict) else None
    named = function if isinstance(function, dict) else {}
    call = _text(raw.get("id")) if isinstance(raw, dict) else ""
    names[call] = _text(named.get("name"))
    return Message(Role.ASSISTANT, _plain(named.get("arguments")), names[call], call)


def _said(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(_block(block) for block in content)
    return _plain(content)


def _block(block: Any) -> str:
    if isinstance(block, dict):
        text = block.get("text")
        return text if isinstance(text, str) else f"[{block.get('type', 'block')}]"
    return _plain(block)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
