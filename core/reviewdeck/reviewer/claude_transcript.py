"""A transcript of Claude Code as a request: what its model saw last, as Anthropic's messages.

The file has a line for each block of an answer and for each result, with its predecessor. It keeps
neither the system prompt nor the tools, so a review cannot use the parent's prompt cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_ROLES: Final = ("user", "assistant")
_KEPT: Final = ("text", "tool_use", "tool_result")
"""The blocks that a review is given: thinking is for its author, and images say little."""


def transcript_lines(text: str) -> list[Mapping[str, Any]]:
    """The lines of a transcript; none where the text is something else. A torn line is skipped."""
    lines: list[Mapping[str, Any]] = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            lines.append(value)
    return lines if any(map(_is_message, lines)) else []


def _is_message(line: Mapping[str, Any]) -> bool:
    has_text = isinstance(line.get("message"), dict)
    return line.get("type") in _ROLES and has_text and isinstance(line.get("uuid"), str)


def request_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The request that a transcript's last message would be part of."""
    chain = _chain([line for line in lines if isinstance(line.get("uuid"), str)])
    messages: list[dict[str, Any]] = []
    for line in chain:
        if _is_message(line):
            role, blocks = line["type"], list(_blocks(line["message"].get("content")))
            if not blocks:
                continue
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += blocks
            else:
                messages.append({"role": role, "content": blocks})
    first = next(iter(chain), {})
    models = [str(line["message"].get("model") or "") for line in chain if _is_message(line)]
    turns = [line["promptId"] for line in chain if isinstance(line.get("promptId"), str)]
    return {
        "model": next((model for model in reversed(models) if model[:1] not in ("", "<")), ""),
        "system": None,
        "messages": messages,
        "reviewdeck": {
            "provider": "anthropic",
            "session": first.get("sessionId"),
            "turn": turns[-1] if turns else None,
            "platform": first.get("entrypoint") or "cli",
            "started_at": first.get("timestamp"),
            "folder": first.get("cwd"),
        },
    }


def _chain(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The last message of the session itself and its predecessors, to where it was summed up."""
    by_id = {line["uuid"]: line for line in lines if not line.get("isSidechain")}
    chain: list[Mapping[str, Any]] = []
    line = next((by_id[id] for id in reversed(by_id) if _is_message(by_id[id])), None)
    while line is not None:
        chain.append(line)
        line = by_id.pop(line["uuid"], None) and by_id.get(str(line.get("parentUuid") or ""))
    return chain[::-1]


def _blocks(content: object) -> Iterator[dict[str, Any]]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") not in _KEPT:
            continue
        if block["type"] != "text" or str(block.get("text") or "").strip():
            yield block
