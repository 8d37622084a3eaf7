"""The real Qwen Code on a folder of its own, with a model that answers from a script.

A double replays what the hooks of the real one were told. The real one runs where REVIEWDECK_QWEN
names the program. With REVIEWDECK_RECORD=1 as well, what its hooks were told, and what it kept of
the conversation, is recorded anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.contract.claude_kit import Outcome, Place, reviewdeck
from tests.reviewer.peer import Peer

PROGRAM = os.environ.get("REVIEWDECK_QWEN", "")
needs_qwen = pytest.mark.skipif(
    not PROGRAM, reason="REVIEWDECK_QWEN names no program of Qwen Code 0.24.4"
)
RECORDED = Path(__file__).parents[1] / "fixtures" / "qwen"
_DONE: Mapping[str, Any] = {"say": "Done."}
_EXTRACTOR = "Managed memory has TWO directories"
"""How the task of the background extractor begins."""


class QwenPlace(Place):
    """A user's folder with Qwen Code's in it, and a repository."""

    @property
    def config(self) -> Path:
        return self.home / ".qwen"

    def records(self) -> list[dict[str, Any]]:
        return self._kept("pending")

    def calls(self) -> list[dict[str, Any]]:
        return self._kept("calls")

    def _kept(self, name: str) -> list[dict[str, Any]]:
        folder = self.config / ".reviewdeck" / "qwen" / name
        return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


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
                return _DONE  # Which memories are of use, and the like.
            is_extractor = any(_EXTRACTOR in json.dumps(one) for one in asked["messages"])
            return next(self._extractor if is_extractor else self._turns, _DONE)


class RealQwen:
    """The real program."""

    def __init__(self, *, resumed: str = "") -> None:
        self._resumed = resumed

    def converse(
        self, place: QwenPlace, name: str, turns: Sequence[Any], extractor: Sequence[Any] = ()
    ) -> Outcome:
        model = _Model(turns, extractor)
        is_recorded = os.environ.get("REVIEWDECK_RECORD") == "1" and bool(name)
        heard = _listen(place) if is_recorded else None
        resumed = ("--resume", self._resumed) if self._resumed else ()
        folder = str(Path(PROGRAM).parent)
        try:
            done = subprocess.run(
                [
                    *(PROGRAM, "-p", "Remember that I like tea.", "--output-format", "json"),
                    *("--approval-mode", "yolo"),
                    *resumed,
                ],
                env=place.environment
                | {
                    "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
                    "OPENAI_BASE_URL": f"{model.url}/v1",
                    "OPENAI_API_KEY": "invented",
                    "OPENAI_MODEL": "invented",
                },
                cwd=place.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
        finally:
            model.close()
        assert done.returncode == 0, done.stdout + done.stderr
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
        (chats / "session-1.jsonl").write_text(_of_place(place, f"{name}.chat.jsonl"), "utf-8")
        outcome = Outcome(session="session-1")
        for line in _of_place(place, f"{name}.hooks.jsonl").splitlines():
            event = json.loads(line)
            answer = ask_hooks(place, event)
            if event["hook_event_name"] == "PreToolUse":
                if answer.get("permissionDecision") == "deny":
                    outcome.refused[event["tool_call_id"]] = answer["permissionDecisionReason"]
                elif event["tool_name"] == "run_shell_command":
                    command = ["bash", "-c", event["tool_input"]["command"]]
                    subprocess.run(command, cwd=event["cwd"], check=False)
        return outcome


def ask_hooks(place: QwenPlace, event: Mapping[str, Any]) -> dict[str, Any]:
    """What the hooks in the settings answer."""
    settings = json.loads((place.config / "settings.json").read_text("utf-8"))
    tool, found = str(event.get("tool_name", "")), dict[str, Any]()
    for group in settings["hooks"].get(event["hook_event_name"], ()):
        if tool and not re.search(group.get("matcher", ""), tool):
            continue
        done = start(place, group["hooks"][0], event)
        if done.returncode == 2:
            return {"permissionDecision": "deny", "permissionDecisionReason": done.stderr}
        assert done.returncode == 0, done.stderr
        found |= json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return found


def start(
    place: QwenPlace, handler: Mapping[str, Any], event: Mapping[str, Any]
) -> subprocess.CompletedProcess[str]:
    """One hook, as Qwen Code starts it."""
    return subprocess.run(
        ["bash", "-c", handler["command"]],
        # As JavaScript writes it.
        input=json.dumps(event, ensure_ascii=False, separators=(",", ":")),
        env=place.environment,
        cwd=event["cwd"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _listen(place: QwenPlace) -> Path:
    """Puts hooks beside ours that note what every hook is told."""
    heard, listener = place.root / "heard.jsonl", place.root / "listener.py"
    heard.write_text("", "utf-8")
    listener.write_text(
        f"import sys\nwith open({str(heard)!r}, 'a') as file:\n"
        "    file.write(sys.stdin.read().strip() + '\\n')\n",
        "utf-8",
    )
    path = place.config / "settings.json"
    settings = json.loads(path.read_text("utf-8"))
    for groups in settings["hooks"].values():
        groups.append({"hooks": [{"type": "command", "command": f"{sys.executable} {listener}"}]})
    path.write_text(json.dumps(settings, indent=2), "utf-8")
    return heard


def _record(place: QwenPlace, name: str, heard: Path, session: str) -> None:
    """Keeps what the hooks were told and what was kept, without the places and ids of this run."""
    chat = place.config / "projects" / place.slug / "chats" / f"{session}.jsonl"
    RECORDED.mkdir(parents=True, exist_ok=True)
    texts = {"hooks": heard.read_text("utf-8"), "chat": chat.read_text("utf-8")}
    for kind, text in texts.items():
        for word, value in _places(place):
            text = text.replace(value, word)
        text = text.replace(session, "session-1")
        text = re.sub(r'"(duration_ms|ttft_ms)":\d+', r'"\1":5', text)
        (RECORDED / f"{name}.{kind}.jsonl").write_text(text, "utf-8")


def _of_place(place: QwenPlace, name: str) -> str:
    text = (RECORDED / name).read_text("utf-8")
    for word, value in _places(place):
        text = text.replace(word, value)
    return text


def _places(place: QwenPlace) -> Iterator[tuple[str, str]]:
    """Words that stand for a place in a recording, the longest values first."""
    yield "{SLUG}", place.slug
    yield "{HOME}", str(place.home)
    yield "{APP}", str(place.project)
    yield "{ROOT}", str(place.root)
