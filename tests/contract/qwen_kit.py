"""The real Qwen Code on a folder of its own, with a model that answers from a script.

A double replays what the hooks of the real one were told. The real one runs where REVIEWDECK_QWEN
names the program. With REVIEWDECK_RECORD=1 as well, what its hooks were told, and what it kept of
the conversation, is recorded anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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

PROGRAM = os.environ.get("REVIEWDECK_QWEN", "")
needs_qwen = pytest.mark.skipif(
    not PROGRAM, reason="REVIEWDECK_QWEN names no program of Qwen Code 0.24.4"
)
_EXTRACTOR = "Managed memory has TWO directories"
"""How the task of the background extractor begins."""


class QwenPlace(Place):
    """A user's folder with Qwen Code's in it, and a repository."""

    agent = "qwen"


def fact(name: str, text: str, kind: str = "user") -> str:
    return f"---\nname: {name}\ndescription: {text}\ntype: {kind}\n---\n\n{text}\n"


def make_place(root: Path) -> QwenPlace:
    """A memory with one fact and its index, and a repository, with the gate before them."""
    place = QwenPlace(root)
    (place.memory / "project").mkdir(parents=True)
    place.project.mkdir()
    (place.memory / "project/store.md").write_text(fact("store", "We use Redis", "project"))
    (place.memory / "MEMORY.md").write_text("- [store](project/store.md) — We use Redis")
    reviewdeck(place, "qwen", "install", "--yes")
    return place


class _Model(Peer):
    """The model: one script for the conversation, and one for the extractor after it."""

    def __init__(self, turns: Sequence[Any], extractor: Sequence[Any]) -> None:
        self._turns, self._extractor = iter(turns), iter(extractor)
        self._lock = threading.Lock()
        super().__init__(())

    def line(self) -> Mapping[str, Any]:
        with self._lock:
            asked = json.loads(self.journal[-1])
            if len(asked.get("tools", ())) < 3:
                return DONE  # Which memories are of use, and the like.
            is_extractor = any(_EXTRACTOR in json.dumps(one) for one in asked["messages"])
            return next(self._extractor if is_extractor else self._turns, DONE)


class RealQwen:
    """The real program."""

    def __init__(self, *, resumed: str = "") -> None:
        self._resumed = resumed

    def converse(
        self, place: QwenPlace, name: str, turns: Sequence[Any], extractor: Sequence[Any] = ()
    ) -> Outcome:
        model = _Model(turns, extractor)
        heard = listen(place) if is_recording(name) else None
        resumed = ("--resume", self._resumed) if self._resumed else ()
        done = run_program(
            place,
            model,
            PROGRAM,
            *("-p", "Remember that I like tea.", "--output-format", "json"),
            *("--approval-mode", "yolo", *resumed),
            OPENAI_BASE_URL=f"{model.url}/v1",
            OPENAI_API_KEY="invented",
            OPENAI_MODEL="invented",
        )
        session = next(line["session_id"] for line in json.loads(done.stdout))
        outcome = Outcome(session=session)
        for message in (one for asked in model.requests for one in asked["messages"]):
            text = json.dumps(message.get("content"), ensure_ascii=False)
            if message["role"] == "tool" and "review" in text:
                outcome.refused[message["tool_call_id"]] = text
            elif message["role"] != "tool" and text not in outcome.told:
                outcome.told.append(text)
        if heard is not None:
            _record(place, name, heard, session)
        return outcome


class RecordedQwen:
    """A double: its hooks are told what those of 0.24.4 were, and it does what they let it."""

    def converse(
        self, place: QwenPlace, name: str, turns: Sequence[Any], extractor: Sequence[Any] = ()
    ) -> Outcome:
        chats = place.config / "projects" / place.slug / "chats"
        chats.mkdir(parents=True)
        (chats / "session-1.jsonl").write_text(read_recording(place, f"{name}.chat.jsonl"), "utf-8")
        outcome = Outcome(session="session-1")
        for line in read_recording(place, f"{name}.hooks.jsonl").splitlines():
            event = json.loads(line)
            answer = ask_hooks(place, event)
            if event["hook_event_name"] == "PreToolUse":
                if answer.get("permissionDecision") == "deny":
                    outcome.refused[event["tool_call_id"]] = answer["permissionDecisionReason"]
                elif event["tool_name"] == "run_shell_command":
                    place.run_shell(event)
        return outcome


def ask_hooks(place: QwenPlace, event: Mapping[str, Any]) -> dict[str, Any]:
    """What the hooks in the settings answer."""
    found = dict[str, Any]()
    for handler in place.handlers(event):
        done = start(place, handler, event)
        if done.returncode == 2:
            return {"permissionDecision": "deny", "permissionDecisionReason": done.stderr}
        assert done.returncode == 0, done.stderr
        found |= json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return found


def start(
    place: QwenPlace, handler: Mapping[str, Any], event: Mapping[str, Any]
) -> subprocess.CompletedProcess[str]:
    """One hook, as Qwen Code starts it."""
    return place.start(["bash", "-c", handler["command"]], event)


def _record(place: QwenPlace, name: str, heard: Path, session: str) -> None:
    """Keeps what the hooks were told and what was kept, without the ids of this run."""
    chat = place.config / "projects" / place.slug / "chats" / f"{session}.jsonl"
    for kind, file in {"hooks": heard, "chat": chat}.items():
        text = file.read_text("utf-8").replace(session, "session-1")
        write_recording(place, f"{name}.{kind}.jsonl", text)
