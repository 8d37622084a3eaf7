"""What the author of a call was sent: the messages, the memories in its prompt, the model.

A turn is known by Hermes' own id of it. A review is a turn of its own, in the session of the
conversation that it reviews.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Message = Mapping[str, Any]

TURNS = 64
"""Turns that are remembered: the latest."""
CALLS = 1_000
"""Calls of tools that are listed: the latest."""
ARGUMENTS = 8 * 1024
"""Characters of one call's arguments: longer ones are left out."""
ALL_ARGUMENTS = 64 * 1024
"""Characters of all arguments."""
VIEWED = 96 * 1024
"""Characters of one skill file as it was shown: a longer one is left out."""
EARLIER = "earlier calls, not listed"
"""Stands for calls that were left out. No tool has this name, so it counts as an outside one."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent to the model last within a turn."""

    history: Sequence[Message]
    replayed: int
    """How many messages there were before the one that began the turn."""
    prompt: str
    model: str


_sent: OrderedDict[str, Sent] = OrderedDict()
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
    """Hermes' hook before each request. Keeps references only: nothing is read before a call."""
    history = _messages(conversation_history)
    prompt = system_prompt if isinstance(system_prompt, str) else _prompt(request_messages, request)
    sent = Sent(history, max(0, len(history) - 1), prompt, model if isinstance(model, str) else "")
    with _lock:
        begun = _sent.pop(turn_id, None)
        _sent[turn_id] = replace(sent, replayed=begun.replayed) if begun else sent
        while len(_sent) > TURNS:
            _sent.popitem(last=False)


def sent_in(turn: str) -> Sent | None:
    """What was sent in this turn; None when nobody noted it."""
    with _lock:
        return _sent.get(turn)


def _messages(value: object) -> list[Message]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _prompt(messages: object, request: object) -> str:
    """The system prompt: a message of the request, or where the provider wants it."""
    for message in _messages(messages):
        if message.get("role") == "system":
            return _text(message.get("content"))
    body = request.get("body") if isinstance(request, dict) else None
    if not isinstance(body, dict):
        return ""
    return _text(body.get("system")) or _text(body.get("instructions"))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(str(block.get("text", "")) for block in _messages(content))


def calls_in(history: Sequence[Message]) -> list[dict[str, Any]]:
    """Each call of a tool by name and id, with its arguments since the last user's message."""
    last = max((at for at, one in enumerate(history) if one.get("role") == "user"), default=0)
    left = ALL_ARGUMENTS
    found: list[dict[str, Any]] = []
    for at, message in enumerate(history):
        for call in _messages(message.get("tool_calls")):
            function = call.get("function")
            named = function if isinstance(function, dict) else {}
            known = {"name": str(named.get("name", "")), "id": str(call.get("id", ""))}
            said = named.get("arguments")
            if at >= last and isinstance(said, str) and len(said) <= min(ARGUMENTS, left):
                left -= len(said)
                found.append(known | {"arguments": _object(said)})
            else:
                found.append(known | {"arguments": None})
    cut = [{"name": EARLIER, "id": "", "arguments": None}] if len(found) > CALLS else []
    return cut + found[-CALLS:]


def views_in(history: Sequence[Message], skills: set[str]) -> dict[str, str]:
    """The files of these skills that the author viewed, by path, as they were shown last."""
    asked = {
        call.get("id")
        for message in history
        for call in _messages(message.get("tool_calls"))
        if isinstance(function := call.get("function"), dict)
        and function.get("name") == "skill_view"
    }
    folders: dict[str, str] = {}
    found: dict[str, str] = {}
    for message in history:
        if message.get("role") != "tool" or message.get("tool_call_id") not in asked:
            continue
        for name, path, text in _view(message, folders):
            if name in skills:
                found.pop(path, None)
                if len(text) <= VIEWED:
                    found[path] = text
    return found


def _view(message: Message, folders: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """The name, path and text of the file that one result shows."""
    result = _object(_text(message.get("content"))) or {}
    name, text, path, file = (result.get(key) for key in ("name", "content", "path", "file"))
    if not isinstance(name, str) or not isinstance(text, str):
        return
    if isinstance(path, str) and path.endswith("/SKILL.md"):
        folders[name] = f"skills/{path.removesuffix('/SKILL.md')}"
        yield name, f"skills/{path}", text
    elif isinstance(file, str) and name in folders:
        yield name, f"{folders[name]}/{file}", text


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_BAR = "═" * 46
_HEADER = re.compile(
    rf"^{_BAR}\n(?:MEMORY|USER PROFILE) \([^()\n]{{1,80}}\)"
    rf" \[\d{{1,3}}% — ([\d,]{{1,12}})/[\d,]{{1,12}} chars\]\n{_BAR}\n",
    re.MULTILINE,
)


def memories_in(prompt: str) -> list[str]:
    """The memory blocks of a system prompt, each with its header; none where one may be a fake.

    A header says how many characters follow. Each one that stands in the prompt is handed on: two
    of one memory mean that one of them is a fake, and whoever reads them finds that.
    """
    found = []
    for header in _HEADER.finditer(prompt):
        end = header.end() + int(header[1].replace(",", ""))
        after = prompt[end:]
        if end > len(prompt) or (after.strip() and not after.startswith("\n\n")):
            return []
        found.append(prompt[header.start() : end])
    return found
