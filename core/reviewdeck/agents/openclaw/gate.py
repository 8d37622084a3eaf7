"""The gate before OpenClaw: answers the plugin's question about one call of a file tool.

A write to a document is staged for review and refused. An error is never an answer that allows a
write: this program then exits with 1, and the plugin has OpenClaw block the call.
"""

from __future__ import annotations

import json
import os
import sys

from reviewdeck.agents.gated import verdicts
from reviewdeck.agents.gated.edits import NotExact
from reviewdeck.agents.gated.gate import NO_PATH, is_no_path, not_taken, take
from reviewdeck.agents.gated.roots import NotStaged, Root, roots_of
from reviewdeck.agents.gated.switches import MARK
from reviewdeck.agents.hermes.kit import members, text_at

from .edits import result_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SKILLS = ("skills/", "workshop-skills/")
_UNSURE = "this session may work in another folder: name the file by its absolute path"


def main() -> None:
    """Answers one question on the standard output."""
    try:
        roots = roots_of(sys.argv[sys.argv.index(MARK) + 1 :])
        reason = answer_to(json.loads(sys.stdin.buffer.read()), roots)
    except Exception as error:  # noqa: BLE001 - on any error OpenClaw blocks the call
        sys.stderr.write(f"reviewdeck could not look at this call: {type(error).__name__}.")
        sys.exit(1)
    sys.stdout.write(json.dumps({"reason": reason}))
    sys.stdout.flush()


def answer_to(question: dict[str, Any], roots: list[Root]) -> str:
    """The reason for blocking a call; empty where none of its files is a document."""
    folder, found = text_at(question, "cwd") or "/", {}
    for path in question["paths"]:
        if is_no_path(path):
            return not_taken(path, NO_PATH)
        place = os.path.join(folder, os.path.expanduser(path))
        for root in roots:
            try:
                document = root.document(place)
            except NotStaged as error:
                return not_taken(path, str(error))
            if document is not None:
                found[root.place(document)] = (root, document)
    if not found:
        return ""
    root, document = next(iter(found.values()))
    if question.get("unsure"):
        return not_taken(document, _UNSURE)
    reason = _taken(question, root, document, is_alone=len(found) == 1)
    try:
        told = verdicts.untold(roots, question.get("session"))
    except (NotStaged, OSError):
        return reason  # The verdicts stay untold, for the next call.
    return f"{reason}\n\n{told}" if told else reason


def _taken(question: dict[str, Any], root: Root, document: str, *, is_alone: bool) -> str:
    tool, params = text_at(question, "tool"), members(question.get("params"))

    def text_of(base: str | None) -> str:
        if not is_alone and tool != "apply_patch":
            raise NotExact("the call names more than one file")
        return result_of(tool, params, base)

    # The files of a skill belong together; other documents of one run have nothing in common.
    part = "/".join(document.split("/")[:2]) if document.startswith(_SKILLS) else document
    run = text_at(question, "run")
    event = {
        "tool_use_id": question.get("call"),
        "tool_name": tool,
        "session_id": question.get("session"),
        "prompt_id": f"{run}:{part}" if run else None,
        "agent_id": question.get("agent"),
        "agent_type": "openclaw",
        "cwd": question.get("cwd"),
    }
    return take(event, root, document, text_of)
