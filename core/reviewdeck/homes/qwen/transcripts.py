"""Qwen Code's transcripts, `projects/<slug>/chats/<session>.jsonl`, in Claude Code's form.

The calls of an agent in the background, such as the one that extracts memories, stand in them as
telemetry alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reviewdeck.agents.hermes.kit import items, members, text_at
from reviewdeck.agents.qwen.gate import TOOLS, arguments_of, call_id
from reviewdeck.homes.gated.conversations import GatedConversations
from reviewdeck.homes.gated.transcripts import UNREADABLE, Form

_OWN_CALL: Final = "########"
"""In the id of a prompt: a call of the session itself, which has a line of its own."""


class _Translator:
    """Translates the lines of one transcript, in their order."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        """The ids that calls have for us, by those that they have in the transcript."""
        self._is_expanded = False
        """Whether the next prompt is what a command of the user became."""

    def __call__(self, raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        yield self._line(raw)

    def _line(self, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        match raw.get("type"), raw.get("subtype"):
            case "user", _:
                is_typed = raw.get("provenance") == "real_user" and not self._is_expanded
                self._is_expanded = False
                kind, message = "human" if is_typed else "other", self._message(raw)
                shown = members(raw.get("systemPayload")).get("displayText")
                if isinstance(shown, str) and _first_text(message) != shown:
                    message["content"].insert(0, {"type": "text", "text": shown})
                return {**raw, "message": message, "origin": {"kind": kind}}
            case "tool_result", _:
                return {**raw, "type": "user", "message": self._message(raw)}
            case "assistant", _:
                return {**raw, "message": {**self._message(raw), "model": raw.get("model")}}
            case "system", "ui_telemetry" if calls := [*self._background_calls(raw)]:
                return {**raw, "type": "assistant", "message": {"content": calls}}
            case "system", "at_command":
                files = items(members(raw.get("systemPayload")).get("filesRead"))
                calls = [self._call("", "read_file", {"file_path": file}) for file in files]
                return {**raw, "type": "assistant", "message": {"content": calls}}
            case "system", "slash_command":
                told = members(raw.get("systemPayload"))
                if told.get("phase") == "invocation":
                    self._is_expanded = told.get("sentToModel") is not False
                return raw
            case "system", "chat_compression":
                return {**raw, "subtype": "compact_boundary"}
            case _:
                return raw

    def _message(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        parts = members(raw.get("message")).get("parts")
        blocks = parts if isinstance(parts, list) else [UNREADABLE]
        return {"content": [self._block(members(part)) for part in blocks]}

    def _block(self, part: dict[str, Any]) -> dict[str, Any]:
        called, answer = members(part.get("functionCall")), members(part.get("functionResponse"))
        if called:
            given = members(called.get("args"))
            return self._call(text_at(called, "id"), text_at(called, "name"), given)
        if answer:
            id = text_at(answer, "id")
            said = json.dumps(answer.get("response"), ensure_ascii=False)
            return {"type": "tool_result", "tool_use_id": self._ids.get(id, id), "content": said}
        kind = "thinking" if part.get("thought") else "text" if "text" in part else "data"
        return {"type": kind, "text": part.get("text")}

    def _background_calls(self, raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        event = members(members(raw.get("systemPayload")).get("uiEvent"))
        is_call = event.get("event.name") == "qwen-code.tool_call"
        if is_call and _OWN_CALL not in text_at(event, "prompt_id"):
            given = members(event.get("function_args"))
            yield self._call(text_at(event, "call_id"), text_at(event, "function_name"), given)

    def _call(self, id: str, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        self._ids[id] = call_id(id, given)
        name, arguments = TOOLS.get(tool, tool), arguments_of(tool, given)
        return {"type": "tool_use", "id": self._ids[id], "name": name, "input": arguments}


QWEN_FORM: Final = Form(("chats",), _Translator)


def _first_text(message: Mapping[str, Any]) -> str:
    return text_at(next(iter(message["content"]), {}), "text")


class QwenConversations(GatedConversations):
    """The conversations of Qwen Code."""

    form = QWEN_FORM
