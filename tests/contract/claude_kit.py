"""The real Claude Code on a folder of its own, with a model that answers from a script.

A double replays what the hooks of the real one were told.

The real one runs where REVIEWDECK_CLAUDE names the program. It is proprietary: it is never part of
this repository.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.contract.hooked_kit import (
    DONE,
    Outcome,
    Place,
    is_recording,
    listen,
    read_recording,
    reviewdeck,
    run_program,
    write_recording,
)
from tests.reviewer.peer import Peer

from reviewdeck.agents.gated.gate import FILE_TOOLS, SHELLS

PROGRAM = os.environ.get("REVIEWDECK_CLAUDE", "")
needs_claude = pytest.mark.skipif(
    not PROGRAM, reason="REVIEWDECK_CLAUDE names no program of Claude Code 2.1.332"
)
HELPER = "You are the helper."
"""How the prompt of a subagent begins in the scripts."""


class ClaudePlace(Place):
    """A user's folder with Claude Code's in it, and a repository."""

    agent = "claude"


def make_place(root: Path) -> ClaudePlace:
    """A memory with one fact and its index, and a repository, with the gate before them."""
    place = ClaudePlace(root)
    place.memory.mkdir(parents=True)
    place.project.mkdir()
    (place.memory / "MEMORY.md").write_text("- [Store](store.md) — what we store in\n", "utf-8")
    (place.memory / "store.md").write_text("We store in “Redis”, and it’s fast.\n", "utf-8")
    reviewdeck(place, "claude", "install", "--yes")
    return place


class Agent(Protocol):
    """Claude Code, or its double."""

    def converse(
        self, place: Place, name: str, turns: Sequence[Any], helper: Sequence[Any] = ()
    ) -> Outcome:
        """Has a conversation in which the model answers so."""
        ...


class _Model(Peer):
    """The model: one script for the conversation, and one for its helper."""

    def __init__(self, turns: Sequence[Any], helper: Sequence[Any]) -> None:
        self._turns, self._helper = iter(turns), iter(helper)
        self._lock = threading.Lock()
        super().__init__(())

    def line(self) -> Mapping[str, Any]:
        with self._lock:
            asked = json.loads(self.journal[-1])
            if not asked.get("tools"):
                return DONE
            is_helper = HELPER in json.dumps(asked["messages"][0])
            return next(self._helper if is_helper else self._turns, DONE)


class RealAgent:
    """The real program."""

    def __init__(self, *, resumed: str = "", mode: str = "acceptEdits") -> None:
        self._resumed, self._mode = resumed, mode

    def converse(
        self, place: Place, name: str, turns: Sequence[Any], helper: Sequence[Any] = ()
    ) -> Outcome:
        model = _Model(turns, helper)
        heard = listen(place) if is_recording(name) else None
        resumed = ("--resume", self._resumed) if self._resumed else ()
        done = run_program(
            place,
            model,
            PROGRAM,
            *("-p", "Go on.", "--output-format", "json", "--permission-mode", self._mode),
            *("--allowedTools", "Bash,Write,Edit,Read,Agent,Skill", *resumed),
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="invented",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_AUTOUPDATER="1",
            IS_SANDBOX="1",  # It allows every mode to whoever tests as root.
        )
        outcome = Outcome(session=json.loads(done.stdout)["session_id"])
        for block in (one for asked in model.requests for one in _blocks(asked)):
            if block.get("type") == "tool_result" and "hook error" in json.dumps(block):
                outcome.refused[block["tool_use_id"]] = str(block["content"])
            if block.get("type") == "text" and block["text"] not in outcome.told:
                outcome.told.append(block["text"])
        if heard is not None:
            _record(place, name, heard.read_text("utf-8").splitlines())
        return outcome


class RecordedAgent:
    """A double: its hooks are told what those of 2.1.332 were, and it does what they let it."""

    def converse(
        self, place: Place, name: str, turns: Sequence[Any], helper: Sequence[Any] = ()
    ) -> Outcome:
        outcome = Outcome(session="session-1")
        for event in recorded(place, name):
            answer = ask_hooks(place, event)
            outcome.told += [answer["additionalContext"]] if "additionalContext" in answer else []
            if event["hook_event_name"] not in ("PreToolUse", "PreSkillShellCommand"):
                continue
            if answer.get("permissionDecision") == "deny":
                outcome.refused[event["tool_use_id"]] = answer["permissionDecisionReason"]
            elif event["tool_name"] in SHELLS:
                place.run_shell(event)
            elif event["tool_name"] in FILE_TOOLS:
                path = event["tool_input"]["file_path"]
                raise AssertionError(f"{event['tool_name']} of {path} was let through")
        return outcome


def recorded(place: Place, name: str) -> Iterator[dict[str, Any]]:
    """What the hooks were told in a conversation, as if it were had in this place."""
    yield from map(json.loads, read_recording(place, f"hook-io/{name}.jsonl").splitlines())


def ask_hooks(place: Place, event: Mapping[str, Any]) -> dict[str, Any]:
    """What the hooks in the settings answer, as Claude Code takes it: a refusal wins."""
    found: dict[str, Any] = {}
    for handler in place.handlers(event):  # Those of one group differ in the rule alone.
        done = place.start([handler["command"], *handler["args"]], event)
        if done.returncode == 2:
            reason = {"permissionDecision": "deny", "permissionDecisionReason": done.stderr}
            return {**found, **reason}
        assert done.returncode == 0, done.stderr
        found |= json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return found


def _record(place: Place, name: str, lines: Sequence[str]) -> None:
    """Keeps what the hooks were told, without the ids of this run."""
    text = "\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in lines)
    for key, short in (("session_id", "session"), ("prompt_id", "prompt"), ("agent_id", "agent")):
        known = dict.fromkeys(re.findall(rf'"{key}": "([^"]+)"', text))
        for number, value in enumerate(known, 1):
            text = text.replace(value, f"{short}-{number}")
    write_recording(place, f"hook-io/{name}.jsonl", text + "\n")


def _blocks(asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for message in asked.get("messages", ()):
        content = message["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content
