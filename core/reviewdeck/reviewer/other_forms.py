"""Conversations in other forms, as chat completions: the Responses API and ShareGPT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

Json: TypeAlias = dict[str, Any]

REASONING_ITEMS: Final = "codex_reasoning_items"
"""Hermes' field of a message with the reasoning items of the Responses API, in either direction."""
_SPEAKERS: Final = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "system": "system",
}


def is_responses(value: Mapping[str, Any]) -> bool:
    """Whether a request is one of the Responses API."""
    return "messages" not in value and isinstance(value.get("input"), str | list)


def as_chat(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A request of the Responses API or a talk of ShareGPT as chat completions; others unchanged.

    What cannot be understood is left out; a talk without messages is refused by its reader.
    """
    if is_responses(value):
        tools = value.get("tools")
        others = {key: kept for key, kept in value.items() if key not in {"input", "instructions"}}
        if isinstance(tools, list):
            others["tools"] = [_nested(tool) for tool in tools if isinstance(tool, dict)]
        return others | {"messages": list(_joined(_messages_of(value)))}
    turns = value.get("conversations")
    if "messages" not in value and isinstance(turns, list):
        return {"messages": list(_turns(turns))}
    return value


def _messages_of(value: Mapping[str, Any]) -> Iterator[Json]:
    if isinstance(instructions := value.get("instructions"), str) and instructions:
        yield {"role": "system", "content": instructions}
    items = value["input"]
    if isinstance(items, str):
        yield {"role": "user", "content": items}
        return
    for item in items:
        if isinstance(item, dict):
            yield from _message(item)


def _message(item: Json) -> Iterator[Json]:
    match item.get("type", "message"):
        case "message" if isinstance(item.get("role"), str):
            yield {"role": item["role"], "content": _text(item.get("content"))}
        case "function_call":
            function = {"name": item.get("name"), "arguments": item.get("arguments")}
            call = {"id": item.get("call_id"), "type": "function", "function": function}
            yield {"role": "assistant", "content": None, "tool_calls": [call]}
        case "function_call_output":
            content = _text(item.get("output"))
            yield {"role": "tool", "tool_call_id": item.get("call_id"), "content": content}
        case "reasoning":
            yield {"role": "assistant", "content": None, REASONING_ITEMS: [item]}
        case _:
            return


def _text(content: object) -> object:
    """The text of a list of parts; with a picture, the list as it is."""
    if isinstance(content, list) and all(isinstance(p, dict) and "text" in p for p in content):
        return "\n".join(str(part["text"]) for part in content)
    return content


def _joined(messages: Iterator[Json]) -> Iterator[Json]:
    """What the model did in one answer as one message: it thinks, writes, and calls tools."""
    last: Json | None = None
    for message in messages:
        if last is not None and _goes_on(last, message):
            for key in (REASONING_ITEMS, "tool_calls"):
                if key in message:
                    last[key] = [*last.get(key, ()), *message[key]]
            last["content"] = last["content"] or message["content"]
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _goes_on(last: Json, message: Json) -> bool:
    is_models = last["role"] == message["role"] == "assistant"
    is_later = REASONING_ITEMS in message or (message["content"] and last["content"])
    return is_models and not is_later


def _nested(tool: Json) -> Json:
    if tool.get("type") != "function" or "function" in tool:
        return tool
    return {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}


def _turns(turns: Sequence[object]) -> Iterator[Json]:
    for turn in turns:
        if isinstance(turn, dict) and (role := _SPEAKERS.get(str(turn.get("from")))):
            yield {"role": role, "content": turn.get("value")}
