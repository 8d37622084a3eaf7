"""OpenClaw's databases, read only: what its tools wrote, and what its sessions said.

Their schema is not documented, and belongs to OpenClaw: what is not as expected is unreadable, and
never guessed.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, objects, parsed, text_at
from reviewdeck.homes.sqlite_reads import DatabaseUnreadable, read_database, stamp
from reviewdeck.values import dataclass

STATE: Final = "state/openclaw.sqlite"
ROWS: Final = 20_000
"""The most events of a session that is read."""
LONGEST: Final = 4 * 1024 * 1024
"""The most bytes of one event: OpenClaw stores no longer ones."""
CHARACTERS: Final = 32 * 1024 * 1024
"""The most text of a session that is read."""
CANDIDATES: Final = 20
"""The most sessions of one day that are examined."""
_AGENTS: Final = 200
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_OWNER: Final = "core:memory-artifact-provenance"
_NAMESPACE: Final = "workspace-files"
_NO_ZSTD: Final = (
    "The session has compressed rows, which nothing installed here reads: install"
    " `reviewdeck[openclaw]`."
)


@dataclass(frozen=True, slots=True)
class KnownWrite:
    """The last write of a tool of OpenClaw to a document of the memory, by OpenClaw's own book."""

    path: str
    revision: str
    session: str
    at: float
    """Seconds since 1970."""
    is_alone: bool
    """Whether every byte came through the agent's own tools, as OpenClaw saw it."""


@dataclass(frozen=True, slots=True)
class Dream:
    """A write of OpenClaw's dreaming, by its own log."""

    at: float
    """Seconds since 1970."""
    notes: tuple[str, ...]
    """The notes from which it took what it wrote, where the log names them."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session, as OpenClaw keeps it."""

    id: str
    key: str
    source: str
    """The channel, the hook or the kind of job that it belongs to; empty for a terminal."""
    chat_type: str
    account: str
    is_started: bool
    """Whether another session started it."""
    began: float
    models: tuple[str, ...]


def known_writes(state: Path, workspace: Path) -> dict[str, KnownWrite]:
    """What OpenClaw knows of the documents of a workspace, by path. Raises DatabaseUnreadable."""
    key = hashlib.sha256(os.path.realpath(workspace).encode()).hexdigest()
    query = (
        "SELECT value_json FROM plugin_state_entries WHERE plugin_id = ? AND namespace = ?"
        " AND entry_key >= ? AND entry_key < ? LIMIT ?"
    )
    bounds = (_OWNER, _NAMESPACE, f"{key}:", f"{key};", ROWS)
    rows = read_database(state / STATE, lambda database: database.execute(query, bounds).fetchall())
    writes = (_known_write(parsed(row[0]), key) for row in rows)
    return {write.path: write for write in writes if write is not None}


def _known_write(raw: object, workspace: str) -> KnownWrite | None:
    """The write in an entry; None for one that OpenClaw itself would not take."""
    entry = members(raw)
    at, revision = entry.get("observedAt"), text_at(entry, "fileHash")
    if entry.get("version") != 1 or entry.get("workspaceKey") != workspace:
        return None
    if not _HASH.fullmatch(revision) or not isinstance(at, int):
        return None
    is_alone = entry.get("originClass") == "agent"
    path, session = text_at(entry, "relativePath"), text_at(entry, "sessionId")
    return KnownWrite(path, revision, session, at / 1000, is_alone) if path and session else None


def last_dream(state: Path, document: Path, start: float, end: float) -> Dream | None:
    """The last time in this span, in seconds since 1970, that dreaming wrote a document.

    Raises DatabaseUnreadable.
    """
    query = (
        "SELECT value_json FROM plugin_state_entries WHERE plugin_id = 'memory-core'"
        " AND namespace = 'memory-host.events' ORDER BY created_at DESC LIMIT ?"
    )
    rows = read_database(
        state / STATE, lambda database: database.execute(query, (ROWS,)).fetchall()
    )
    place = os.path.realpath(document)
    for entry in (members(parsed(row[0])) for row in rows):
        at, event = entry.get("recordedAt"), members(entry.get("event"))
        written = [text_at(event, name) for name in ("memoryPath", "inlinePath", "reportPath")]
        is_there = any(path and os.path.realpath(path) == place for path in written)
        if is_there and isinstance(at, int) and start <= at / 1000 <= end:
            notes = {text_at(each, "path") for each in objects(event.get("candidates"))}
            return Dream(at / 1000, tuple(sorted(filter(None, notes))))
    return None


def workshop_records(state: Path, status: str) -> list[dict[str, Any]]:
    """OpenClaw's records of the Workshop's proposals in a state, the latest first.

    Raises DatabaseUnreadable.
    """
    query = (
        "SELECT record_json FROM skill_workshop_proposals WHERE status = ?"
        " ORDER BY updated_at DESC LIMIT ?"
    )

    def read(database: sqlite3.Connection) -> list[sqlite3.Row]:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if "skill_workshop_proposals" not in {row[0] for row in tables}:
            return []  # OpenClaw creates it with the first proposal.
        return database.execute(query, (status, ROWS)).fetchall()

    return [members(parsed(row[0])) for row in read_database(state / STATE, read)]


def session_at(state: Path, key: str, at: float) -> str:
    """The session that had this key at a time, in seconds since 1970; empty without one.

    Raises DatabaseUnreadable.
    """
    query = (
        "SELECT session_id FROM session_windows WHERE session_key = ? AND created_at <= ?"
        " ORDER BY created_at DESC LIMIT 1"
    )
    bounds = (key, int(at * 1000))
    for path in _agent_databases(state):
        row = read_database(path, lambda database: database.execute(query, bounds).fetchone())
        if row is not None:
            return str(row[0])
    return ""


def sessions_stamp(state: Path) -> str:
    """A stamp that changes when a session or what is known of a write may have changed."""
    return "\n".join(stamp(path) for path in (state / STATE, *_agent_databases(state)))


def read_session(state: Path, id: str) -> tuple[Session, list[dict[str, Any]]] | None:
    """A session and its events in order; None without one. Raises DatabaseUnreadable."""
    for path in _agent_databases(state):
        found = read_database(path, lambda database: _session(database, id))
        if found is not None:
            return found
    return None


def active_sessions(state: Path, start: float, end: float) -> list[str]:
    """The sessions with a row in this span, in seconds since 1970, the latest first."""
    query = (
        "SELECT session_id, updated_at FROM session_windows WHERE updated_at >= ?"
        " AND created_at <= ? ORDER BY updated_at DESC LIMIT ?"
    )
    bounds = (int(start * 1000), int(end * 1000), CANDIDATES)
    found: list[tuple[int, str]] = []
    for path in _agent_databases(state):
        rows = read_database(path, lambda database: database.execute(query, bounds).fetchall())
        found += [(row[1], row[0]) for row in rows]
    return [session for _, session in sorted(found, reverse=True)[:CANDIDATES]]


def _agent_databases(state: Path) -> list[Path]:
    try:
        return sorted(state.glob("agents/*/agent/openclaw-agent.sqlite"))[:_AGENTS]
    except OSError:
        return []


def _session(database: sqlite3.Connection, id: str) -> tuple[Session, list[dict[str, Any]]] | None:
    row = database.execute("SELECT * FROM session_windows WHERE session_id = ?", (id,)).fetchone()
    if row is None:
        return None
    told = dict(row)
    query = "SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq LIMIT ?"
    events = list(_events(database.execute(query, (id, ROWS + 1)), id))
    model = " ".join(str(told.get(name) or "") for name in ("model", "model_provider")).strip()
    session = Session(
        id,
        str(told.get("session_key") or ""),
        _source(told),
        str(told.get("chat_type") or ""),
        str(told.get("account_id") or ""),
        bool(told.get("parent_session_key") or told.get("spawned_by")),
        float(told.get("created_at") or 0) / 1000,
        (model,) if model else (),
    )
    return session, events


def _source(told: dict[str, Any]) -> str:
    """Who speaks in a session; empty where only the account itself does."""
    if hook := told.get("hook_external_content_source"):
        return f"hook {hook}"
    if channel := told.get("channel"):
        return str(channel)
    parts = str(told.get("session_key") or "").split(":")
    return next((job for job in ("cron", "hook", "acp", "subagent") if job in parts[2:]), "")


def _events(rows: sqlite3.Cursor, id: str) -> Iterator[dict[str, Any]]:
    """The events of a session. Raises DatabaseUnreadable for one that cannot be read whole."""
    characters = 0
    for number, row in enumerate(rows):
        if number == ROWS:
            raise DatabaseUnreadable(f"The session {id[:64]} has more than {ROWS:,} rows.")
        columns = dict(row)
        text = columns.get("event_json")
        if text is None:
            text = _decompressed(columns.get("event_zstd"), columns.get("event_utf8_bytes"))
        characters += len(text)
        if characters > CHARACTERS:
            raise DatabaseUnreadable(f"The session {id[:64]} is too long to be read.")
        event = parsed(text)
        if not isinstance(event, dict):
            raise DatabaseUnreadable(f"A row of the session {id[:64]} is not readable.")
        yield event


def _decompressed(data: object, size: object) -> str:
    """The text of a compressed row, of exactly the size that is told."""
    if not isinstance(data, bytes) or not isinstance(size, int) or not 0 < size <= LONGEST:
        raise DatabaseUnreadable("A row of the session is in a form that is not known.")
    try:
        from reviewdeck.homes.openclaw.zstd import decompress
    except ImportError:
        raise DatabaseUnreadable(_NO_ZSTD) from None
    text = decompress(data, size)
    if text is None:
        raise DatabaseUnreadable("A compressed row of the session is damaged.")
    return text
