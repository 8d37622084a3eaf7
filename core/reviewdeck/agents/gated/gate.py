"""The gate: answers each event of an agent with Claude Code's hooks on its standard output.

A write to a document is staged for review and denied; it fails closed. A command that names a
document is denied unless it plainly reads; for any other call the documents are compared before and
after, and the call is never denied. An error here is never an answer that allows a write.
"""

from __future__ import annotations

import json
import os
import sys

from reviewdeck.agents.hermes.kit import line, members

from . import calls, verdicts
from .documents import INDEX, is_derived
from .edits import NotExact, result_of
from .roots import NotStaged, Root, roots_of
from .stage import stage
from .switches import MARK, our_handlers, switched_off_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .dialect import Dialect

FILE_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
SHELLS = ("Bash", "PowerShell")
SKILL_COMMAND = "PreSkillShellCommand"
"""The event before a command in a skill's text runs, which Claude Code has from 2.1.332 on."""
STRICT = "strict"
"""The argument of the entries that refuse the call when the gate fails."""
BLOCKED = 2
"""The exit code with which Claude Code refuses a call, in every version."""

NO_PATH = "no file has such a path"
_TAKEN = (
    "reviewdeck took this change of {document} for review; nothing failed. The file stays as it is "
    "until a person decides, and the verdict is told later. Go on with other work: "
    "there is no need to write it again or in another way. `reviewdeck list` shows what waits."
)
_WAITING = (
    "This very change of {document} is waiting for review already. The file stays as it is until "
    "a person decides. There is no need to write it again or in another way."
)
_NOT_TAKEN = (
    "reviewdeck reviews {document} and could not take this change: {why}. The file is as it was."
)
_DERIVED = (
    "{agent} itself writes {document} from the front matter of the memories beside it; no other "
    "line stays in it. Write the memory alone: it is taken for review. The file is as it was."
)
_COMMAND = (
    "This command names memory, instructions, skills or settings of {agent}, which reviewdeck "
    "reviews, and may write to them. Use {write} or {edit} for that: it is taken for review. To "
    "look at them, use {read}, or a command that only reads, like cat or grep."
)
_SETTINGS = (
    "This change of {agent}'s settings would switch off the review of memory and instructions "
    "({why}). A person does that with `reviewdeck {key} uninstall`. The file is as it was."
)


def main(dialect: Dialect) -> None:
    """Answers one event. After an error it exits with 1, which allows the call; a strict entry
    exits with 2, which denies it."""
    arguments = sys.argv[1:]
    roots = [argument for argument in arguments[arguments.index(MARK) + 1 :] if argument != STRICT]
    try:
        answer = answer_to(json.loads(sys.stdin.buffer.read()), roots_of(roots), dialect)
    except Exception as error:  # noqa: BLE001 - on any error, a strict entry denies the call
        sys.stderr.write(f"reviewdeck could not look at this call: {_reason(error)}.")
        sys.exit(BLOCKED if STRICT in arguments else 1)
    if answer:
        sys.stdout.write(json.dumps(dialect.answer(answer)))
        sys.stdout.flush()


def answer_to(event: dict[str, Any], roots: list[Root], dialect: Dialect) -> dict[str, str]:
    """The answer to the agent; empty where the call is allowed."""
    event = dialect.translate(event)
    name, tool = event.get("hook_event_name"), event.get("tool_name")
    match name:
        case "PreToolUse" if tool in FILE_TOOLS:
            reason = before_file_tool(event, roots, dialect)
        case "PreToolUse" | "PreSkillShellCommand":
            reason = before_other(event, roots, dialect)
        case "PostToolUse" | "PostToolUseFailure":
            for root in roots:
                calls.end(root, event)
            return {}
        case "SessionStart" | "UserPromptSubmit":
            return between_prompts(event, roots)
        case _:
            return {}
    if not reason:
        return {}
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookEventName": str(name), **decision}


def before_file_tool(event: dict[str, Any], roots: list[Root], dialect: Dialect) -> str:
    """The reason for denying a file tool's call; empty for a file that is not governed."""
    tool, tool_input = event["tool_name"], event["tool_input"]
    path = tool_input.get("notebook_path") or tool_input["file_path"]
    if isinstance(path, str) and is_no_path(path):
        return not_taken(path, NO_PATH)
    place = os.path.join(event.get("cwd") or "/", os.path.expanduser(path))
    for root in roots:
        if event.get("sought") and root.ends_with(event["sought"]):
            return not_taken(path, "name it by its whole path")
        try:
            document = root.document(place)
        except NotStaged as error:
            return not_taken(path, str(error))
        if document is not None and is_derived(root.layout, document):
            return _DERIVED.format(agent=dialect.name, document=line(document))
        if document is not None:
            return take(
                event, root, document, lambda base: result_of(tool, tool_input, base, dialect.key)
            )
    is_settings = os.path.realpath(place).endswith(dialect.settings_files)
    if is_settings or any(root.has_settings(place) for root in roots):
        why = _check_settings(event, roots, os.path.realpath(place), dialect.key)
        return _SETTINGS.format(agent=dialect.name, key=dialect.key, why=why) if why else ""
    return ""


def take(
    event: dict[str, Any], root: Root, document: str, text_of: Callable[[str | None], str]
) -> str:
    """Stages a write of this document, by its text after the call, and says so to the agent."""
    try:
        before = root.read(document)
        base = None if before is None else before.decode()
        text = text_of(base)
        text.encode()
        if text == base:
            return not_taken(document, "it changes nothing")
        is_new = stage(root, event, document, before, text)
    except (NotStaged, NotExact, OSError, ValueError) as error:
        return not_taken(document, _reason(error))
    return (_TAKEN if is_new else _WAITING).format(document=line(document))


def is_no_path(path: str) -> bool:
    """Whether no file has this path: the agent takes it for another one, and may find a link."""
    return "\0" in path or _as_written(path) != path


def _as_written(text: str) -> str:
    """A text as JavaScript writes it to a shell or a system call: half a character is another."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def not_taken(document: str, why: str) -> str:
    """The answer about a write that cannot be staged."""
    return _NOT_TAKEN.format(document=line(document), why=why)


def _check_settings(event: dict[str, Any], roots: list[Root], place: str, key: str) -> str:
    """How a write to a settings file switches the gate off; empty where the gate stays on."""
    try:
        try:
            with open(place, "rb") as file:
                base = file.read().decode()
        except FileNotFoundError:
            base = None
        after = json.loads(result_of(event["tool_name"], event["tool_input"], base, key))
        before = json.loads(base) if base and base.strip() else {}
    except (NotExact, OSError, ValueError, RecursionError) as error:
        return f"it cannot be told what it writes: {_reason(error)}"
    if not isinstance(after, dict):
        return "it leaves no settings"
    before = before if isinstance(before, dict) else {}
    was_off = switched_off_by(before, key)
    off = [each for each in switched_off_by(after, key) if each not in was_off]
    if off:
        return f"it sets {', '.join(off)}"
    remaining = our_handlers(after)
    if any(handler not in remaining for handler in our_handlers(before)):
        return "it removes the hooks of reviewdeck"
    memory = after.get("autoMemoryDirectory")
    if isinstance(memory, str) and memory != before.get("autoMemoryDirectory"):
        index = os.path.join(os.path.expanduser(memory), INDEX)
        if not any(root.covers(index) for root in roots):
            return "it moves the memory to a folder that is not reviewed"
    return ""


def before_other(event: dict[str, Any], roots: list[Root], dialect: Dialect) -> str:
    """The reason for denying a shell command; empty for other calls, which `calls` watches."""
    command = members(event.get("tool_input")).get("command")
    if event.get("tool_name") in SHELLS and isinstance(command, str):
        command = _as_written(command)
        folder = event.get("cwd") or "/"
        if any(root.may_be_named(command, folder) for root in roots):
            # Imported late: most calls do not need it.
            from .shell import names_documents, plainly_reads

            if names_documents(roots, command, folder, os.environ) and not plainly_reads(command):
                tools = {"write": dialect.write, "edit": dialect.edit, "read": dialect.read}
                return _COMMAND.format(agent=dialect.name, **tools)
    for root in roots:
        calls.begin(root, event)
    return ""


def between_prompts(event: dict[str, Any], roots: list[Root]) -> dict[str, str]:
    """Closes open calls, and tells the session the verdicts on its proposals."""
    session = event.get("session_id")
    for root in roots:
        calls.end_open(root, session)
    text = verdicts.untold(roots, session)
    name = str(event["hook_event_name"])
    return {"hookEventName": name, "additionalContext": text} if text else {}


def _reason(error: Exception) -> str:
    """The reason of an error for the agent, without paths and written text."""
    match error:
        case NotStaged() | NotExact():
            return str(error)
        case OSError():
            return f"it could not be kept ({error.strerror})"
        case UnicodeError():
            return "it is not UTF-8 text"
        case ValueError():
            return "it is not valid JSON"
        case _:
            return type(error).__name__
