"""Gemini CLI's events in Claude Code's words, and the gate that answers them.

An event has no id of its call: a call is known by its arguments, which are in the event and in the
transcript.
"""

from __future__ import annotations

import json
import os
import re

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.dialect import Dialect
from reviewdeck.agents.hermes.kit import digest, members, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = {
    "write_file": "Write",
    "replace": "Edit",
    "run_shell_command": "Bash",
    "read_file": "Read",
    "read_many_files": "Read",
    "grep_search": "Grep",
    "glob": "Glob",
    "list_directory": "LS",
    "write_todos": "TodoWrite",
    "ask_user": "AskUserQuestion",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
    "activate_skill": "Skill",
}
"""Claude Code's tools by the names of Gemini CLI's; the others keep theirs."""
_WRITING = ("write_file", "replace")
EVENTS = {
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "BeforeAgent": "UserPromptSubmit",
}
"""Claude Code's events by the names of Gemini CLI's."""


def arguments_of(tool: object, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool as Claude Code names them."""
    if tool == "replace":
        return {**given, "replace_all": given.get("allow_multiple") is True}
    if tool == "run_shell_command":
        return {**given, "run_in_background": given.get("is_background") is True}
    return given


def place_of(path: str, folder: str) -> str:
    """The file that a file tool's path means to Gemini CLI: an `@` before it may fall away, and
    percent escapes are read."""
    path = path.replace("\0", "")
    if path.startswith("@") and not os.path.exists(os.path.join(folder, path)):
        plain = path[1:].lstrip("/\\")
        first = os.path.join(folder, "@" + re.split(r"[/\\]", plain)[0])
        if plain and (path[1] in "/\\" or not os.path.exists(first)):
            path = plain
    return os.path.normpath(_unescaped(os.path.normpath(os.path.join(folder, path))))


def _unescaped(path: str) -> str:
    if "%" not in path or re.search("%(?![0-9A-Fa-f]{2})", path):
        return path
    from urllib.parse import unquote  # Few paths have any.

    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        return path


def call_id(tool: object, given: dict[str, Any]) -> str:
    """The id of a call, which another call of its session has only when it is the same again."""
    arguments = json.dumps([tool, given], sort_keys=True, ensure_ascii=False)
    return digest(arguments.encode("utf-8", "replace"))[:16]


def translate(event: dict[str, Any]) -> dict[str, Any]:
    """An event in Claude Code's words."""
    name, tool = str(event.get("hook_event_name")), event.get("tool_name")
    event = {**event, "hook_event_name": EVENTS.get(name, name)}
    if tool is None:
        return event
    given = members(event.get("tool_input"))
    folder, path = text_at(event, "cwd") or "/", given.get("file_path")
    arguments = arguments_of(tool, given)
    if tool in _WRITING and isinstance(path, str) and path:
        arguments = {**arguments, "file_path": place_of(path, folder)}
        if tool == "replace" and not os.path.isabs(path):
            # Where nothing is there, Gemini CLI looks for a file whose path ends so.
            is_there = os.path.exists(os.path.join(folder, path))
            event["sought"] = "" if is_there else path.lstrip("@").replace("\\", "/").lstrip("/")
    # The folder of a command is an argument of it, relative to that of the session.
    inner = text_at(given, "dir_path") if tool == "run_shell_command" else ""
    return {
        **event,
        "cwd": os.path.join(folder, inner),
        "tool_name": TOOLS.get(str(tool), tool),
        "tool_input": arguments,
        "tool_use_id": call_id(tool, given),
    }


def answer(said: dict[str, str]) -> dict[str, Any]:
    """An answer in Gemini CLI's words."""
    if "permissionDecision" in said:
        return {"decision": "deny", "reason": said["permissionDecisionReason"]}
    names = {of_claude: name for name, of_claude in EVENTS.items()}
    event = said["hookEventName"]
    return {"hookSpecificOutput": {**said, "hookEventName": names.get(event, event)}}


GEMINI = Dialect(
    "gemini",
    "Gemini CLI",
    ("write_file", "replace", "read_file"),
    ("/.gemini/settings.json",),
    translate,
    answer,
)


def main() -> None:
    """Answers one event. After an error it exits with 1: the entry's shell decides what then."""
    gate.main(GEMINI)
