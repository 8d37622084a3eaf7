"""Qwen Code's events as it sends them to its hooks, and its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.contract.qwen_kit import fact

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.qwen.gate import QWEN

MEMORY = "projects/-w-app/memory"


def make_config(config: Path) -> Path:
    """Qwen Code's folder, with a memory of one fact."""
    (config / MEMORY / "user").mkdir(parents=True)
    (config / MEMORY / "user/tea.md").write_text(fact("tea", "Likes tea"), "utf-8")
    (config / MEMORY / "MEMORY.md").write_text("- [tea](user/tea.md) — Likes tea", "utf-8")
    (config / "settings.json").write_text("{}\n", "utf-8")
    return config


def event(tool: str, given: dict[str, Any], id: str = "call_1", **more: Any) -> dict[str, Any]:
    """What a hook is told before a call, unless `more` says otherwise."""
    return {
        "session_id": "s1",
        "transcript_path": "/t/s1.jsonl",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "permission_mode": "yolo",
        "prompt_id": "s1########0",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": f"toolu_{id}",
        "tool_call_id": id,
        **more,
    }


def refused(root: Path, told: dict[str, Any], layout: str = "qwen") -> str:
    """Why the gate refuses a call; empty where it lets it go on."""
    answer = gate.answer_to(told, [Root(layout, str(root))], QWEN)
    return answer.get("permissionDecisionReason", "")
