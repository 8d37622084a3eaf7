"""The session database of a Hermes home, read only: the one place that opens it.

Columns are discovered: Hermes adds them whenever it opens the database.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

from reviewdeck.homes.sqlite_reads import DatabaseUnreadable, read_database
from reviewdeck.values import dataclass

DATABASE: Final = "state.db"
ROWS: Final = 20_000
"""The most rows of a conversation that is read."""
CHARACTERS: Final = 32 * 1024 * 1024
"""The most text of a conversation that is read."""
LONGEST: Final = 256 * 1024
"""The bytes that are read of each text of a row."""
SESSIONS: Final = 200_000
"""The most sessions of a database that is searched by time."""

_NEEDED: Final = {
    "sessions": frozenset({"id", "source"}),
    "messages": frozenset({"id", "session_id", "role", "content"}),
}

_EVIDENCE: Final = frozenset(
    {"tool_calls", "tool_name", "tool_call_id", "timestamp", "api_content", "active", "observed"}
)
"""Columns of the messages that tell who took part; the versions before 0.19 lack some."""
_WITH_PROMPTS: Final = 25
"""The schema that has a table of prompts; 0.19 has 22."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Activity:
    """The times of a session's first and last row, in seconds since 1970."""

    session: str
    first: float
    last: float
    profile: str


def is_there(path: Path) -> bool:
    """Whether the path exists, readable or not."""
    return os.path.lexists(path)


def read_sessions(path: Path, work: Callable[[Sessions], T]) -> T:
    """The result of `work` on one consistent state of the sessions. Raises DatabaseUnreadable.

    Other errors of `work` propagate.
    """
    return read_database(path, lambda connection: work(Sessions(connection)))


class Sessions:
    """One consistent state of the database. Every query uses an index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._tables = {str(row[0]) for row in tables}
        self._columns = {
            table: {str(row["name"]) for row in connection.execute(f"PRAGMA table_info({table})")}
            for table in ("sessions", "messages", "system_prompts", "session_model_usage")
            if table in self._tables
        }
        for table, needed in _NEEDED.items():
            if not self._has(table, *needed):
                raise DatabaseUnreadable(f"It is no session database: {table} is not as expected.")

    def _has(self, table: str, *columns: str) -> bool:
        return table in self._columns and self._columns[table].issuperset(columns)

    @property
    def schema(self) -> int:
        """The version of the schema; 0 where nothing tells."""
        least = _WITH_PROMPTS if "system_prompts" in self._tables else 0
        if "schema_version" not in self._tables:
            return least
        row = self._connection.execute("SELECT max(version) FROM schema_version").fetchone()
        return max(least, row[0]) if isinstance(row[0], int) else least

    def session(self, id: str) -> dict[str, Any] | None:
        """The session of this id."""
        row = self._connection.execute("SELECT * FROM sessions WHERE id = ?", (id,)).fetchone()
        return None if row is None else dict(row)

    def with_id_prefix(self, text: str) -> list[dict[str, Any]]:
        """Up to three sessions whose ids begin with this text, an exact match first."""
        rows = self._connection.execute(
            "SELECT * FROM sessions WHERE substr(id, 1, ?) = ? ORDER BY id = ? DESC LIMIT 3",
            (len(text), text, text),
        )
        return [dict(row) for row in rows]

    def children(self, id: str) -> list[dict[str, Any]]:
        """The sessions whose parent is this one."""
        if "parent_session_id" not in self._columns["sessions"]:
            return []
        query = "SELECT * FROM sessions WHERE parent_session_id = ? LIMIT 1000"
        return [dict(row) for row in self._connection.execute(query, (id,))]

    def activity(self) -> tuple[Activity, ...]:
        """The span of each session's rows. Raises DatabaseUnreadable."""
        if "timestamp" not in self._columns["messages"]:
            raise DatabaseUnreadable("Its messages have no times.")
        profile = "profile_name" if "profile_name" in self._columns["sessions"] else "NULL"
        of_it = "FROM messages WHERE session_id = sessions.id"
        rows = self._connection.execute(
            f"SELECT id, {profile}, (SELECT MIN(timestamp) {of_it}),"  # noqa: S608
            f" (SELECT MAX(timestamp) {of_it}) FROM sessions LIMIT ?",
            (SESSIONS + 1,),
        ).fetchall()
        if len(rows) > SESSIONS:
            raise DatabaseUnreadable(f"It has more than {SESSIONS:,} sessions.")
        return tuple(
            Activity(str(id), float(first), float(last), str(profile or ""))
            for id, profile, first, last in rows
            if isinstance(first, int | float) and isinstance(last, int | float)
        )

    def was_active(self, id: str, start: float, end: float) -> bool:
        """Whether a session has rows in this span, in seconds since 1970."""
        query = "SELECT 1 FROM messages WHERE session_id = ? AND timestamp BETWEEN ? AND ? LIMIT 1"
        return self._connection.execute(query, (id, start, end)).fetchone() is not None

    def results_with(self, id: str, text: str, start: float, end: float) -> list[int]:
        """The ids of tool rows in this span that contain a text."""
        query = (
            "SELECT id FROM messages WHERE session_id = ? AND timestamp BETWEEN ? AND ?"
            " AND role = 'tool' AND instr(content, ?) > 0 ORDER BY id LIMIT 20"
        )
        return [int(row[0]) for row in self._connection.execute(query, (id, start, end, text))]

    def messages(self, id: str, *, only_active: bool = False) -> Iterator[dict[str, Any]]:
        """The rows of a session in order, long texts cut to `LONGEST`.

        `only_active` gives them as the model saw them last: without rows that were summarised or
        reverted, and with what it thought. Raises DatabaseUnreadable.
        """
        columns = self._columns["messages"]
        if self.schema >= _WITH_PROMPTS and (gone := _EVIDENCE - columns):
            # A later version may keep them elsewhere: without them a page looks like typed words.
            raise DatabaseUnreadable(f"Its messages have no {min(gone)}.")
        read = _READ | _THOUGHTS if only_active else _READ
        selected = ", ".join(_expression(name) for name in sorted(columns & read))
        active = " AND active = 1" if only_active and "active" in columns else ""
        # Names and conditions come from a fixed list: nothing here is input.
        query = f"SELECT {selected} FROM messages WHERE session_id = ?{active} ORDER BY id LIMIT ?"  # noqa: S608
        characters = 0
        for index, row in enumerate(self._connection.execute(query, (id, ROWS + 1))):
            if index == ROWS:
                raise DatabaseUnreadable(f"The session {id} has more than {ROWS:,} rows.")
            message = {key: _text(value) for key, value in dict(row).items()}
            characters += sum(len(text) for text in message.values() if isinstance(text, str))
            if characters > CHARACTERS:
                raise DatabaseUnreadable(f"The session {id} is too long to be read.")
            yield message

    def prompt(self, session: dict[str, Any]) -> str:
        """The last system prompt of a session; empty when none is stored."""
        if text := session.get("system_prompt"):
            return str(text)
        mark = session.get("system_prompt_hash")
        if mark is None or not self._has("system_prompts", "hash", "prompt"):
            return ""
        query = "SELECT prompt FROM system_prompts WHERE hash = ? LIMIT 1"
        row = self._connection.execute(query, (mark,)).fetchone()
        return "" if row is None else str(row[0] or "")

    def models(self, session: dict[str, Any]) -> tuple[str, ...]:
        """The models of a session, each as name, provider and address."""
        names = ("model", "billing_provider", "billing_base_url")
        labels = [" ".join(str(session.get(name) or "") for name in names)]
        if self._has("session_model_usage", "session_id", *names):
            query = (
                "SELECT model, billing_provider, billing_base_url FROM session_model_usage"
                " WHERE session_id = ? LIMIT 100"
            )
            rows = self._connection.execute(query, (session["id"],))
            labels += [" ".join(str(value or "") for value in row) for row in rows]
        return tuple(dict.fromkeys(model.strip() for model in labels if model.strip()))

    def last_new_model(self, id: str) -> float:
        """The time at which a session last switched to a new model; 0 for never."""
        if not self._has("session_model_usage", "session_id", "first_seen"):
            return 0.0
        query = "SELECT MAX(first_seen) FROM session_model_usage WHERE session_id = ?"
        first_seen = self._connection.execute(query, (id,)).fetchone()[0]
        return float(first_seen) if isinstance(first_seen, int | float) else 0.0


_READ: Final = frozenset(
    {
        "id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name",
        "timestamp", "finish_reason", "observed", "active", "compacted", "api_content",
        "_compressed_summary",
        "reasoning_details",
    }
)  # fmt: skip
_THOUGHTS: Final = frozenset({"reasoning", "reasoning_content", "codex_reasoning_items"})
"""What a model thought, which some providers want back."""
_LONG: Final = _THOUGHTS | {"content", "api_content", "tool_calls", "reasoning_details"}


def _expression(column: str) -> str:
    # As bytes: SQLite would cut a text at a NUL. One byte more tells that the text is longer.
    if column in _LONG:
        return f"substr(CAST({column} AS BLOB), 1, {LONGEST + 1}) AS {column}"
    return column


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
