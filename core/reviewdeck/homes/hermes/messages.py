"""Rows of the session database as messages of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from reviewdeck.agents.hermes.kit import digest, members, parsed
from reviewdeck.clock import moment_from
from reviewdeck.homes.hermes.session_database import LONGEST
from reviewdeck.origin.classify import TERMINALS
from reviewdeck.origin.conversation import MessageRow, SessionRows, ToolCall
from reviewdeck.origin.prompt import has_context_files
from reviewdeck.origin.user_row import holds_summary

STRUCTURED: Final = "\x00json:"
"""Hermes' mark before a content that is not a plain text."""

_OWN_NOTES: Final = frozenset(
    {
        "020cd300cd3d7b825753baea020a40edd3b3a3fa90dd14bd46e2352a8747bbb8",
        "08a55681c61be7033e11435ac375011b664f81faa23171d839a78bbb56d8862c",
        "1138e0a8af307b5b10c126f94342063ea1d015f4fc5749af3f52ddce287ce039",
        "74411a0ba653e9e906654c0ad6442f5115a81941dbd00f3fd65da9e994cb2e7f",
        "77427e8f6eb1d154586b0fc27aadb570cf7313ecd9d57d7630337beb6d022476",
        "78bcc1e72543726a4527cade338abcb967cc269575850602457ed3246f78b463",
        "90c910c5aa14b7b2aa8b002e4c7d0b1939f6d41c0229427963ed747e14769856",
        "987fb1a231aa9292d9e33d056777c6667aa44c2a659bec5ad386c462194f94c5",
    }
)
"""SHA-256 of the notes that Hermes itself adds to the first message of a session: constants of
`gateway/run.py` and `agent/onboarding.py` in 0.19.0 and 0.22.2. Nobody's words are in them."""


def session_of(
    raw: Mapping[str, Any], rows: tuple[MessageRow, ...], prompt: str, models: tuple[str, ...]
) -> SessionRows:
    """A session with its rows.

    Where it went on elsewhere than it began, it is of the place that is no terminal.
    """
    began, source = _as_text(raw.get("created_source")), _as_text(raw.get("source")) or "unknown"
    return SessionRows(
        str(raw["id"]),
        source=source if not began or began in TERMINALS else began,
        rows=rows,
        chat_type=_as_text(raw.get("chat_type")),
        user_id=_as_text(raw.get("user_id")),
        started_at=moment_from(raw.get("started_at")),
        cwd=_as_text(raw.get("cwd")),
        models=models,
        has_context_files=has_context_files(prompt),
    )


def row_of(raw: Mapping[str, Any]) -> MessageRow:
    """A row of the database as a message."""
    content, added = _as_text(raw.get("content")), raw.get("api_content")
    role = _as_text(raw.get("role"))
    calls = calls_of(raw.get("tool_calls"))
    text = plain_text(content)
    return MessageRow(
        int(raw["id"]),
        role,
        text,
        moment_from(raw.get("timestamp")),
        calls,
        _as_text(raw.get("tool_name")),
        _as_text(raw.get("tool_call_id")),
        added=_added_text(content, added),
        is_observed=bool(raw.get("observed")),
        is_mirrored=_is_mirrored(raw, role, text, calls),
        is_compacted=bool(raw.get("compacted")),
        is_rewound=raw.get("active") == 0 and not raw.get("compacted"),
        is_summary=bool(raw.get("_compressed_summary")) or holds_summary(text),
        is_cut=len(content.encode("utf-8", "replace")) > LONGEST,
    )


def plain_text(content: str) -> str:
    """The text of a content; parts that are not text become `[image]` or `[block]`."""
    if not content.startswith(STRUCTURED):
        return content
    value = parsed(content.removeprefix(STRUCTURED))
    if not isinstance(value, list):
        return "[block]"
    return "\n".join(_part(part) for part in value)


def calls_of(value: object) -> tuple[ToolCall, ...]:
    """The tool calls of an assistant's row. An unreadable one becomes a call without a name."""
    if value is None or value == "" or value == "null":
        return ()
    entries = parsed(value) if isinstance(value, str) else value
    if not isinstance(entries, list):
        return (ToolCall("", is_readable=False),)
    return tuple(call for entry in entries for call in _behind_bridge(_call(entry)))


def _call(raw: object) -> ToolCall:
    call = members(raw)
    function = call.get("function")
    fields = function if isinstance(function, dict) else call
    arguments = fields.get("arguments")
    value = parsed(arguments or "{}") if isinstance(arguments, str) else arguments
    name, id = _as_text(fields.get("name")), _as_text(call.get("id"))
    if isinstance(value, dict):
        return ToolCall(name, value, id)
    return ToolCall(name, id=id, is_readable=False)


BRIDGE: Final = "tool_call"
"""A tool of later versions that calls tools which are not in the prompt."""


def _behind_bridge(call: ToolCall) -> tuple[ToolCall, ...]:
    """The calls that a call of the bridge stands for; any other call is itself.

    What cannot be read as the bridge reads it stays a call of the bridge.
    """
    if call.name != BRIDGE or not call.is_readable:
        return (call,)
    entries = call.arguments.get("calls", call.arguments)
    if isinstance(entries, str):
        entries = parsed(entries)
    if isinstance(entries, dict):
        entries = [entries]
    if not isinstance(entries, list) or not entries:
        return (call,)
    calls = tuple(replace(_call(entry), id=call.id) for entry in entries)
    return calls if all(inner.name and inner.is_readable for inner in calls) else (call,)


def _added_text(content: str, added: object) -> str:
    if added is None or added == content:
        return ""
    text = _as_text(added).removeprefix(content).strip()
    notes = [digest(note.encode("utf-8", "replace")) for note in text.split("\n\n")]
    if text and _OWN_NOTES.issuperset(notes):
        return ""
    return text or "another text"


def _is_mirrored(raw: Mapping[str, Any], role: str, text: str, calls: tuple[ToolCall, ...]) -> bool:
    """Whether no model of this conversation wrote an assistant's row: it has no finish reason."""
    if role != "assistant" or calls or "finish_reason" not in raw:
        return False
    return raw["finish_reason"] is None and bool(text.strip()) and not holds_summary(text)


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
