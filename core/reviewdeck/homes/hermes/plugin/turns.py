"""The recorder: each turn as it ends, with the session and the lineage that it has then.

Hermes says when a turn, a session and a reset end. How a session came about that nobody announced
(a branch, a compression, one that is taken up again) is in its row of the session database. What is
recorded goes to the folder that `.reviewdeck/plugin.json` names as `spool`; reviewdeck takes it up
from there. Where it cannot be written, Hermes' own database is the record.
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
from .bounded import within

PATIENCE = 1.0
"""Seconds for which the end of a turn is held up, however slow the disk is."""
SESSIONS = 256
"""Sessions that are remembered: the latest. One that is forgotten counts as taken up again."""
SUMMARIES = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
"""How Hermes' summary of earlier messages begins."""


@dataclass(slots=True)
class _Transcript:
    """What was recorded of a session since it was entered."""

    opening: spool.Opening
    turns: int = 0
    messages: int = 0
    seen: int = 0
    """So many messages of the conversation are recorded, or were there before."""
    turn: str = ""
    """Hermes' name of the turn that was recorded last."""
    last: str = ""
    """The last one of them: when another stands in its place, the conversation was rewritten."""
    summaries: int = 0
    """So many of them are summaries of earlier ones."""


_open: OrderedDict[tuple[str, str], _Transcript] = OrderedDict()
_left: dict[tuple[str, str], str] = {}
"""The session that ended last, by home and platform: a reset that follows came from it."""
_reset: OrderedDict[tuple[str, str], str] = OrderedDict()
"""Sessions that began with a reset, and what was left for them."""
_lock = threading.Lock()


def register(ctx: Any) -> None:
    """Listens where Hermes says that a turn or a session is over."""
    ctx.register_hook("post_llm_call", turn_ended)
    ctx.register_hook("on_session_end", turn_over)
    ctx.register_hook("on_session_finalize", session_left)
    ctx.register_hook("on_session_reset", session_reset)


def turn_ended(
    *,
    session_id: object = "",
    turn_id: object = "",
    platform: object = "",
    conversation_history: object = None,
    **_: Any,
) -> None:
    """Hermes' hook after a turn that has its answer."""
    history = [one for one in _listed(conversation_history) if isinstance(one, dict)]
    _record(session_id, turn_id, platform, history)


def turn_over(
    *, session_id: object = "", turn_id: object = "", platform: object = "", **_: Any
) -> None:
    """Hermes' hook after every turn: one that was interrupted has no answer, and counts."""
    known = sent.sent_in(turn_id) if isinstance(turn_id, str) else None
    if known is not None:
        _record(session_id, turn_id, platform, known.history)


def session_left(*, session_id: object = "", platform: object = "", **_: Any) -> None:
    """Hermes' hook at the end of a session: what is said in it later takes it up again."""
    within(PATIENCE, _leave, str(agent.home()), _text(session_id), _text(platform))


def session_reset(
    *, session_id: object = "", platform: object = "", old_session_id: object = "", **_: Any
) -> None:
    """Hermes' hook when a new session begins in the place of another."""
    names = (_text(session_id), _text(platform), _text(old_session_id))
    within(PATIENCE, _begin_anew, str(agent.home()), *names)


def _record(
    session_id: object, turn_id: object, platform: object, history: Sequence[Mapping[str, Any]]
) -> None:
    session, turn = _text(session_id), _text(turn_id)
    if session and history and agent.origin() != agent.BACKGROUND:
        within(PATIENCE, record, agent.home(), session, history, _text(platform), turn)


def _leave(home: str, session: str, platform: str) -> None:
    with _lock:
        _open.pop((home, session), None)
        _left[home, platform] = session


def _begin_anew(home: str, session: str, platform: str, old: str) -> None:
    with _lock:
        _reset[home, session] = old or _left.pop((home, platform), "")
        while len(_reset) > SESSIONS:
            _reset.popitem(last=False)


def record(
    home: Path, session: str, history: Sequence[Mapping[str, Any]], platform: str, turn: str
) -> None:
    """Adds what is new in a conversation as one turn. Raises OSError."""
    folder = settings.setting(home, "spool")
    if not isinstance(folder, str) or not Path(folder).is_absolute():
        return
    at = datetime.now(UTC).isoformat()
    with _lock:
        known = _open.get((str(home), session))
        if known is not None and turn and known.turn == turn:
            return
        if known is None or not _goes_on(known, history):
            began = _began_at(history, turn)
            known = _entered(home, session, history[:began], platform, at, known)
        said = list(spool.spoken(history[known.seen :]))
        if not said:
            return
        total = known.messages + len(said)
        name = turn or None
        spool.put(Path(folder), known.opening, known.turns, said, total=total, at=at, turn=name)
        known.turns, known.messages = known.turns + 1, total
        known.seen, known.last, known.turn = len(history), _mark(history[-1]), turn
        known.summaries = _summaries(history)
        _open[str(home), session] = known
        _open.move_to_end((str(home), session))
        while len(_open) > SESSIONS:
            _open.popitem(last=False)


def _goes_on(known: _Transcript, history: Sequence[Mapping[str, Any]]) -> bool:
    """Whether what was recorded still stands at the beginning of the conversation."""
    return (
        len(history) >= known.seen
        and _mark(history[known.seen - 1]) == known.last
        and _summaries(history) == known.summaries
    )


def _summaries(history: Sequence[Mapping[str, Any]]) -> int:
    return sum(_first_text(one).startswith(SUMMARIES) for one in history)


def _began_at(history: Sequence[Mapping[str, Any]], turn: str) -> int:
    """Where the turn begins: with the last message when it was sent first, else the user's last."""
    known = sent.sent_in(turn)
    if known is not None and known.replayed < len(history):
        return known.replayed
    users = [at for at, one in enumerate(history) if one.get("role") == "user"]
    return users[-1] if users else 0


def _entered(
    home: Path,
    session: str,
    before: Sequence[Mapping[str, Any]],
    platform: str,
    at: str,
    left: _Transcript | None,
) -> _Transcript:
    """A new transcript. `left` is the one of the same session that was rewritten."""
    parent, began = _lineage(home, session, before, is_rewritten=left is not None)
    document = secrets.token_hex(12)
    place = str(home.resolve())
    opening = spool.Opening(document, session, parent, began, place, platform, at)
    return _Transcript(opening, seen=len(before))


def _lineage(
    home: Path, session: str, before: Sequence[Mapping[str, Any]], *, is_rewritten: bool
) -> tuple[str | None, str]:
    """The session that this one comes from, and how it began."""
    if is_rewritten:
        # In one session: Hermes summed up what was said, or the user took it back.
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
    """What Hermes' database says of a session: its parent, a branch of it, its compression."""
    query = (
        "SELECT own.parent_session_id, own.model_config, parent.end_reason FROM sessions AS own"
        " LEFT JOIN sessions AS parent ON parent.id = own.parent_session_id WHERE own.id = ?"
    )
    path = agent.database()
    try:
        # Hermes itself has it open: nothing is made beside it by looking.
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0.2)) as found:
            row = found.execute(query, (session,)).fetchone()
    except (sqlite3.Error, ValueError):
        row = None
    if row is None or not isinstance(row[0], str):
        return None, False, False
    return row[0], "_branched_from" in str(row[1] or ""), row[2] == "compression"


def _first_text(message: Mapping[str, Any]) -> str:
    """The text of a message; of one in parts, the first."""
    return next((text for _, text, _, _ in spool.spoken([message])), "")


def _mark(message: Mapping[str, Any]) -> str:
    """What tells a message from another, however often it was stored and read again."""
    calls = [one.get("id") for one in _listed(message.get("tool_calls")) if isinstance(one, dict)]
    return json.dumps([message.get("role"), _first_text(message)[:2000], calls], default=str)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
