"""The session database of a Hermes home, read only: the one place that opens it.

Nothing is written: no row, no file beside it. While there is a writer (a write-ahead log stands
beside the database), its shared files are used and the writer goes on. Without one, SQLite would
create such files, so it is told that the database is immutable, and the file's state is compared
afterwards. Columns are found by looking: Hermes adds them whenever it opens the database.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

DATABASE: Final = "state.db"
ROWS: Final = 20_000
"""A conversation with more rows than this is not read."""
CHARACTERS: Final = 32 * 1024 * 1024
"""Nor one with more text than this."""
LONGEST: Final = 256 * 1024
"""Bytes of each text of a row that are read."""
SESSIONS: Final = 200_000
"""A database with more sessions than this is not searched by time."""

_TRIES: Final = 4
_PATIENCE: Final = 0.25
"""Seconds that a lock of somebody else is waited for: Hermes itself gives up a write after two."""
_STEPS: Final = 50_000_000
"""So many steps of SQLite's machine one look may take."""
_A_CALLBACK: Final = 100_000
_NEEDED: Final = {
    "sessions": frozenset({"id", "source"}),
    "messages": frozenset({"id", "session_id", "role", "content"}),
}

T = TypeVar("T")


class SessionsUnreadable(Exception):
    """The session database is there and cannot be read. Whoever looks says what that means."""

    def __init__(self, message: str, *, is_passing: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.is_passing = is_passing
        """Whether the same look may succeed in a moment."""


class _Changed(Exception):
    """The database changed while it was read as if it did not."""


@dataclass(frozen=True, slots=True)
class Activity:
    """When a session had rows. Times as Hermes keeps them: seconds."""

    session: str
    first: float
    last: float
    profile: str


def is_there(path: Path) -> bool:
    """Whether anything is at this place: what cannot be read is there too."""
    return os.path.lexists(path)


def stamp(path: Path) -> str:
    """A cheap hint that changes when the database may have. Never raises."""
    return "|".join(_facts(path.with_name(path.name + end)) for end in ("", "-wal"))


def look(path: Path, work: Callable[[Sessions], T]) -> T:
    """Gives what `work` makes of one consistent state. Raises SessionsUnreadable.

    Whatever else `work` raises is passed on.
    """
    for _ in range(_TRIES):
        try:
            return _looked(path, work)
        except _Changed:
            continue
        except sqlite3.Error as error:
            busy = "lock" in str(error) or "busy" in str(error)
            raise SessionsUnreadable(f"{path} cannot be read: {error}.", is_passing=busy) from error
    raise SessionsUnreadable(f"{path} changes faster than it can be read.", is_passing=True)


def _looked(path: Path, work: Callable[[Sessions], T]) -> T:
    before = stamp(path)
    live = _is_live(path)
    uri = f"{path.absolute().as_uri()}?mode=ro{'' if live else '&immutable=1'}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
        ) as connection:
            _restrain(connection)
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
    """Whether somebody may be writing it. Raises SessionsUnreadable for what is no database."""
    try:
        facts = path.lstat()
        with_log = _size(path.with_name(f"{path.name}-wal"))
        if not stat.S_ISREG(facts.st_mode):
            raise SessionsUnreadable(f"{path} cannot be read: it is not a plain file.")
        with path.open("rb") as file:
            head = file.read(20)
    except OSError as error:
        raise SessionsUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    if not head.startswith(b"SQLite format 3\0") or len(head) < 20:
        raise SessionsUnreadable(f"{path} cannot be read: it is not a database.")
    if head[18] != 2:
        return True  # Without a log of writes, locks tell of a writer and no file is made.
    if with_log and not path.with_name(f"{path.name}-shm").exists():
        raise SessionsUnreadable(
            f"{path} cannot be read: writes stand beside it that nobody has joined yet."
        )
    return with_log is not None and path.with_name(f"{path.name}-shm").exists()


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return None


def _facts(path: Path) -> str:
    try:
        facts = path.lstat()
    except OSError as error:
        return type(error).__name__
    return f"{facts.st_dev}:{facts.st_ino}:{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}"


def _restrain(connection: sqlite3.Connection) -> None:
    """Takes away what a hostile database could do: write, run functions of its own, run long."""
    left = _STEPS // _A_CALLBACK

    def count() -> int:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count, _A_CALLBACK)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")


class Sessions:
    """One state of the database. Every query finds its rows by an index."""

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
        """The version of its schema, or 0. The table of prompts came with version 25."""
        if "system_prompts" in self._tables:
            return 25
        if "schema_version" not in self._tables:
            return 0
        row = self._connection.execute("SELECT max(version) FROM schema_version").fetchone()
        return row[0] if isinstance(row[0], int) else 0

    def session(self, id: str) -> dict[str, Any] | None:
        """The session of this id."""
        row = self._connection.execute("SELECT * FROM sessions WHERE id = ?", (id,)).fetchone()
        return None if row is None else dict(row)

    def beginning_with(self, text: str) -> list[dict[str, Any]]:
        """Up to three sessions whose ids begin so, the one of this very id first."""
        rows = self._connection.execute(
            "SELECT * FROM sessions WHERE substr(id, 1, ?) = ? ORDER BY id = ? DESC LIMIT 3",
            (len(text), text, text),
        )
        return [dict(row) for row in rows]

    def children(self, id: str) -> list[dict[str, Any]]:
        """The sessions that came of one."""
        if "parent_session_id" not in self._columns["sessions"]:
            return []
        query = "SELECT * FROM sessions WHERE parent_session_id = ? LIMIT 1000"
        return [dict(row) for row in self._connection.execute(query, (id,))]

    def activity(self) -> tuple[Activity, ...]:
        """When each session had its first and its last row. Raises SessionsUnreadable."""
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
        """Whether a session has rows of this span of time."""
        query = "SELECT 1 FROM messages WHERE session_id = ? AND timestamp BETWEEN ? AND ? LIMIT 1"
        return self._connection.execute(query, (id, start, end)).fetchone() is not None

    def results_with(self, id: str, text: str, start: float, end: float) -> list[int]:
        """The rows of tools of this span in which a text stands."""
        query = (
            "SELECT id FROM messages WHERE session_id = ? AND timestamp BETWEEN ? AND ?"
            " AND role = 'tool' AND instr(content, ?) > 0 ORDER BY id LIMIT 20"
        )
        return [int(row[0]) for row in self._connection.execute(query, (id, start, end, text))]

    def messages(self, id: str, *, only_active: bool = False) -> Iterator[dict[str, Any]]:
        """The rows of a session in their order, each cut to what is read of one.

        `only_active` leaves out what was summed up or taken back. Raises SessionsUnreadable.
        """
        columns = self._columns["messages"]
        shown = ", ".join(_shown(name) for name in sorted(columns & _READ))
        seen = " AND active = 1" if only_active and "active" in columns else ""
        # Names and conditions are ours: only columns of a fixed list are read.
        query = f"SELECT {shown} FROM messages WHERE session_id = ?{seen} ORDER BY id LIMIT ?"  # noqa: S608
        characters = 0
        for at, row in enumerate(self._connection.execute(query, (id, ROWS + 1))):
            if at == ROWS:
                raise SessionsUnreadable(f"The session {id} has more than {ROWS:,} rows.")
            found = {key: _text(value) for key, value in dict(row).items()}
            characters += sum(len(one) for one in found.values() if isinstance(one, str))
            if characters > CHARACTERS:
                raise SessionsUnreadable(f"The session {id} is too long to be read.")
            yield found

    def prompt(self, session: dict[str, Any]) -> str:
        """The system prompt that a session had last; empty when none is kept."""
        if text := session.get("system_prompt"):
            return str(text)
        mark = session.get("system_prompt_hash")
        if mark is None or not self._has("system_prompts", "hash", "prompt"):
            return ""
        query = "SELECT prompt FROM system_prompts WHERE hash = ? LIMIT 1"
        row = self._connection.execute(query, (mark,)).fetchone()
        return "" if row is None else str(row[0] or "")

    def models(self, session: dict[str, Any]) -> tuple[str, ...]:
        """Who answered in a session: name, provider and address of each model."""
        names = ("model", "billing_provider", "billing_base_url")
        found = [" ".join(str(session.get(name) or "") for name in names)]
        if self._has("session_model_usage", "session_id", *names):
            query = (
                "SELECT model, billing_provider, billing_base_url FROM session_model_usage"
                " WHERE session_id = ? LIMIT 100"
            )
            rows = self._connection.execute(query, (session["id"],))
            found += [" ".join(str(one or "") for one in row) for row in rows]
        return tuple(dict.fromkeys(one.strip() for one in found if one.strip()))

    def last_new_model(self, id: str) -> float:
        """When a session was last spoken to with a model for the first time; 0 for never."""
        if not self._has("session_model_usage", "session_id", "first_seen"):
            return 0.0
        query = "SELECT MAX(first_seen) FROM session_model_usage WHERE session_id = ?"
        found = self._connection.execute(query, (id,)).fetchone()[0]
        return float(found) if isinstance(found, int | float) else 0.0


_READ: Final = frozenset(
    {
        "id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name",
        "timestamp", "finish_reason", "observed", "active", "compacted", "api_content",
        "reasoning_details", "_compressed_summary",
    }
)  # fmt: skip
_LONG: Final = frozenset({"content", "api_content", "tool_calls", "reasoning_details"})


def _shown(column: str) -> str:
    # As bytes: a text with a NUL would end there. One more than is read tells that it is longer.
    if column in _LONG:
        return f"substr(CAST({column} AS BLOB), 1, {LONGEST + 1}) AS {column}"
    return column


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
