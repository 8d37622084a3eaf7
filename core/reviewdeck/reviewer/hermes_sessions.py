"""Conversations from the `state.db` of a Hermes home, which is never written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.rows import STRUCTURED, parsed
from reviewdeck.homes.hermes.sessions import DATABASE, Sessions, SessionsUnreadable, look
from reviewdeck.reviewer.conversations import checked_messages, hermes_conversation, moment_of
from reviewdeck.reviewer.values import Conversation, Json

_KEPT: Final = ("tool_calls", "reasoning_details")


def load_session(home: Path, session: str) -> Conversation:
    """A session of a home, by its id or a unique beginning of it. Raises BadInput."""
    path = home / DATABASE
    if not path.exists():
        raise BadInput(f"There is no {path}.", hint="Name the home with --home PATH.")
    try:
        return look(path, lambda database: _conversation(database, session))
    except SessionsUnreadable as error:
        raise BadInput(error.message) from error


def _conversation(database: Sessions, session: str) -> Conversation:
    found = _session(database, session)
    # What the model had before it: neither what was summed up nor what was taken back.
    messages = [_message(row) for row in database.messages(found["id"], only_active=True)]
    return hermes_conversation(
        checked_messages(messages, f"The session {found['id']}"),
        system=database.prompt(found),
        tools=None,  # Hermes keeps no tool list there: the parent's cache cannot be met.
        model=found.get("model") or "",
        base_url=None,
        session=found["id"],
        parent_session=found.get("parent_session_id") or "",
        started_at=moment_of(found.get("started_at")),
        platform=found.get("source") or "",
    )


def _session(database: Sessions, wanted: str) -> dict[str, Any]:
    found = database.beginning_with(wanted) if wanted else []
    if not found:
        raise BadInput(f"There is no session {wanted!r} in {DATABASE}.")
    if len(found) > 1 and found[0]["id"] != wanted:
        raise BadInput(f"More than one session begins with {wanted!r}.")
    return found[0]


def _message(row: dict[str, Any]) -> Json:
    message: Json = {"role": row.get("role"), "content": _content(row)}
    for key in _KEPT:
        if row.get(key):
            message[key] = parsed(row[key])
    if row.get("tool_call_id"):
        message["tool_call_id"] = row["tool_call_id"]
    return message


def _content(row: dict[str, Any]) -> Any:
    """What was sent, where that was kept beside what is shown."""
    content = row.get("api_content") if row.get("api_content") is not None else row.get("content")
    if isinstance(content, str) and content.startswith(STRUCTURED):
        return parsed(content.removeprefix(STRUCTURED))
    return content
