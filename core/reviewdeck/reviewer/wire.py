"""Messages in the form of a provider: reading them, writing them, changing one form to the other.

Nothing here raises for what a message contains: what is not understood has no text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from reviewdeck.reviewer.values import Call, Form, Json, Result, Said

SYSTEM_ROLES = frozenset({"system", "developer"})


def read(message: Json, form: Form) -> Said:
    """One message, whatever its form."""
    role = str(message.get("role") or "")
    if form is Form.ANTHROPIC:
        return _read_blocks(role, message.get("content"))
    text = text_of(message.get("content"))
    if role == "tool":
        return Said("tool", results=(Result(str(message.get("tool_call_id") or ""), text),))
    role = "system" if role in SYSTEM_ROLES else role
    return Said(role, text, calls=_openai_calls(message.get("tool_calls")))


def text_of(content: object) -> str:
    """The text of a message's content: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    parts = (one.get("text") for one in content if isinstance(one, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def _openai_calls(calls: object) -> tuple[Call, ...]:
    found = []
    for call in calls if isinstance(calls, list | tuple) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments")
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            found.append(Call(str(call.get("id") or ""), str(function.get("name") or ""), text))
    return tuple(found)


def _read_blocks(role: str, content: object) -> Said:
    blocks = content if isinstance(content, list | tuple) else ()
    named = [one for one in blocks if isinstance(one, dict)]
    calls = tuple(
        Call(str(one.get("id") or ""), str(one.get("name") or ""), _dumped(one.get("input")))
        for one in named
        if one.get("type") == "tool_use"
    )
    results = tuple(
        Result(str(one.get("tool_use_id") or ""), text_of(one.get("content")))
        for one in named
        if one.get("type") == "tool_result"
    )
    return Said(role, text_of(content), calls, results)


def _dumped(value: object) -> str:
    return json.dumps({} if value is None else value, ensure_ascii=False)


def write(said: Said, form: Form) -> list[Json]:
    """The messages that say this."""
    if form is Form.ANTHROPIC:
        return [_anthropic_message(said)]
    if said.results:
        answers: list[Json] = [
            {"role": "tool", "tool_call_id": one.call_id, "content": one.text}
            for one in said.results
        ]
        return answers + ([{"role": "user", "content": said.text}] if said.text else [])
    message: Json = {"role": said.role, "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in said.calls
        ]
    elif not said.text:
        message["content"] = ""
    return [message]


def _anthropic_message(said: Said) -> Json:
    role = "user" if said.role in {"tool", "user"} else "assistant"
    if not said.calls and not said.results:
        return {"role": role, "content": said.text or "(nothing)"}
    blocks: list[Json] = [
        {"type": "tool_result", "tool_use_id": one.call_id, "content": one.text}
        for one in said.results
    ]
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call) or {}}
        for call in said.calls
    ]
    return {"role": role, "content": blocks}


def arguments_of(call: Call) -> Json | None:
    """The arguments of a call; None when they are not one JSON object."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def convert(messages: Sequence[Json], form: Form, to: Form) -> tuple[Any, list[Json]]:
    """The system prompt and the messages in another form; the same ones in their own."""
    if form is to:
        return None, list(messages)
    said = [read(message, form) for message in messages]
    system = "\n\n".join(one.text for one in said if one.role == "system")
    spoken = _joined_results(one for one in said if one.role != "system")
    return system or None, [part for one in spoken for part in write(one, to)]


def _joined_results(said: Iterable[Said]) -> list[Said]:
    """Answers to the calls of one message stand in one message: Anthropic wants that."""
    found: list[Said] = []
    for one in said:
        if one.role == "tool" and found and found[-1].role == "tool":
            found[-1] = Said("tool", results=found[-1].results + one.results)
        else:
            found.append(one)
    return found


def convert_tools(tools: Iterable[Json], form: Form, to: Form) -> list[Json]:
    """Tool definitions in another form; the same ones in their own."""
    return [tool if form is to else _converted_tool(tool, to) for tool in tools]


def _converted_tool(tool: Json, to: Form) -> Json:
    if to is Form.ANTHROPIC:
        function = tool.get("function") or {}
        schema = function.get("parameters") or {"type": "object", "properties": {}}
        about = {"name": function.get("name", ""), "description": function.get("description", "")}
        return about | {"input_schema": schema}
    about = {"name": tool.get("name", ""), "description": tool.get("description", "")}
    return {"type": "function", "function": about | {"parameters": tool.get("input_schema") or {}}}


def tool_name(tool: Json) -> str:
    """What a tool definition of either form calls its tool."""
    function = tool.get("function")
    named = function if isinstance(function, dict) else tool
    return str(named.get("name") or "")


def is_tool_result(message: Json, form: Form) -> bool:
    """Whether a message answers a call, and so cannot be the first."""
    return bool(read(message, form).results)


def without_open_calls(messages: Sequence[Json], form: Form) -> tuple[Json, ...]:
    """The messages without calls at their end that nobody answered: no provider takes those."""
    kept = list(messages)
    while kept:
        for start in range(len(kept) - 1, -1, -1):
            if not is_tool_result(kept[start], form):
                break
        else:
            break
        asked = {call.id for call in read(kept[start], form).calls}
        answered = {one.call_id for m in kept[start + 1 :] for one in read(m, form).results}
        if asked <= answered:
            break
        del kept[start:]
    return tuple(kept)
