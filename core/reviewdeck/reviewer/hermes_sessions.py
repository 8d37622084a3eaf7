"""Conversations from the `state.db` of a Hermes home, which is never written to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.conversations import checked_messages, hermes_conversation, moment_of
from reviewdeck.reviewer.values import Conversation, Json

DATABASE: Final = "state.db"
_STRUCTURED: Final = "\x00json:"
"""Hermes' mark before a content that is not a plain text."""


def load_session(home: Path, session: str) -> Conversation:
    """A session of a home, by its id or a unique beginning of it. Raises BadInput."""
    try:
        with _reading(home / DATABASE) as database:
            found = _session(database, session)
            messages = [_message(row) for row in _messages(database, found["id"])]
    except sqlite3.Error as error:
        raise BadInput(f"{home / DATABASE} cannot be read: {error}.") from error
    return hermes_conversation(
        checked_messages(messages, f"The session {found['id']}"),
        system=found.get("system_prompt") or "",
        tools=None,  # Hermes keeps no tool list there: the parent's cache cannot be met.
        model=found.get("model") or "",
        base_url=None,
        session=found["id"],
        parent_session=found.get("parent_session_id") or "",
        started_at=moment_of(found.get("started_at")),
        platform=found.get("source") or "",
    )


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write, and that leaves no file behind.

    With a log beside the database somebody is using it: then their own shared files are used.
    Without one, SQLite would make them: it is told that nothing changes.
    """
    if not path.is_file():
        raise BadInput(f"There is no {path}.", hint="Name the home with --home PATH.")
    log = path.with_name(f"{path.name}-wal")
    options = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True)) as database:
        database.row_factory = sqlite3.Row
        yield database


def _session(database: sqlite3.Connection, wanted: str) -> dict[str, Any]:
    rows = database.execute(
        "SELECT * FROM sessions WHERE substr(id, 1, ?) = ? ORDER BY id = ? DESC LIMIT 3",
        (len(wanted), wanted, wanted),
    ).fetchall()
    if not wanted or not rows:
        raise BadInput(f"There is no session {wanted!r} in {DATABASE}.")
    if len(rows) > 1 and rows[0]["id"] != wanted:
        raise BadInput(f"More than one session begins with {wanted!r}.")
    return dict(rows[0])


def _messages(database: sqlite3.Connection, session: str) -> list[dict[str, Any]]:
    columns = {row["name"] for row in database.execute("PRAGMA table_info(messages)")}
    visible = " AND active = 1" if "active" in columns else ""
    # The condition is one of two texts of ours.
    query = f"SELECT * FROM messages WHERE session_id = ?{visible} ORDER BY id"  # noqa: S608
    return [dict(row) for row in database.execute(query, (session,))]


def _message(row: dict[str, Any]) -> Json:
    message: Json = {"role": row.get("role"), "content": _content(row)}
    for key in ("tool_calls", "reasoning_details"):
        if row.get(key):
            message[key] = _parsed(row[key])
    if row.get("tool_call_id"):
        message["tool_call_id"] = row["tool_call_id"]
    return message


def _content(row: dict[str, Any]) -> Any:
    """What was sent, where that was kept beside what is shown."""
    content = row.get("api_content") if row.get("api_content") is not None else row.get("content")
    if isinstance(content, str) and content.startswith(_STRUCTURED):
        return _parsed(content.removeprefix(_STRUCTURED))
    return content


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
