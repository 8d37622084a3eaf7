"""Events as Claude Code sends them to its hooks, and the gate started with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from reviewdeck.agents.claude.gate import CLAUDE
from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.switches import MARK
from reviewdeck.homes.claude.agent import START
from reviewdeck.homes.gated.settings import FOLDER

MEMORY = "projects/-w-app/memory"
GATE = (sys.executable, "-I", "-S", "-c", START, str(FOLDER), MARK)


def make_config(config: Path) -> Path:
    """Claude Code's folder, with a memory of one fact."""
    (config / MEMORY).mkdir(parents=True)
    (config / MEMORY / "MEMORY.md").write_text("- [A](a.md) — a\n", "utf-8")
    (config / MEMORY / "a.md").write_text("A fact.\n", "utf-8")
    return config


def event(tool: str, given: dict[str, Any], id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    """What a hook is told before a call, unless `more` says otherwise."""
    return {
        "session_id": "s1",
        "transcript_path": "/t/s1.jsonl",
        "cwd": "/",
        "prompt_id": "p1",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": id,
        **more,
    }


def write(path: Path, content: str, id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    """The same for a whole file."""
    return event("Write", {"file_path": str(path), "content": content}, id, **more)


def bash(command: str, id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    """The same for a command."""
    return event("Bash", {"command": command}, id, **more)


def after(before: dict[str, Any]) -> dict[str, Any]:
    """What a hook is told after a call."""
    return {**before, "hook_event_name": "PostToolUse", "tool_response": {}}


def refused(config: Path, told: dict[str, Any], layout: str = "config") -> str:
    """Why the gate refuses a call; empty where it lets it go on."""
    answer = gate.answer_to(told, [Root(layout, str(config))], CLAUDE)
    assert not answer or answer["permissionDecision"] == "deny"
    return answer.get("permissionDecisionReason", "")


def started(
    config: Path, told: dict[str, Any] | bytes, *words: str, before: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """The gate as Claude Code starts it."""
    given = told if isinstance(told, bytes) else json.dumps(told).encode()
    done = subprocess.run(
        [*before, *GATE, f"config:{config}", *words],
        input=given,
        env={"HOME": str(config.parent), "PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def records(config: Path) -> list[dict[str, Any]]:
    """What waits, oldest first."""
    folder = config / ".reviewdeck" / "claude" / "pending"
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def calls(config: Path) -> list[dict[str, Any]]:
    """What went past the gate."""
    folder = config / ".reviewdeck" / "claude" / "calls"
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
