"""Conversations from files: OpenAI and Anthropic requests, and Hermes' session files.

What a file contains is data: it is replayed to a model and never run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.values import ApiMode, Conversation, Form, Json, Runtime

FILE_CAP: Final = 64 * 1024 * 1024
"""Bytes of a conversation's file."""

ABOUT: Final = "reviewdeck"
"""The key beside a request under which a file may say whose conversation it is."""

_HINT: Final = (
    "It has to be a request to a model (`messages`, with `tools` and `system` where there are"
    " any), a list of messages, or a session file of Hermes."
)
_NEVER_SENT: Final = frozenset({"messages", "tools", "system", ABOUT, "api_key", "base_url"})
_WIRE_KEYS: Final = (
    *("role", "content", "name", "tool_calls", "tool_call_id"),
    *("reasoning_content", "reasoning_details"),
)


def load_conversation(path: Path) -> Conversation:
    """The conversation in a file. Raises BadInput."""
    try:
        if path.stat().st_size > FILE_CAP:
            raise BadInput(f"{path} is larger than {FILE_CAP // 1024 // 1024} MiB.")
        text = path.read_text("utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text.") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{path} is not JSON.", hint=_HINT) from None
    return conversation_of(value, str(path))


def conversation_of(value: object, name: str = "The conversation") -> Conversation:
    """The conversation that this JSON is. Raises BadInput."""
    if isinstance(value, list):
        value = {"messages": value}
    if not isinstance(value, dict):
        raise BadInput(f"{name} is not a conversation.", hint=_HINT)
    messages = checked_messages(value.get("messages"), name)
    if "session_id" in value and ("system_prompt" in value or "session_start" in value):
        return _hermes_session(value, messages)
    return _request(value, messages)


def checked_messages(value: object, name: str) -> tuple[Json, ...]:
    """The messages, each with a role. Raises BadInput."""
    if not isinstance(value, list) or not value:
        raise BadInput(f"{name} has no messages.", hint=_HINT)
    for number, message in enumerate(value, start=1):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise BadInput(f"Message {number} of {name} has no role.", hint=_HINT)
    return tuple(value)


def _request(value: Mapping[str, Any], messages: tuple[Json, ...]) -> Conversation:
    """A request as it went over the wire: what we do not know of it is kept and sent again."""
    form = form_of(value, messages)
    about = value.get(ABOUT)
    known = about if isinstance(about, dict) else {}
    mode = ApiMode.MESSAGES if form is Form.ANTHROPIC else ApiMode.CHAT
    return Conversation(
        form=form,
        messages=messages,
        system=value.get("system"),
        tools=_tools_of(value),
        settings={key: one for key, one in value.items() if key not in _NEVER_SENT},
        runtime=Runtime(
            provider=_text(known, "provider") or form.value,
            model=_text(value, "model"),
            api_mode=mode,
            base_url=_text(value, "base_url") or None,
        ),
        session=_text(known, "session"),
        parent_session=_text(known, "parent_session"),
        started_at=moment_of(known.get("started_at")),
        platform=_text(known, "platform"),
        turn=_text(known, "turn"),
        task=_text(known, "task"),
    )


def form_of(value: Mapping[str, Any], messages: Sequence[Json]) -> Form:
    """Whose form a request has, by what only one of them has."""
    if "system" in value or any("input_schema" in one for one in _objects(value.get("tools"))):
        return Form.ANTHROPIC
    for message in messages:
        if message["role"] in {"system", "developer", "tool"} or "tool_calls" in message:
            return Form.OPENAI
        blocks = {one.get("type") for one in _objects(message.get("content"))}
        if blocks & {"tool_use", "tool_result", "thinking"}:
            return Form.ANTHROPIC
    return Form.OPENAI


def _hermes_session(value: Mapping[str, Any], messages: tuple[Json, ...]) -> Conversation:
    """A session as Hermes writes it with `sessions.write_json_snapshots`."""
    return hermes_conversation(
        messages,
        system=_text(value, "system_prompt"),
        tools=_tools_of(value),
        model=_text(value, "model"),
        base_url=_text(value, "base_url") or None,
        session=_text(value, "session_id"),
        parent_session=_text(value, "parent_session_id"),
        started_at=moment_of(value.get("session_start")),
        platform=_text(value, "platform"),
    )


def hermes_conversation(
    messages: Sequence[Json],
    *,
    system: str,
    tools: tuple[Json, ...] | None,
    model: str,
    base_url: str | None,
    session: str,
    parent_session: str,
    started_at: datetime | None,
    platform: str,
) -> Conversation:
    """A conversation that Hermes kept: chat messages, with the system prompt beside them."""
    first: list[Json] = [{"role": "system", "content": system}] if system else []
    return Conversation(
        form=Form.OPENAI,
        messages=(*first, *(_as_sent(message) for message in messages)),
        tools=tools,
        settings={"model": model} if model else {},
        runtime=Runtime(model=model, base_url=base_url),
        session=session,
        parent_session=parent_session,
        started_at=started_at,
        platform=platform,
    )


def _as_sent(message: Json) -> Json:
    """A message without what Hermes keeps beside it for itself."""
    return {
        key: message[key] for key in _WIRE_KEYS if message.get(key) is not None or key == "role"
    }


def moment_of(value: object) -> datetime | None:
    """A moment from seconds or from its ISO form; None when it is neither."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _objects(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _tools_of(value: Mapping[str, Any]) -> tuple[Json, ...] | None:
    tools = value.get("tools")
    return tuple(_objects(tools)) if isinstance(tools, list) else None


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
