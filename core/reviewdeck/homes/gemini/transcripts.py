"""Gemini CLI's transcripts, `tmp/<project>/chats/session-<time>-<id>.jsonl`, in Claude's form.

A line is a message, or `$set` with messages. A message comes again with the calls that it made: it
is read as a further one, so that nothing that took part is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reviewdeck.agents.gemini.gate import TOOLS, arguments_of, call_id
from reviewdeck.agents.hermes.kit import members, objects, text_at
from reviewdeck.homes.gated.transcripts import UNREADABLE, Form

_SHORT: Final = 8
"""Characters of a session's id in the name of its file."""
_FILE: Final = "session-"
_CONTEXT: Final = "<session_context>\n"
_LOST: Final = "(a line that cannot be read)"
"""The predecessor of what comes behind such a line: an id that no line has."""


class _Translator:
    """Translates the lines of one transcript, in their order."""

    def __init__(self) -> None:
        self._last = ""
        self._lines = 0
        self._ids: dict[str, str] = {}
        """The ids that calls have for us, by those that they have in the transcript."""

    def __call__(self, raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        if raw is UNREADABLE:
            self._last = _LOST
        given = objects(members(raw.get("$set")).get("messages"))
        for message in given or [dict(raw)]:
            lines = () if given and _is_own(message) else self._lines_of(message)
            for line in lines:
                self._lines += 1
                id = f"{text_at(message, 'id')}.{self._lines}"
                yield {"timestamp": message.get("timestamp"), **line} | {
                    "uuid": id,
                    "parentUuid": self._last,
                }
                self._last = id

    def _lines_of(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        content = message.get("content")
        parts = objects([{"text": content}] if isinstance(content, str) else content)
        answers = [members(part.get("functionResponse")) for part in parts]
        match message.get("type"):
            case "user" if any(answers):
                for answer in filter(None, answers):
                    yield {"type": "user", "message": {"content": [self._result(answer)]}}
            case "user":
                typed = message.get("displayContent")
                typed = objects([{"text": typed}] if isinstance(typed, str) else typed)
                typed = [] if typed == parts[: len(typed)] else typed
                yield {"type": "user", "message": {"content": [*map(_text, [*typed, *parts])]}}
            case "gemini":
                made = message.get("toolCalls") or []
                calls = [
                    self._call(members(call))
                    for call in (made if isinstance(made, list) else [made])
                ]
                calls += [
                    self._call(call)
                    for part in parts
                    if (call := members(part.get("functionCall")))
                ]
                told = [part for part in parts if not part.get("functionCall")]
                blocks = [*map(_text, told), *calls]
                yield {
                    "type": "assistant",
                    "message": {"content": blocks, "model": message.get("model")},
                }
            case "info" | "warning" | "error":
                return
            case None if "content" not in message:
                return
            case kind:
                attachment = {"type": str(kind)[:64]}
                yield {"type": "attachment", "renderedRole": "user", "attachment": attachment}

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        tool, given, id = text_at(call, "name"), members(call.get("args")), text_at(call, "id")
        self._ids[id] = call_id(tool, given)
        name, arguments = TOOLS.get(tool, tool), arguments_of(tool, given)
        return {"type": "tool_use", "id": self._ids[id], "name": name, "input": arguments}

    def _result(self, answer: dict[str, Any]) -> dict[str, Any]:
        id, said = text_at(answer, "id"), json.dumps(answer.get("response"), ensure_ascii=False)
        return {"type": "tool_result", "tool_use_id": self._ids.get(id, id), "content": said}


def _is_own(message: dict[str, Any]) -> bool:
    """Whether Gemini CLI itself put a message there: what it says of the day and the folder."""
    first = next(iter(objects(message.get("content"))), {})
    return text_at(first, "text").startswith(_CONTEXT)


def _text(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text" if "text" in part else "data", "text": part.get("text")}


def _end_of(session: str) -> str:
    """A session is also known by its file's name."""
    return f"/{session}.jsonl" if session.startswith(_FILE) else f"-{session[:_SHORT]}.jsonl"


GEMINI_FORM: Final = Form(("chats",), _Translator, _end_of, ".project_root")
