"""A session of OpenClaw as rows. What is unknown in it counts as foreign text.

Its format is not documented.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, objects, text_at
from reviewdeck.clock import moment_from
from reviewdeck.homes.gated.transcripts import CUT, TEXT
from reviewdeck.homes.openclaw.database import Session
from reviewdeck.origin.conversation import MessageRow, SessionRows, ToolCall

_SILENT: Final = frozenset(
    {"session", "model_change", "thinking_level_change", "custom", "label", "session_info", "reset"}
)
"""Events that bring no text to the model."""
_SUMMARIES: Final = frozenset({"compaction", "branch_summary"})
"""Made of rows that are kept and counted themselves."""
_ANSWER: Final = frozenset({"text", "thinking", "toolCall"})
"""The parts of an answer; what else stands in one, nobody knows."""
_NESTED: Final = "openclaw.nested-tool.v1"
"""A call that the model made through `tool_call`."""


@dataclass(frozen=True, slots=True)
class OpenClawSession:
    """A session, with what tells which of its calls were carried out."""

    rows: SessionRows
    refused: frozenset[tuple[int, str]]
    """The row and the id of each call that failed or was blocked."""
    is_started: bool
    """Whether another session started it."""
    drafts: Mapping[tuple[str, str], int]
    """The row that left a draft in the Workshop, by the proposal's id and the draft's SHA-256."""

    @property
    def done(self) -> tuple[MessageRow, ...]:
        """The rows without calls that failed or were blocked."""
        return tuple(
            replace(
                row,
                calls=tuple(call for call in row.calls if (row.id, call.id) not in self.refused),
            )
            for row in self.rows.rows
        )

    def row_of(self, call: str, until: datetime) -> MessageRow | None:
        """The last row up to a moment that makes this call: providers repeat the ids of calls."""
        made = (row for row in self._until(until) if any(call == one.id for one in row.calls))
        return max(made, key=lambda row: row.id, default=None) if call else None

    def last_before(self, until: datetime) -> int:
        """The id of the last row up to a moment."""
        return max((row.id for row in self._until(until)), default=-1)

    def _until(self, until: datetime) -> Iterator[MessageRow]:
        return (row for row in self.rows.rows if row.at is None or row.at <= until)


def recorded(session: Session, events: Sequence[Mapping[str, Any]]) -> OpenClawSession:
    """The rows of a session's events."""
    cwd = next((text_at(event, "cwd") for event in events if event.get("type") == "session"), "")
    rows = tuple(_messages(events))
    told = SessionRows(
        session.id,
        source=session.source,
        rows=rows,
        chat_type="dm" if session.chat_type == "direct" else session.chat_type,
        user_id=session.account,
        started_at=moment_from(session.began),
        cwd=cwd,
        models=session.models,
    )
    refused, drafts = frozenset(_refused(rows, events)), dict(_drafts(rows, events))
    return OpenClawSession(told, refused, session.is_started, drafts)


def _drafts(
    rows: Sequence[MessageRow], events: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[tuple[str, str], int]]:
    for row in rows:
        message = members(events[row.id].get("message"))
        if text_at(message, "customType") == _NESTED:
            message = members(message.get("details"))
            message = {**message, "details": members(message.get("result")).get("details")}
        if text_at(message, "toolName") == "skill_workshop" and message.get("isError") is not True:
            left = members(message.get("details"))
            yield (text_at(left, "id"), text_at(left, "draftHash")), row.id


def _refused(
    rows: Sequence[MessageRow], events: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, str]]:
    """Each call whose result is an error: the last call of this id before its result."""
    made: dict[str, int] = {}
    for row in rows:
        made.update((call.id, row.id) for call in row.calls)
        message = members(events[row.id].get("message"))
        if text_at(message, "customType") == _NESTED:
            message = members(message.get("details"))
        id = text_at(message, "toolCallId")
        if message.get("isError") is True and id in made:
            yield made[id], id


def _messages(events: Sequence[Mapping[str, Any]]) -> Iterator[MessageRow]:
    messages = [members(event.get("message")) for event in events]
    nested = {
        text_at(members(message.get("details")), "parentToolCallId")
        for message in messages
        if text_at(message, "customType") == _NESTED
    }
    for number, event in enumerate(events):
        kind, at = text_at(event, "type"), moment_from(event.get("timestamp"))
        if kind == "message":
            yield _message(number, messages[number], at, nested)
        elif kind not in _SILENT | _SUMMARIES:
            text = _text(event.get("content")) or f"an event of the kind {kind[:64]}"
            yield MessageRow(number, "system", "", at, added=text[:CUT])


def _message(
    number: int, message: Mapping[str, Any], at: datetime | None, nested: set[str]
) -> MessageRow:
    text, role = _text(message.get("content")), text_at(message, "role")
    row = MessageRow(number, "system", text[:TEXT], at, is_cut=len(text) > TEXT)
    match role:
        case "user":
            # Only OpenClaw knows who sent it: where it does not say the owner, somebody else did.
            is_owner = members(message.get("__openclaw")).get("senderIsOwner") is True
            return replace(row, role=role, is_observed=not is_owner)
        case "assistant":
            blocks = objects(message.get("content"))
            calls = (
                _call(block, "arguments") for block in blocks if block.get("type") == "toolCall"
            )
            # What went through `tool_call` has a row of its own.
            own = tuple(call for call in calls if call.name != "tool_call" or call.id not in nested)
            parts = (str(block.get("type")) for block in blocks)
            other = ", ".join(part for part in parts if part not in _ANSWER)
            return replace(row, role=role, calls=own, added=other[:CUT])
        case "toolResult":
            tool, id = text_at(message, "toolName"), text_at(message, "toolCallId")
            return row if id in nested else replace(row, role="tool", tool=tool, call=id)
        case "bashExecution":
            return replace(row, calls=(ToolCall("exec", {"command": message.get("command")}),))
        case "custom" if text_at(message, "customType") == _NESTED:
            details = members(message.get("details"))
            call = _call({**details, "id": details.get("toolCallId")}, "input", "toolName")
            return replace(row, role="assistant", calls=(call,))
        case _:
            return replace(row, text="", added=text[:CUT] or f"a row of {role[:64]}")


def _call(block: Mapping[str, Any], arguments: str, name: str = "name") -> ToolCall:
    given, id = block.get(arguments), text_at(block, "id")
    if not isinstance(given, dict):
        return ToolCall(text_at(block, name), id=id, is_readable=False)
    return ToolCall(text_at(block, name), given, id)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        text_at(block, "text") if block.get("type") == "text" else f"[{block.get('type')}]"
        for block in objects(content)
        if block.get("type") not in ("toolCall", "thinking")
    )
