"""Rows of the session database as messages of a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from reviewdeck.homes.hermes.session_database import LONGEST
from reviewdeck.origin.conversation import MessageRow, SessionRows, ToolCall
from reviewdeck.origin.prompt import has_context_files
from reviewdeck.origin.said import SUMMARIES

STRUCTURED: Final = "\x00json:"
"""Hermes' mark before a content that is not a plain text."""


def session_of(
    raw: Mapping[str, Any], rows: tuple[MessageRow, ...], prompt: str, models: tuple[str, ...]
) -> SessionRows:
    """A session with its rows."""
    return SessionRows(
        str(raw["id"]),
        source=_as_text(raw.get("source")) or "unknown",
        rows=rows,
        chat_type=_as_text(raw.get("chat_type")),
        user_id=_as_text(raw.get("user_id")),
        started_at=moment(raw.get("started_at")),
        cwd=_as_text(raw.get("cwd")),
        models=models,
        has_context_files=has_context_files(prompt),
    )


def row_of(raw: Mapping[str, Any]) -> MessageRow:
    """One row as a message."""
    content, added = _as_text(raw.get("content")), raw.get("api_content")
    role = _as_text(raw.get("role"))
    calls = calls_of(raw.get("tool_calls"))
    text = plain(content)
    return MessageRow(
        int(raw["id"]),
        role,
        text,
        moment(raw.get("timestamp")),
        calls,
        _as_text(raw.get("tool_name")),
        _as_text(raw.get("tool_call_id")),
        added=_beyond(content, added),
        is_observed=bool(raw.get("observed")),
        is_mirrored=_is_mirrored(raw, role, text, calls),
        is_compacted=bool(raw.get("compacted")),
        is_cut=len(content.encode("utf-8", "replace")) > LONGEST,
    )


def plain(content: str) -> str:
    """What a content says; a part that is no text is named in brackets."""
    if not content.startswith(STRUCTURED):
        return content
    value = parsed(content.removeprefix(STRUCTURED))
    if not isinstance(value, list):
        return "[block]"
    return "\n".join(_part(part) for part in value)


def calls_of(value: object) -> tuple[ToolCall, ...]:
    """The calls of tools of an assistant's row. What cannot be read is a call of nobody's tool."""
    if value is None or value == "" or value == "null":
        return ()
    listed = parsed(value) if isinstance(value, str) else value
    if not isinstance(listed, list):
        return (ToolCall("", is_readable=False),)
    return tuple(_call(one) for one in listed)


def parsed(text: str) -> Any:
    """The JSON that a text is; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def moment(value: object) -> datetime | None:
    """A moment from Hermes' seconds; None when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _call(raw: object) -> ToolCall:
    known = raw if isinstance(raw, dict) else {}
    function = known.get("function")
    named = function if isinstance(function, dict) else known
    arguments = named.get("arguments")
    value = parsed(arguments or "{}") if isinstance(arguments, str) else arguments
    name, id = _as_text(named.get("name")), _as_text(known.get("id"))
    if isinstance(value, dict):
        return ToolCall(name, value, id)
    return ToolCall(name, id=id, is_readable=False)


def _beyond(content: str, added: object) -> str:
    """What the model was sent beyond the content."""
    if added is None or added == content:
        return ""
    text = _as_text(added)
    return text.removeprefix(content).strip() or "another text"


def _is_mirrored(raw: Mapping[str, Any], role: str, text: str, calls: tuple[ToolCall, ...]) -> bool:
    """Whether no model of this conversation wrote an assistant's row: nothing ended it."""
    if role != "assistant" or calls or "finish_reason" not in raw:
        return False
    return raw["finish_reason"] is None and bool(text.strip()) and not text.startswith(SUMMARIES)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type") in ("text", "input_text", "output_text"):
        return _as_text(part.get("text"))
    kind = part.get("type") if isinstance(part, dict) else None
    return "[image]" if isinstance(kind, str) and "image" in kind else "[block]"


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)
