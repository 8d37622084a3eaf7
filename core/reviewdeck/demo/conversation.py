"""A made-up conversation of the made-up agent, and what a reviewer would make of it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any, Final

SESSION: Final = "sessions/session_demo.json"
SCRIPT: Final = "sessions/review_script.json"
"""Answers in the place of a model, so that a review of it can be tried without a network."""

_TALK: Final = (
    ("user", "Skerry Lines sent their spring timetable. Can you import it into staging?"),
    (
        "assistant",
        "The check finds 212 warnings: departures of Skerry Lines overlap.\n\n| warning | amount |"
        "\n| --- | --- |\n| overlap | 212 |",
    ),
    (
        "user",
        "That is no real overlap. Their stop_times are never sorted: sort the file by trip_id and"
        " stop_sequence before the check, every time. And no tables in chat, please, I read this"
        " on my phone.",
    ),
    ("assistant", "Sorted, checked again: no warnings. It is in staging; one Sunday looks right."),
    ("user", "Good. From now on they send it on the first Monday of March, by the way."),
    ("assistant", "Noted. The next one is due in a year, then."),
)

_TOOLS: Final = {
    "terminal": "Run a command.",
    "memory": "Change what is remembered between sessions.",
    "skills_list": "List all skills.",
    "skill_view": "Read one file of a skill.",
    "skill_manage": "Change a skill.",
}

_STEP: Final = "2. Run `uv run ferry import --check` and read every warning.\n"
_ANSWERS: Final = (
    {
        "call": [{"tool": "skill_view", "args": {"name": "timetable-import"}}],
        "usage": {"input": 6120, "cached": 5890, "output": 41},
    },
    {
        "call": [
            {
                "tool": "skill_manage",
                "args": {
                    "action": "patch",
                    "name": "timetable-import",
                    "old_string": _STEP,
                    "new_string": _STEP
                    + "   For Skerry Lines, sort stop_times by trip_id and stop_sequence first.\n",
                },
            },
            {
                "tool": "memory",
                "args": {
                    "action": "add",
                    "target": "memory",
                    "content": "Skerry Lines sends its timetable on the first Monday of March.",
                },
            },
            {
                "tool": "memory",
                "args": {
                    "action": "add",
                    "target": "user",
                    "content": "Reads chat on a phone and wants no tables there.",
                },
            },
            {"tool": "terminal", "args": {"command": "uv run ferry import --check"}},
        ],
        "usage": {"input": 6810, "cached": 6120, "output": 233},
    },
    {
        "say": "One step of a skill and two facts kept.",
        "usage": {"input": 7240, "cached": 6810, "output": 14},
    },
)


def conversation(now: datetime) -> dict[str, bytes]:
    """The conversation, as a session file of Hermes, and the script."""
    began = now - timedelta(minutes=35)
    session = {
        "session_id": f"{began:%Y%m%d_%H%M%S}_d3m0",
        "model": "made-up-model",
        "platform": "cli",
        "session_start": began.isoformat(),
        "system_prompt": "You are Pilot, the engineering assistant of the Ferrytime team.",
        "tools": [_tool(name, description) for name, description in _TOOLS.items()],
        "message_count": len(_TALK),
        "messages": [{"role": role, "content": text} for role, text in _TALK],
    }
    return {SESSION: _json(session), SCRIPT: _json(list(_ANSWERS))}


def _tool(name: str, description: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}}
    about = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": about}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8")
