"""The demo agent's session database, and a conversation with a scripted review of it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, Final

from reviewdeck.demo.records import DATA, DemoRecord

SESSION: Final = "sessions/session_demo.json"
SCRIPT: Final = "sessions/review_script.json"
"""The script of a model's answers, for trying a review without a network."""


def conversation(now: datetime) -> bytes:
    """A conversation as a session file of Hermes."""
    talk = json.loads((DATA / "talk.json").read_text("utf-8"))
    began = now - timedelta(minutes=35)
    session = {
        "session_id": f"{began:%Y%m%d_%H%M%S}_d3m0",
        "model": "made-up-model",
        "platform": "cli",
        "session_start": began.isoformat(),
        "system_prompt": talk["system_prompt"],
        "tools": talk["tools"],
        "message_count": len(talk["messages"]),
        "messages": talk["messages"],
    }
    return json.dumps(session, ensure_ascii=False, indent=2).encode("utf-8")


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

    yield row("user", 90, content=record.said)
    if page := record.page:
        call = f"call_page_{record.id}"
        yield row("assistant", 60, **_tool_call(call, "web_extract", {"urls": [page]}))
        text = record.page_text or record.payload.get("content", "")
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
