"""The recorder: each turn as it ends, with its session and the lineage of the session.

Hermes has hooks for the end of a turn, of a session, and for a reset. The other ways to start a
session (a branch, a compression, a resumption) show in its row of the session database. Turns go to
the folder that `.reviewdeck/plugin.json` names as `spool`, from which reviewdeck imports them.
Where one cannot be written, Hermes' own database is the record.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import agent, sent, settings, spool
from .bounded import run_within
from .kit import objects, text

PATIENCE = 1.0
"""The most seconds by which the end of a turn is delayed."""
SESSIONS = 256
"""The most sessions that are remembered. A forgotten one counts as resumed."""
SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[PRIOR CONTEXT")
"""Marks of Hermes' summaries of earlier messages, anywhere in a message."""


@dataclass(slots=True)
class _Transcript:
    """The recorded part of a session since it was opened."""

    opening: spool.Opening
    turns: int = 0
    messages: int = 0
    recorded: int = 0
    """The number of messages that are recorded, or were there before."""
    turn: str = ""
    """Hermes' id of the last recorded turn."""
    last: str = ""
    """The key of the last one: if another is in its place, the conversation was rewritten."""
    summaries: int = 0
    """The number of them that are summaries."""


_open: OrderedDict[tuple[str, str], _Transcript] = OrderedDict()
_ended: dict[tuple[str, str], str] = {}
"""The session that ended last, by home and platform: the parent of a following reset."""
_reset: OrderedDict[tuple[str, str], str] = OrderedDict()
"""Sessions that began with a reset, each with its parent."""
_lock = threading.Lock()


def register(ctx: Any) -> None:
    """Registers the hooks at the end of turns and sessions."""
    ctx.register_hook("post_llm_call", on_turn_answered)
    ctx.register_hook("on_session_end", on_turn_end)
    ctx.register_hook("on_session_finalize", on_session_end)
    ctx.register_hook("on_session_reset", on_session_reset)


def on_turn_answered(
    *,
    session_id: object = "",
    turn_id: object = "",
    platform: object = "",
    conversation_history: object = None,
    **_: Any,
) -> None:
    """Hermes' hook after a turn with an answer."""
    _record(session_id, turn_id, platform, objects(conversation_history))


def on_turn_end(
    *, session_id: object = "", turn_id: object = "", platform: object = "", **_: Any
) -> None:
    """Hermes' hook after every turn, with or without an answer: records interrupted ones too."""
    request = sent.find_request(turn_id) if isinstance(turn_id, str) else None
    if request is not None:
        _record(session_id, turn_id, platform, request.history)


def on_session_end(*, session_id: object = "", platform: object = "", **_: Any) -> None:
    """Hermes' hook at the end of a session: later messages resume it."""
    run_within(PATIENCE, _leave, str(agent.home()), text(session_id), text(platform))


def on_session_reset(
    *, session_id: object = "", platform: object = "", old_session_id: object = "", **_: Any
) -> None:
    """Hermes' hook when a new session replaces another."""
    names = (text(session_id), text(platform), text(old_session_id))
    run_within(PATIENCE, _begin_anew, str(agent.home()), *names)


def _record(
    session_id: object, turn_id: object, platform: object, history: Sequence[Mapping[str, Any]]
) -> None:
    session, turn = text(session_id), text(turn_id)
    if session and history and agent.origin() != agent.BACKGROUND:
        run_within(PATIENCE, record, agent.home(), session, history, text(platform), turn)


def _leave(home: str, session: str, platform: str) -> None:
    with _lock:
        _open.pop((home, session), None)
        _ended[home, platform] = session


def _begin_anew(home: str, session: str, platform: str, old: str) -> None:
    with _lock:
        _reset[home, session] = old or _ended.pop((home, platform), "")
        while len(_reset) > SESSIONS:
            _reset.popitem(last=False)


def record(
    home: Path, session: str, history: Sequence[Mapping[str, Any]], platform: str, turn: str
) -> None:
    """Records the new messages of a conversation as one turn. Raises OSError."""
    folder = settings.setting(home, "spool")
    if not isinstance(folder, str) or not Path(folder).is_absolute():
        return
    at = datetime.now(UTC).isoformat()
    with _lock:
        transcript = _open.get((str(home), session))
        if transcript is not None and turn and transcript.turn == turn:
            return
        if transcript is None or not _continues(transcript, history):
            began = _find_start(history, turn)
            transcript = _open_transcript(home, session, history[:began], platform, at, transcript)
        messages = list(spool.spoken(history[transcript.recorded :]))
        if not messages:
            return
        total = transcript.messages + len(messages)
        name = turn or None
        spool.put(
            Path(folder),
            transcript.opening,
            transcript.turns,
            messages,
            total=total,
            at=at,
            turn=name,
        )
        transcript.turns, transcript.messages = transcript.turns + 1, total
        transcript.recorded, transcript.last, transcript.turn = (
            len(history),
            _mark(history[-1]),
            turn,
        )
        transcript.summaries = _summaries(history)
        _open[str(home), session] = transcript
        _open.move_to_end((str(home), session))
        while len(_open) > SESSIONS:
            _open.popitem(last=False)


def _continues(transcript: _Transcript, history: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the conversation still starts with the recorded messages."""
    return (
        len(history) >= transcript.recorded
        and _mark(history[transcript.recorded - 1]) == transcript.last
        and _summaries(history[: transcript.recorded]) == transcript.summaries
    )


def _summaries(history: Sequence[Mapping[str, Any]]) -> int:
    return sum(map(_holds_summary, history))


def _holds_summary(message: Mapping[str, Any]) -> bool:
    if message.get("_compressed_summary"):
        return True
    texts = [text for _, text, _, _ in spool.spoken([message])]
    return any(mark in text for text in texts for mark in SUMMARIES)


def _find_start(history: Sequence[Mapping[str, Any]], turn: str) -> int:
    """The index at which the turn starts: by its first request, else the user's last message."""
    request = sent.find_request(turn)
    if request is not None and request.replayed < len(history):
        return request.replayed
    users = [index for index, message in enumerate(history) if message.get("role") == "user"]
    return users[-1] if users else 0


def _open_transcript(
    home: Path,
    session: str,
    before: Sequence[Mapping[str, Any]],
    platform: str,
    at: str,
    previous: _Transcript | None,
) -> _Transcript:
    """A new transcript. `previous` is the one of the same session that was rewritten."""
    parent, began = _lineage(home, session, before, is_rewritten=previous is not None)
    document = secrets.token_hex(12)
    place = str(home.resolve())
    opening = spool.Opening(document, session, parent, began, place, platform, at)
    return _Transcript(opening, recorded=len(before))


def _lineage(
    home: Path, session: str, before: Sequence[Mapping[str, Any]], *, is_rewritten: bool
) -> tuple[str | None, str]:
    if is_rewritten:
        # Within one session: Hermes summarised it, or the user reverted a part.
        return (session, "compression") if _summaries(before) else (None, "resume")
    old = _reset.pop((str(home), session), None)
    if old is not None and not before:
        return old or None, "reset"
    parent, is_branch, is_compressed = _row(session)
    if parent and is_branch:
        return parent, "branch"
    if parent and is_compressed:
        return parent, "compression"
    if before:
        return None, "resume"
    return parent, "new"


def _row(session: str) -> tuple[str | None, bool, bool]:
    """A session's parent in Hermes' database, whether it is a branch, and a compression."""
    query = (
        "SELECT own.parent_session_id, own.model_config, parent.end_reason FROM sessions AS own"
        " LEFT JOIN sessions AS parent ON parent.id = own.parent_session_id WHERE own.id = ?"
    )
    path = agent.database()
    try:
        # Hermes has it open: a reader creates no file beside it.
        with closing(
            sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0.2)
        ) as connection:
            row = connection.execute(query, (session,)).fetchone()
    except (sqlite3.Error, ValueError):
        row = None
    if row is None or not isinstance(row[0], str):
        return None, False, False
    return row[0], "_branched_from" in str(row[1] or ""), row[2] == "compression"


def _first_text(message: Mapping[str, Any]) -> str:
    """The text of a message; of one in parts, the first part's."""
    return next((text for _, text, _, _ in spool.spoken([message])), "")


def _mark(message: Mapping[str, Any]) -> str:
    """A key that identifies a message after it was stored and read again."""
    calls = [call.get("id") for call in objects(message.get("tool_calls"))]
    return json.dumps([message.get("role"), _first_text(message)[:2000], calls], default=str)
