"""Gemini CLI's events as it sends them to its hooks, its folder, and what waits in its inbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gemini.gate import GEMINI

MEMORY = "tmp/app/memory"
INBOX = f"{MEMORY}/.inbox"


def write(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def make_config(config: Path) -> Path:
    """Gemini CLI's folder, with instructions and the memory of one project."""
    write(config / "GEMINI.md", "- Be brief.\n")
    write(
        config / MEMORY / "MEMORY.md", "# Project Memory\n- Redis stores it.\n- The port is 80.\n"
    )
    write(config / "settings.json", "{}\n")
    return config


def event(tool: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What a hook is told before a call, unless `more` says otherwise."""
    return {
        "session_id": "cd3d005d-60f3-469e-aa75-700bdaedea1b",
        "transcript_path": "/h/tmp/app/chats/session-2026-11-29T07-21-cd3d005d.jsonl",
        "cwd": "/",
        "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-29T07:21:17.150Z",
        "tool_name": tool,
        "tool_input": given,
        **more,
    }


def refused(root: Path, told: dict[str, Any], layout: str = "gemini") -> str:
    """Why the gate refuses a call; empty where it lets it go on."""
    said = gate.answer_to(told, [Root(layout, str(root))], GEMINI)
    return str(GEMINI.answer(said)["reason"]) if said else ""


def patch(target: Path, *hunks: str, old: str = "") -> str:
    return "\n".join((f"--- {old or target}", f"+++ {target}", *hunks, ""))


def extracted(config: Path, text: str, kind: str = "private") -> Path:
    """What the extraction leaves in the inbox."""
    return write(config / INBOX / kind / "extraction.patch", text)


def note_run(config: Path, *sessions: str, kind: str = "private") -> None:
    """What Gemini CLI notes about the extraction."""
    read = [{"sessionId": one, "lastUpdated": "2026-11-29T02:00:00.000Z"} for one in sessions]
    run = {
        "runAt": "2026-11-29T07:00:00.000Z",
        "sessionIds": [*sessions],
        "skillsCreated": [],
        "candidateSessions": read,
        "processedSessions": read,
        "memoryCandidatesCreated": [f".inbox/{kind}/extraction.patch"],
    }
    write(config / MEMORY / ".extraction-state.json", json.dumps({"runs": [run]}))
