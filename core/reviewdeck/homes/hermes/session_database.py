"""The session database of a Hermes home, read only: the one place that opens it.

Nothing is written: no row, and no file beside it. While there is a writer (a write-ahead log lies
beside the database), its shared files are used and the writer is not blocked. Without one, SQLite
would create such files, so the database is opened as immutable and the file's state is compared
afterwards. Columns are discovered: Hermes adds them whenever it opens the database.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

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

_TRIES: Final = 4
_LOCK_WAIT: Final = 0.25
"""Seconds to wait for a lock: Hermes itself gives up a write after two."""
_STEPS: Final = 50_000_000
"""The most steps of SQLite's virtual machine that one read may take."""
_A_CALLBACK: Final = 100_000
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


class SessionsUnreadable(ValueError):
    """The session database exists and cannot be read. The caller decides what that means."""

    def __init__(self, message: str, *, is_passing: bool = False) -> None:
        super().__init__(message)
        self.sentence = message
        self.is_passing = is_passing
        """Whether a retry may succeed soon."""


class _Changed(Exception):
    """The database changed while it was read as immutable."""


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


def stamp(path: Path) -> str:
    """A stamp that changes when the database may have changed. Never raises."""
    return "|".join(_facts(path.with_name(path.name + end)) for end in ("", "-wal"))


def read_sessions(path: Path, work: Callable[[Sessions], T]) -> T:
    """The result of `work` on one consistent state of the database. Raises SessionsUnreadable.

    Other errors of `work` propagate.
    """
    for _ in range(_TRIES):
        try:
            return _read_once(path, work)
        except _Changed:
            continue
        except sqlite3.Error as error:
            busy = "lock" in str(error) or "busy" in str(error)
            raise SessionsUnreadable(f"{path} cannot be read: {error}.", is_passing=busy) from error
    raise SessionsUnreadable(f"{path} changes faster than it can be read.", is_passing=True)


def _read_once(path: Path, work: Callable[[Sessions], T]) -> T:
    before = stamp(path)
    live = _is_live(path)
    uri = f"{path.absolute().as_uri()}?mode=ro{'' if live else '&immutable=1'}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_LOCK_WAIT, isolation_level=None)
        ) as connection:
            _harden(connection)
            connection.execute("BEGIN")
            result = work(Sessions(connection))
    except (sqlite3.Error, SessionsUnreadable):
        if not live and stamp(path) != before:
            raise _Changed from None
        raise
    if not live and stamp(path) != before:
        raise _Changed
    return result


def _is_live(path: Path) -> bool:
    """Whether a writer may be active. Raises SessionsUnreadable when it is not a database."""
    try:
        status = path.lstat()
        with_log = _size(path.with_name(f"{path.name}-wal"))
        if not stat.S_ISREG(status.st_mode):
            raise SessionsUnreadable(f"{path} cannot be read: it is not a plain file.")
        with path.open("rb") as file:
            head = file.read(20)
    except OSError as error:
        raise SessionsUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    if not head.startswith(b"SQLite format 3\0") or len(head) < 20:
        raise SessionsUnreadable(f"{path} cannot be read: it is not a database.")
    if head[18] != 2:
        return True  # Without a write-ahead log, locks tell of a writer and no file is created.
    if with_log and not path.with_name(f"{path.name}-shm").exists():
        raise SessionsUnreadable(
            f"{path} cannot be read: its write-ahead log is not checkpointed yet."
        )
    return with_log is not None and path.with_name(f"{path.name}-shm").exists()


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return None


def _facts(path: Path) -> str:
    try:
        status = path.lstat()
    except OSError as error:
        return type(error).__name__
    times = f"{status.st_mtime_ns}:{status.st_ctime_ns}"
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{times}"


def _harden(connection: sqlite3.Connection) -> None:
    """Restricts what a hostile database could do: write, run its own functions, run long."""
    remaining = _STEPS // _A_CALLBACK

    def count() -> int:
        nonlocal remaining
        remaining -= 1
        return remaining < 0

    connection.set_progress_handler(count, _A_CALLBACK)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")


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
                raise SessionsUnreadable(f"It is no session database: {table} is not as expected.")

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
        """The span of each session's rows. Raises SessionsUnreadable."""
        if "timestamp" not in self._columns["messages"]:
            raise SessionsUnreadable("Its messages have no times.")
        profile = "profile_name" if "profile_name" in self._columns["sessions"] else "NULL"
        of_it = "FROM messages WHERE session_id = sessions.id"
        rows = self._connection.execute(
            f"SELECT id, {profile}, (SELECT MIN(timestamp) {of_it}),"  # noqa: S608
            f" (SELECT MAX(timestamp) {of_it}) FROM sessions LIMIT ?",
            (SESSIONS + 1,),
        ).fetchall()
        if len(rows) > SESSIONS:
            raise SessionsUnreadable(f"It has more than {SESSIONS:,} sessions.")
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
        reverted, and with what it thought. Raises SessionsUnreadable.
        """
        columns = self._columns["messages"]
        if self.schema >= _WITH_PROMPTS and (gone := _EVIDENCE - columns):
            # A later version may keep them elsewhere: without them a page looks like typed words.
            raise SessionsUnreadable(f"Its messages have no {min(gone)}.")
        read = _READ | _THOUGHTS if only_active else _READ
        selected = ", ".join(_expression(name) for name in sorted(columns & read))
        active = " AND active = 1" if only_active and "active" in columns else ""
        # Names and conditions come from a fixed list: nothing here is input.
        query = f"SELECT {selected} FROM messages WHERE session_id = ?{active} ORDER BY id LIMIT ?"  # noqa: S608
        characters = 0
        for index, row in enumerate(self._connection.execute(query, (id, ROWS + 1))):
            if index == ROWS:
                raise SessionsUnreadable(f"The session {id} has more than {ROWS:,} rows.")
            message = {key: _text(value) for key, value in dict(row).items()}
            characters += sum(len(text) for text in message.values() if isinstance(text, str))
            if characters > CHARACTERS:
                raise SessionsUnreadable(f"The session {id} is too long to be read.")
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
