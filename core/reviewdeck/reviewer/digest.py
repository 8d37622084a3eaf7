"""A conversation in short, for a review that goes to another model: its cache is lost anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewdeck.reviewer.values import Form, Json, Said
from reviewdeck.reviewer.wire import SYSTEM_ROLES, is_tool_result, read

KEPT: Final = 24
"""So many messages at the end stay as they are; a conversation of no more than these is not cut."""
USER_SHOWN: Final = 300
ASSISTANT_SHOWN: Final = 200
"""Characters of each older message that are kept."""

HEAD: Final = "[Earlier in this conversation, in short:]"


@dataclass(frozen=True, slots=True)
class Digest:
    """The messages that are sent, without any system prompt."""

    messages: tuple[Json, ...]
    folded: int = 0
    """How many messages became one."""


def digest(messages: Sequence[Json], form: Form) -> Digest:
    """The last messages verbatim, and one message that says what came before in short.

    The verbatim part never begins with a tool result, whose call would be missing: then it begins
    earlier, with the call. The message in short joins a user message that follows it, so that
    roles alternate.
    """
    spoken = [one for one in messages if one.get("role") not in SYSTEM_ROLES]
    if len(spoken) <= KEPT:
        return Digest(tuple(spoken))
    start = len(spoken) - KEPT
    while start > 0 and is_tool_result(spoken[start], form):
        start -= 1
    if start == 0:
        return Digest(tuple(spoken))
    short = "\n".join([HEAD, *_lines([read(one, form) for one in spoken[:start]])])
    return Digest(_joined(short, spoken[start:]), start)


def _lines(older: Sequence[Said]) -> list[str]:
    found = []
    for said in older:
        text = " ".join(said.text.split())
        if said.role == "user" and text:
            found.append(f"USER: {text[:USER_SHOWN]}")
        elif said.role == "assistant" and said.calls:
            names = ", ".join(dict.fromkeys(call.name for call in said.calls))
            found.append(f"ASSISTANT[tools: {names}]: {text[:ASSISTANT_SHOWN]}".rstrip(": "))
        elif said.role == "assistant" and text:
            found.append(f"ASSISTANT: {text[:ASSISTANT_SHOWN]}")
    return found


def _joined(short: str, kept: Sequence[Json]) -> tuple[Json, ...]:
    first = kept[0]
    if first.get("role") != "user":
        return ({"role": "user", "content": short}, *kept)
    return (first | {"content": _before(short, first.get("content"))}, *kept[1:])


def _before(short: str, content: object) -> object:
    """The same content with a text in front of it."""
    if isinstance(content, list | tuple):
        return [{"type": "text", "text": short}, *content]
    return f"{short}\n\n{content or ''}"
