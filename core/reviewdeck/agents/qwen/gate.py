"""Qwen Code's events in Claude Code's words, and the gate that answers them.

A provider may give two calls the same id. So a call is known by its id and its arguments: both are
in the event and in the transcript.
"""

from __future__ import annotations

import json

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.dialect import Dialect
from reviewdeck.agents.hermes.kit import digest, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = {
    "write_file": "Write",
    "edit": "Edit",
    "notebook_edit": "NotebookEdit",
    "run_shell_command": "Bash",
    "monitor": "Bash",
    "read_file": "Read",
    "grep_search": "Grep",
    "glob": "Glob",
    "list_directory": "LS",
    "todo_write": "TodoWrite",
    "ask_user_question": "AskUserQuestion",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
    "task_create": "TaskCreate",
    "task_update": "TaskUpdate",
    "task_list": "TaskList",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "skill": "Skill",
}
"""Claude Code's tools by the names of Qwen Code's; the others keep theirs."""


def arguments_of(tool: object, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool as Claude Code names them."""
    if tool in ("run_shell_command", "monitor"):
        is_background = given.get("is_background") is True or tool == "monitor"
        return {**given, "run_in_background": is_background}
    return given


def call_id(id: object, given: dict[str, Any]) -> str:
    """The id of a call that no other call of its session has, unless it is the same again."""
    arguments = json.dumps(given, sort_keys=True, ensure_ascii=False)
    return f"{id}-{digest(arguments.encode('utf-8', 'replace'))[:12]}"


def translate(event: dict[str, Any]) -> dict[str, Any]:
    """An event in Claude Code's words."""
    tool, given = event.get("tool_name"), members(event.get("tool_input"))
    if tool is None:
        return event
    return {
        **event,
        "tool_name": TOOLS.get(str(tool), tool),
        "tool_input": arguments_of(tool, given),
        "tool_use_id": call_id(event.get("tool_call_id") or event.get("tool_use_id"), given),
    }


QWEN = Dialect(
    "qwen", "Qwen Code", ("write_file", "edit", "read_file"), ("/.qwen/settings.json",), translate
)


def main() -> None:
    """Answers one event. After an error it exits with 1: the entry's shell decides what then."""
    gate.main(QWEN)
