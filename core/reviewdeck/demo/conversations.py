"""The demo agent's session database, and a conversation with a scripted review of it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, Final

from reviewdeck.demo.records import DemoRecord

SESSION: Final = "sessions/session_demo.json"
SCRIPT: Final = "sessions/review_script.json"
"""The script of a model's answers, for trying a review without a network."""

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
    """The conversation as a session file of Hermes, and the script of its review."""
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


DATABASE: Final = "state.db"
_SCHEMA: Final = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, chat_type TEXT, model TEXT,
    model_config TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
    ended_at REAL, end_reason TEXT, cwd TEXT, profile_name TEXT);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
    finish_reason TEXT, observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (22);
"""

_SAID: Final[Mapping[str, str]] = {
    "a1c40f27": "Errors are in Sentry, project `ferrytime-api`. Look there first.",
    "a2b81d3e": "The load test's passenger data comes from the summer of 2024. Fine.",
    "a35e9c10": "I prefer CSV to Excel for exports, thanks.",
    "a4d7720b": "Harbour codes: NOR is Norrholm, VIK is Vik, SKA is Skagen, OJA is Öja.",
    "a5e10c84": "On macOS the load test wants `ulimit -n 4096` first.",
    "a6f3b9d2": "Before Thursday: ask Priya, run the soak test, and warn Norrholm. In that order.",
    "b10f6a52": "test_retry is red again. Is that the flaky one?",
    "b2937ce4": "test_retry is red again. Is that the flaky one?",
    "b3ce0481": "Could we run it with poetry and Python 3.13?",
    "c15b22d9": "This one release goes out on Wednesday, because of the holiday.",
    "c26da0f3": "Show me the code first next time, then explain.",
    "c3f4918e": "Do we still need the tile cache?",
    "c4e80b67": "I am trying Zed with zsh this week.",
    "c58d13aa": "How long does the soak job take now, and where do the charts come from?",
    "d1a97e03": "The read-only role on staging is called lookout. Remember that.",
    "d2c6054b": "Norrholm's new printer works. Is /v1/print still used anywhere?",
    "e1408bd2": "Does Jenkins still build anything?",
    "e27fa619": "The printed timetable is built by Woodpecker now.",
    "e3b5c07d": "There is a justfile now, have you seen it?",
    "e4d93f18": "What a day. Write up what happened so that nobody forgets it.",
    "f2087d4c": "Deploy to staging, the token is in the vault.",
    "0a51c3e8": "That load test went well. Write down how we did it, as a skill.",
    "0b8e27d4": "Tell the other islands' developers what changed in the API. As a skill.",
    "0c19f6b2": "A lock on departures may last one second. Whoever touches fares has five of them."
    " Put that beside the migrations skill.",
    "0d7430ac": "Release {version} mends {what}. Harbour staff need not do anything. Put that"
    " beside the release notes, for the next hotfix.",
    "1a92b7f0": "It was the timetable this time, not the deploy. Add that to the triage steps.",
    "1b06d45e": "Last year the piers were mixed up and the sums still fit. Compare per pier.",
    "1c3fe871": "How many rows did that migration touch? We should always know.",
    "1d58a09b": "Which errors were the most frequent in the last hour?",
    "1e6b14c7": "Did we use the mapping template for Skerry Lines at all?",
    "1f20cd95": "That was the old CI. We are on Woodpecker now.",
    "2a4d8e16": "The harbour masters ask which time zone the mail is in.",
    "2b7199fc": "I wrote that mail by hand today, it was quicker.",
    "2ce5036d": "That review was too long for a one-line change.",
    "3a0c6f4d": "The lock check was green, and a minute later it was not.",
    "3b95d2e7": "These notes are fine, but start with what breaks.",
    "3c2e71a8": "The old dashboards are gone, Grafana moved.",
    "3df84b09": "Easter Monday ran as a Sunday. That was wrong.",
    "4a17e0c3": "The build agent has a new name: cormorant.",
    "4b6f25d8": "Do not restart the ticket service in the morning.",
    "5a83c91e": "Make me a skill for quick notes.",
    "5be04d72": "Clean up the triage skill while you are at it.",
    "f1e62b90": "Read https://harbour-tips.example/norrholm and tell me what changed there.",
    "f39a51e6": "Read https://harbour-tips.example/deploys and sum it up.",
    "a70b35d1": "Read https://harbour-tips.example/summer and tell me what is new this summer.",
}
"""The user's messages before each record."""
_SMALL_TALK: Final = "Good. Keep in mind what helps next time."
_PAGES: Final[Mapping[str, str]] = {
    "f1e62b90": "https://harbour-tips.example/norrholm",
    "f39a51e6": "https://harbour-tips.example/deploys",
    "a70b35d1": "https://harbour-tips.example/summer",
}
"""The pages that the agent read before a record."""
_SUMMER: Final = (
    "Pier 2 in Skagen is closed from May to June. Kaj 4 in Öja has a new ticket machine."
    " Norrholm sells day passes for bicycles."
)


def session_database(records: Sequence[DemoRecord], now: datetime) -> bytes:
    """The database with one conversation for each record's session."""
    sessions: dict[str, list[DemoRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda record: -record.minutes):
        sessions[record.session(now)].append(record)
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_SCHEMA)
        for session, members in sorted(sessions.items()):
            began = members[0].made(now) - timedelta(minutes=4)
            database.execute(
                "INSERT INTO sessions (id, source, model, started_at) VALUES (?, 'cli', ?, ?)",
                (session, "made-up-1", began.timestamp()),
            )
            for record in members:
                for row in _rows(record, session, record.made(now)):
                    names, marks = ", ".join(row), ", ".join("?" * len(row))
                    query = f"INSERT INTO messages ({names}) VALUES ({marks})"  # noqa: S608 - our own
                    database.execute(query, tuple(row.values()))
        database.commit()
        return database.serialize()


def _rows(record: DemoRecord, session: str, made_at: datetime) -> Iterator[dict[str, Any]]:
    def row(role: str, before: float, **columns: Any) -> dict[str, Any]:
        at = made_at.timestamp() - before
        return {"session_id": session, "role": role, "timestamp": at, **columns}

    yield row("user", 90, content=_SAID.get(record.id, _SMALL_TALK))
    if page := _PAGES.get(record.id):
        call = f"call_page_{record.id}"
        yield row("assistant", 60, **_tool_call(call, "web_extract", {"urls": [page]}))
        text = _SUMMER if record.id == "a70b35d1" else record.payload.get("content", "")
        yield row("tool", 50, content=text, tool_call_id=call, tool_name="web_extract")
    tool = "skill_manage" if record.subsystem == "skills" else "memory"
    call = f"call_{record.id[::-1]}"
    yield row("assistant", 1, **_tool_call(call, tool, {"action": record.payload["action"]}))
    staged = {"success": True, "staged": True, "pending_id": record.id}
    yield row("tool", 0, content=json.dumps(staged), tool_call_id=call, tool_name=tool)


def _tool_call(call: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(dict(arguments))}
    calls = [{"id": call, "call_id": call, "type": "function", "function": function}]
    return {"content": "", "tool_calls": json.dumps(calls), "finish_reason": "tool_calls"}
