"""The real Claude Code on a folder of its own, with a model that answers from a script.

A double replays what the hooks of the real one were told.

The real one runs where REVIEWDECK_CLAUDE names the program. It is proprietary: it is never part of
this repository. With REVIEWDECK_RECORD=1 as well, what its hooks were told is recorded anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.reviewer.peer import Peer

from reviewdeck.agents.claude.gate import FILE_TOOLS, SHELLS
from reviewdeck.agents.claude.roots import OURS

PROGRAM = os.environ.get("REVIEWDECK_CLAUDE", "")
needs_claude = pytest.mark.skipif(
    not PROGRAM, reason="REVIEWDECK_CLAUDE names no program of Claude Code 2.1.330"
)
RECORDED = Path(__file__).parents[1] / "fixtures" / "claude" / "hook-io"
HELPER = "You are the helper."
"""How the prompt of a subagent begins in the scripts."""
_DONE: Mapping[str, Any] = {"say": "Done."}
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Place:
    """A user's folder with Claude Code's in it, and a repository."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def config(self) -> Path:
        return self.home / ".claude"

    @property
    def project(self) -> Path:
        return self.root / "app"

    @property
    def slug(self) -> str:
        return re.sub(r"[^A-Za-z0-9]", "-", str(self.project))

    @property
    def memory(self) -> Path:
        return self.config / "projects" / self.slug / "memory"

    def document(self, name: str) -> str:
        """How a file of the memory is named in a record."""
        return f"projects/{self.slug}/memory/{name}"

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_COLOR": "1"}

    def records(self) -> list[dict[str, Any]]:
        """What waits for review, oldest first."""
        return [_read(path) for path in sorted((self.config / OURS / "pending").glob("*.json"))]

    def writes(self) -> list[dict[str, Any]]:
        """Every write in them."""
        return [write for record in self.records() for write in record["writes"]]

    def calls(self) -> list[dict[str, Any]]:
        """The calls that went past the gate and changed something."""
        return [_read(path) for path in sorted((self.config / OURS / "calls").glob("*.json"))]


def make_place(root: Path) -> Place:
    """A memory with one fact and its index, and a repository, with the gate before them."""
    place = Place(root)
    place.memory.mkdir(parents=True)
    place.project.mkdir()
    (place.memory / "MEMORY.md").write_text("- [Store](store.md) — what we store in\n", "utf-8")
    (place.memory / "store.md").write_text("We store in “Redis”, and it’s fast.\n", "utf-8")
    reviewdeck(place, "claude", "install", "--yes")
    return place


def reviewdeck(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    """Our own program, as this user."""
    paths = {"PYTHONPATH": os.pathsep.join((str(_ROOT / "core"), str(_ROOT / "tui")))}
    done = subprocess.run(
        [sys.executable, "-m", "reviewdeck.cli.entry", *words],
        env=place.environment | paths,
        cwd=place.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done


def call(id: str, tool: str, **args: Any) -> dict[str, Any]:
    """One call of a tool in a script."""
    return {"id": f"toolu_{id}", "tool": tool, "args": args}


def turn(*calls: Mapping[str, Any]) -> dict[str, Any]:
    """The model makes these calls at once."""
    return {"call": [*calls]}


@dataclass(slots=True)
class Outcome:
    """What a conversation came to, by the ids of the calls."""

    refused: dict[str, str] = field(default_factory=dict)
    """Why a call was refused."""
    told: list[str] = field(default_factory=list)
    """What the model was told beside the prompt."""
    session: str = ""


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
                return _DONE
            is_helper = HELPER in json.dumps(asked["messages"][0])
            return next(self._helper if is_helper else self._turns, _DONE)


class RealAgent:
    """The real program."""

    def __init__(self, *, resumed: str = "", mode: str = "acceptEdits") -> None:
        self._resumed, self._mode = resumed, mode

    def converse(
        self, place: Place, name: str, turns: Sequence[Any], helper: Sequence[Any] = ()
    ) -> Outcome:
        model = _Model(turns, helper)
        is_recorded = os.environ.get("REVIEWDECK_RECORD") == "1" and bool(name)
        heard = _listen(place) if is_recorded else place.root
        resumed = ("--resume", self._resumed) if self._resumed else ()
        mode = (
            "--permission-mode",
            self._mode,
            "--allowedTools",
            "Bash,Write,Edit,Read,Agent,Skill",
        )
        try:
            done = subprocess.run(
                [PROGRAM, "-p", "Go on.", "--output-format", "json", *mode, *resumed],
                env=place.environment
                | {
                    "ANTHROPIC_BASE_URL": model.url,
                    "ANTHROPIC_API_KEY": "invented",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                    "DISABLE_AUTOUPDATER": "1",
                    "IS_SANDBOX": "1",  # It allows every mode to whoever tests as root.
                },
                cwd=place.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        finally:
            model.close()
        assert done.returncode == 0, done.stdout + done.stderr
        outcome = Outcome(session=json.loads(done.stdout)["session_id"])
        for block in (one for asked in model.requests for one in _blocks(asked)):
            if block.get("type") == "tool_result" and "hook error" in json.dumps(block):
                outcome.refused[block["tool_use_id"]] = str(block["content"])
            if block.get("type") == "text" and block["text"] not in outcome.told:
                outcome.told.append(block["text"])
        if is_recorded:
            _record(place, name, heard.read_text("utf-8").splitlines())
        return outcome


class RecordedAgent:
    """A double: its hooks are told what those of 2.1.330 were, and it does what they let it."""

    def converse(
        self, place: Place, name: str, turns: Sequence[Any], helper: Sequence[Any] = ()
    ) -> Outcome:
        outcome = Outcome(session="session-1")
        for event in recorded(place, name):
            answer = ask_hooks(place, event)
            outcome.told += [answer["additionalContext"]] if "additionalContext" in answer else []
            if event["hook_event_name"] != "PreToolUse":
                continue
            if answer.get("permissionDecision") == "deny":
                outcome.refused[event["tool_use_id"]] = answer["permissionDecisionReason"]
            else:
                _do(place, event)
        return outcome


def recorded(place: Place, name: str) -> Iterator[dict[str, Any]]:
    """What the hooks were told in a conversation, as if it were had in this place."""
    for line in (RECORDED / f"{name}.jsonl").read_text("utf-8").splitlines():
        for word, value in _places(place):
            line = line.replace(word, value)
        yield json.loads(line)


def ask_hooks(place: Place, event: Mapping[str, Any]) -> dict[str, Any]:
    """What the hooks in the settings answer, as Claude Code takes it: a refusal wins."""
    settings = json.loads((place.config / "settings.json").read_text("utf-8"))
    found: dict[str, Any] = {}
    tool = str(event.get("tool_name", ""))
    for group in settings["hooks"].get(event["hook_event_name"], ()):
        if not re.search(f"^(?:{group.get('matcher', '')})$" if tool else "", tool):
            continue
        handler = group["hooks"][0]  # Those of one group differ in the rule alone.
        done = subprocess.run(
            [handler["command"], *handler["args"]],
            input=json.dumps(event),
            env=place.environment,
            cwd=event["cwd"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        if done.returncode == 2:
            reason = {"permissionDecision": "deny", "permissionDecisionReason": done.stderr}
            return {**found, **reason}
        assert done.returncode == 0, done.stderr
        found |= json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return found


def _do(place: Place, event: Mapping[str, Any]) -> None:
    given = event["tool_input"]
    if event["tool_name"] in SHELLS:
        subprocess.run(
            ["bash", "-c", given["command"]],
            env=place.environment,
            cwd=event["cwd"],
            capture_output=True,
            check=False,
        )
    elif event["tool_name"] in FILE_TOOLS:
        raise AssertionError(f"{event['tool_name']} of {given['file_path']} was let through")


def _listen(place: Place) -> Path:
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
    hook = {"type": "command", "command": sys.executable, "args": ["-I", "-S", str(listener)]}
    for groups in settings["hooks"].values():
        groups.append({"hooks": [hook]})
    path.write_text(json.dumps(settings, indent=2), "utf-8")
    return heard


def _record(place: Place, name: str, lines: Sequence[str]) -> None:
    """Keeps what the hooks were told, without the places and ids of this run."""
    text = "\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in lines)
    for word, value in _places(place):
        text = text.replace(value, word)
    for key, short in (("session_id", "session"), ("prompt_id", "prompt"), ("agent_id", "agent")):
        known = dict.fromkeys(re.findall(rf'"{key}": "([^"]+)"', text))
        for number, value in enumerate(known, 1):
            text = text.replace(value, f"{short}-{number}")
    text = re.sub(r'"duration_ms": \d+', '"duration_ms": 5', text)
    RECORDED.mkdir(parents=True, exist_ok=True)
    (RECORDED / f"{name}.jsonl").write_text(text + "\n", "utf-8")


def _places(place: Place) -> tuple[tuple[str, str], ...]:
    """Words that stand for a place in a recording, the longest values first."""
    return (
        ("{SLUG}", place.slug),
        ("{HOME}", str(place.home)),
        ("{APP}", str(place.project)),
        ("{ROOT}", str(place.root)),
    )


def _blocks(asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for message in asked.get("messages", ()):
        content = message["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _read(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return known
