"""Homes with conversations: real databases, logs, records and sidecars, as Hermes 0.19 has them.

made = Chat("s1", said=["I prefer pytest.", answer("Noted.")]).write(home)
write_record(home, "aaaaaaaa", "User prefers pytest.", at=made.ends)
write_log(home, fork_lines("s1", made.ends, replayed=2))
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.model import Origin, Proposal
from reviewdeck.origin.sources import origin_of
from reviewdeck.ports import Trust

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
"""When conversations begin, unless they say otherwise."""
LATER = NOON + timedelta(days=1)
"""What a home's clock says."""

SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT,
    chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT, model TEXT,
    model_config TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
    ended_at REAL, end_reason TEXT, cwd TEXT, billing_provider TEXT,
    billing_base_url TEXT, title TEXT, profile_name TEXT, message_count INTEGER,
    archived INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
    effect_disposition TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT,
    reasoning_details TEXT, platform_message_id TEXT, observed INTEGER DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT
);
CREATE TABLE session_model_usage (
    session_id TEXT NOT NULL, model TEXT NOT NULL, billing_provider TEXT NOT NULL DEFAULT '',
    billing_base_url TEXT NOT NULL DEFAULT '', task TEXT NOT NULL DEFAULT '',
    first_seen REAL, last_seen REAL, PRIMARY KEY (session_id, model, task)
);
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (22);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One row, as it is to be written. Plain texts in a chat are rows of the user."""

    role: str
    text: str = ""
    columns: Mapping[str, Any] = field(default_factory=dict)


Said: TypeAlias = str | Message | Sequence[Message]


def user(text: str, **columns: Any) -> Message:
    """A row of the user."""
    return Message("user", text, columns)


def answer(text: str, **columns: Any) -> Message:
    """A model's answer."""
    return Message("assistant", text, {"finish_reason": "stop", **columns})


def tool(
    name: str,
    arguments: Mapping[str, Any] | None = None,
    result: str = "{}",
    *,
    id: str = "",
    kept_name: str | None = "",
) -> tuple[Message, Message]:
    """A call of a tool with its result: two rows."""
    call = id or f"call_{name}_{abs(hash((name, str(arguments), result))) % 10**8}"
    function = {"name": name, "arguments": json.dumps(dict(arguments or {}))}
    calls = [{"id": call, "call_id": call, "type": "function", "function": function}]
    asked = {"tool_calls": json.dumps(calls), "finish_reason": "tool_calls"}
    named = name if kept_name == "" else kept_name
    return (
        Message("assistant", "", asked),
        Message("tool", result, {"tool_call_id": call, "tool_name": named}),
    )


def staged(record: str, name: str = "memory") -> tuple[Message, Message]:
    """The call in which an agent staged a record in front of the user."""
    result = {"success": True, "staged": True, "pending_id": record}
    return tool(name, {"action": "add"}, json.dumps(result), id=f"call_{record}")


@dataclass(slots=True)
class Chat:
    """One session and its rows: a second apart, from when it begins."""

    session: str = "s1"
    said: Sequence[Said] = ()
    source: str = "cli"
    at: datetime = NOON
    prompt: str = ""
    parent: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of the session."""

    @property
    def rows(self) -> list[Message]:
        """Every row in its order."""
        return list(_rows(self.said))

    @property
    def ends(self) -> datetime:
        """A moment after its last row."""
        return self.at + timedelta(seconds=len(self.rows) + 1)

    def write(self, home: Path) -> Chat:
        """Adds it to the home's database."""
        write_state(home, [self])
        return self


def _rows(said: Iterable[Said]) -> Iterator[Message]:
    for one in said:
        if isinstance(one, str):
            yield user(one)
        elif isinstance(one, Message):
            yield one
        else:
            yield from one


def open_state(home: Path) -> sqlite3.Connection:
    """The home's database for writing, made if need be; in the mode that Hermes keeps it in."""
    fresh = not (home / "state.db").exists()
    database = sqlite3.connect(home / "state.db")
    # Nobody cuts the power here, and thousands of conversations are written.
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = WAL")
    if fresh:
        database.executescript(SCHEMA)
    return database


def write_state(home: Path, sessions: Iterable[Chat] = ()) -> None:
    """Adds sessions to a home's database."""
    with closing(open_state(home)) as database:
        for chat in sessions:
            add_chat(database, chat)
        database.commit()


def add_chat(database: sqlite3.Connection, chat: Chat) -> None:
    """Adds one session with its rows."""
    known = {
        "id": chat.session,
        "source": chat.source,
        "parent_session_id": chat.parent,
        "started_at": chat.at.timestamp(),
        "system_prompt": chat.prompt or None,
        "model": "some-model",
        **chat.columns,
    }
    _insert(database, "sessions", known)
    for at, message in enumerate(chat.rows):
        moment = chat.at + timedelta(seconds=at)
        values = {
            "session_id": chat.session,
            "role": message.role,
            "content": message.text,
            "timestamp": moment.timestamp(),
            **message.columns,
        }
        _insert(database, "messages", values)


def _insert(database: sqlite3.Connection, table: str, values: Mapping[str, Any]) -> None:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    query = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608
    database.execute(query, tuple(values.values()))


def write_record(
    home: Path,
    id: str = "aaaaaaaa",
    content: str = "User prefers pytest.",
    *,
    at: datetime | float | None = None,
    origin: str = "background_review",
    subsystem: str = "memory",
    payload: Mapping[str, Any] | None = None,
    **more: Any,
) -> Path:
    """A pending record as Hermes stages it."""
    moment = NOON + timedelta(minutes=5) if at is None else at
    wanted = payload or {"action": "add", "target": "memory", "content": content}
    record = {
        "id": id,
        "subsystem": subsystem,
        "action": wanted["action"],
        "summary": content[:60],
        "origin": origin,
        "created_at": moment.timestamp() if isinstance(moment, datetime) else moment,
        "payload": dict(wanted),
        **more,
    }
    path = home / "pending" / subsystem / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False), "utf-8")
    return path


def write_sidecar(home: Path, id: str = "aaaaaaaa", *, mode: int = 0o600, **known: Any) -> Path:
    """A sidecar, as Hermes' plugin writes it."""
    at = known.pop("at", NOON + timedelta(minutes=5))
    said = {
        "v": 1,
        "session": "s1",
        "turn": "turn-1",
        "call": "call-1",
        "origin": "background_review",
        "replayed": None,
        "at": at.timestamp() if isinstance(at, datetime) else at,
        "tool": "memory",
        **known,
    }
    path = home / ".reviewdeck" / "sidecar" / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said), "utf-8")
    path.chmod(mode)
    return path


def tool_line(
    session: str, name: str, at: datetime, zone: ZoneInfo | None = None, outcome: str = "completed"
) -> str:
    """The line that the log has of a call."""
    end = "(0.01s, 120 chars)" if outcome == "completed" else "(0.01s): no"
    return _line(session, at, zone, f"agent.tool_executor: tool {name} {outcome} {end}")


def turn_line(
    session: str, at: datetime, history: int, text: str, zone: ZoneInfo | None = None
) -> str:
    """The line that the log has of the beginning of a turn."""
    said = f"session={session} model=m provider=p platform=cli history={history} msg={text!r}"
    return _line(session, at, zone, f"agent.turn_context: conversation turn: {said}")


def fork_lines(
    session: str,
    at: datetime,
    *,
    replayed: int,
    tool: str = "memory",
    zone: ZoneInfo | None = None,
    also: Sequence[str] = (),
) -> list[str]:
    """The lines of a review that stages a record at a moment: its start, its calls."""
    began = at - timedelta(milliseconds=400)
    text = "Review the conversation above and consider saving to memory"
    inside = [tool_line(session, one, at - timedelta(milliseconds=200), zone) for one in also]
    staged = tool_line(session, tool, at + timedelta(milliseconds=4), zone)
    return [turn_line(session, began, replayed, text, zone), *inside, staged]


def _line(session: str, at: datetime, zone: ZoneInfo | None, text: str) -> str:
    local = at.astimezone(zone).replace(tzinfo=None)
    stamp = f"{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03}"
    return f"{stamp} INFO [{session}] {text}\n"


def write_log(home: Path, lines: Iterable[str], name: str = "agent.log") -> Path:
    """Adds lines to a log of the home."""
    path = home / "logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(lines)
    return path


def memory_block(entries: Sequence[str], *, title: str = "memory", limit: int = 2200) -> str:
    """A memory as it stands in Hermes' system prompt."""
    titles = {"memory": "MEMORY (your personal notes)", "user": "USER PROFILE (who the user is)"}
    text = "\n§\n".join(entries)
    share = min(100, int(len(text) / limit * 100))
    bar = "═" * 46
    return f"{bar}\n{titles[title]} [{share}% — {len(text):,}/{limit:,} chars]\n{bar}\n{text}"


def open_home(path: Path, *, now: datetime = LATER) -> HermesHome:
    """The home, with a clock that stands."""
    return HermesHome(path, env={}, user_home=path.parent, clock=lambda: now)


def proposal_of(home: HermesHome, id: str = "aaaaaaaa", *, now: datetime = LATER) -> Proposal:
    """The proposal that a pending record is."""
    for file in home.pending():
        if file.source.endswith(f"/{id}.json"):
            found = home.parse(file, now)
            assert isinstance(found, Proposal), found
            return found
    raise AssertionError(f"no record {id} in {os.fspath(home.path)}")


def origin(home: Path, id: str = "aaaaaaaa", trust: Trust = Trust()) -> Origin:  # noqa: B008
    """Where the record with this id comes from."""
    opened = open_home(home)
    return origin_of(proposal_of(opened, id), opened, None, trust)
