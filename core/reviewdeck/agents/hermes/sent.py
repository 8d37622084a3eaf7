"""The requests to the model behind a tool call: messages, memories in the prompt, model.

A turn has an id by Hermes. A review is a turn of its own, in the session of the conversation that
it reviews.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .kit import members, objects, parsed, text

Message = Mapping[str, Any]

TURNS = 64
"""The most turns whose last request is remembered."""
CALLS = 1_000
"""The most tool calls that are listed; the latest ones."""
ARGUMENTS = 8 * 1024
"""The most characters of one call's arguments; longer ones are omitted."""
ALL_ARGUMENTS = 64 * 1024
"""The most characters of all arguments."""
VIEWED = 96 * 1024
"""The most characters of a viewed skill file; a longer one is omitted."""
EARLIER = "earlier calls, not listed"
"""The entry for omitted calls. No tool has this name, so it counts as an outside one."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The last request to the model in a turn."""

    history: Sequence[Message]
    replayed: int
    """The number of messages before the one that started the turn."""
    prompt: str
    model: str


_sent: OrderedDict[str, SentRequest] = OrderedDict()
_lock = threading.Lock()


def note_request(
    *,
    turn_id: str = "",
    conversation_history: object = None,
    request_messages: object = None,
    request: object = None,
    system_prompt: object = None,
    model: object = "",
    **_: Any,
) -> None:
    """Hermes' hook before each request. Keeps references: nothing is copied or parsed here."""
    history: list[Message] = [*objects(conversation_history)]
    prompt = system_prompt if isinstance(system_prompt, str) else _prompt(request_messages, request)
    request_sent = SentRequest(history, max(0, len(history) - 1), prompt, text(model))
    with _lock:
        begun = _sent.pop(turn_id, None)
        _sent[turn_id] = replace(request_sent, replayed=begun.replayed) if begun else request_sent
        while len(_sent) > TURNS:
            _sent.popitem(last=False)


def find_request(turn: str) -> SentRequest | None:
    """The last request of this turn; None when none was noted."""
    with _lock:
        return _sent.get(turn)


def _prompt(messages: object, request: object) -> str:
    """The system prompt: a message of the request, or a field of the provider's body."""
    for message in objects(messages):
        if message.get("role") == "system":
            return _text(message.get("content"))
    body = members(members(request).get("body"))
    return _text(body.get("system")) or _text(body.get("instructions"))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(str(block.get("text", "")) for block in objects(content))


def calls_in(history: Sequence[Message]) -> list[dict[str, Any]]:
    """Each tool call by name and id; with arguments for those since the user's last message."""
    last = max(
        (index for index, message in enumerate(history) if message.get("role") == "user"), default=0
    )
    remaining = ALL_ARGUMENTS
    calls: list[dict[str, Any]] = []
    for index, message in enumerate(history):
        for call in objects(message.get("tool_calls")):
            fields = members(call.get("function"))
            entry = {"name": str(fields.get("name", "")), "id": str(call.get("id", ""))}
            arguments = fields.get("arguments")
            if (
                index >= last
                and isinstance(arguments, str)
                and len(arguments) <= min(ARGUMENTS, remaining)
            ):
                remaining -= len(arguments)
                value = parsed(arguments or "{}")
                calls.append(entry | {"arguments": value if isinstance(value, dict) else None})
            else:
                calls.append(entry | {"arguments": None})
    cut = [{"name": EARLIER, "id": "", "arguments": None}] if len(calls) > CALLS else []
    return cut + calls[-CALLS:]


def views_in(history: Sequence[Message], skills: set[str]) -> dict[str, str]:
    """The files of these skills that the author viewed, by path, as last shown."""
    view_ids = {
        call.get("id")
        for message in history
        for call in objects(message.get("tool_calls"))
        if members(call.get("function")).get("name") == "skill_view"
    }
    folders: dict[str, str] = {}
    views: dict[str, str] = {}
    for message in history:
        if message.get("role") != "tool" or message.get("tool_call_id") not in view_ids:
            continue
        viewed = viewed_file(members(parsed(_text(message.get("content")))), folders)
        if viewed is not None and viewed[0] in skills:
            _, path, shown = viewed
            views.pop(path, None)
            if len(shown) <= VIEWED:
                views[path] = shown
    return views


def viewed_file(result: Message, folders: dict[str, str]) -> tuple[str, str, str] | None:
    """The skill, path and text of the file that a call of skill_view showed; None for none.

    `folders` has the folder of each skill of which the main file was shown.
    """
    name, shown, path, file = (result.get(key) for key in ("name", "content", "path", "file"))
    if not isinstance(name, str) or not isinstance(shown, str):
        return None
    if isinstance(path, str) and path.endswith("/SKILL.md"):
        folders[name] = f"skills/{path.removesuffix('/SKILL.md')}"
        return name, f"skills/{path}", shown
    is_known = isinstance(file, str) and name in folders
    return (name, f"{folders[name]}/{file}", shown) if is_known else None


_BAR = "═" * 46
_HEADER = re.compile(
    rf"^{_BAR}\n(?:MEMORY|USER PROFILE) \([^()\n]{{1,80}}\)"
    rf" \[\d{{1,3}}% — ([\d,]{{1,12}})/[\d,]{{1,12}} chars\]\n{_BAR}\n",
    re.MULTILINE,
)


def memories_in(prompt: str) -> list[str]:
    """The memory blocks of a system prompt, each with its header; empty where one may be forged.

    A header gives the number of characters that follow. All blocks are returned: two of one
    memory mean that one is forged, which the reader detects.
    """
    blocks = []
    for header in _HEADER.finditer(prompt):
        end = header.end() + int(header[1].replace(",", ""))
        after = prompt[end:]
        if end > len(prompt) or (after.strip() and not after.startswith("\n\n")):
            return []
        blocks.append(prompt[header.start() : end])
    return blocks
