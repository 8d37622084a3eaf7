"""The session of OpenClaw that a change comes from, and what took part in it.

A staged record names the session and the call. Of a write that nobody reviewed OpenClaw's own book
names the session, by the hash of the bytes that its tools left in a document of the memory. What is
not in the book was written by a command or another program: no session is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.claude.roots import ours_in
from reviewdeck.agents.hermes.kit import members, objects, text_at
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.claude.file_reads import outside_reads, own_files
from reviewdeck.homes.claude.transcripts import CUT, TEXT, parse_time
from reviewdeck.homes.conversations import AGREES, WRITTEN_WITHIN, AgentConversations
from reviewdeck.homes.openclaw.database import (
    KnownWrite,
    Session,
    active_sessions,
    known_writes,
    read_session,
    sessions_stamp,
)
from reviewdeck.homes.openclaw.layout import WORKSPACE
from reviewdeck.model import KnownBy, Origin, OriginClass, Proposal
from reviewdeck.origin.classify import classify
from reviewdeck.origin.conversation import Conversation, MessageRow, SessionRows, ToolCall
from reviewdeck.origin.sources import unknown
from reviewdeck.origin.tools import ToolKind, table
from reviewdeck.origin.writers import NotedCall, written_part
from reviewdeck.ports import Clock, Trust

WRITERS: Final = frozenset({"write", "edit", "apply_patch"})
READERS: Final = frozenset({"read", "ls", "grep", "find"})
TOOLS: Final = table(
    {
        ToolKind.OWN: "memory_search memory_get session_status sessions_yield update_plan"
        " update_goal get_goal create_goal ask_user skill_workshop",
        ToolKind.FILES: " ".join(sorted(WRITERS | READERS)),
        ToolKind.WORKSPACE: "process",
        ToolKind.COMMAND: "exec bash",
        ToolKind.CATALOGUE: "tool_search tool_describe",
        # Listed so that no setting makes them anything else.
        ToolKind.OUTSIDE: "web_search web_fetch browser tool_call message nodes",
    }
)
_NOBODY: Final = (
    "OpenClaw's own book has no write of its tools that left these bytes: a command or another"
    " program wrote them."
)
_STARTED: Final = "Another session started it, and what took part there is not counted."
_PART: Final = "Its calls wrote a part of it; nothing names the writer of the rest."
_SILENT: Final = frozenset(
    {"session", "model_change", "thinking_level_change", "custom", "label", "session_info", "reset"}
)
"""Events that bring no text to the model."""
_SUMMARIES: Final = frozenset({"compaction", "branch_summary"})
"""Made of rows that are kept and counted themselves."""


class OpenClawConversations(AgentConversations):
    """The sessions of a folder of state, for one workspace."""

    unreadable = "OpenClaw's sessions"
    notes = f"{ours_in(WORKSPACE)}/calls"
    longest_note = 0

    def __init__(self, workspace: Path, state: Path, *, clock: Clock, kernel: Kernel) -> None:
        super().__init__(workspace, clock=clock, kernel=kernel)
        self._state = state

    def stamp(self) -> str:
        """Changes when a session is added or extended."""
        return sessions_stamp(self._state)

    def is_settled(self, origin: Origin, *, is_young: bool) -> bool:
        """Whether no more can become known of where a record comes from."""
        is_known = origin.known_by is KnownBy.EXACT and origin.kind is not OriginClass.UNKNOWN
        return is_known or not is_young

    def find_session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        """The rows of a session; its turns have no names."""
        found = read_session(self._state, session)
        return None if found is None else (_rows(*found), "", {})

    def read_note(self, id: str, raw: Mapping[str, Any]) -> NotedCall | None:
        """None: the gate takes no notes here."""
        return None

    def find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the session and the call that the record names."""
        if not proposal.session:
            return unknown("The record names no session.")
        until = (proposal.created_at or self._clock()) + AGREES
        found = read_session(self._state, proposal.session)
        if found is None:
            return _not_kept(proposal.session)
        rows = _rows(*found)
        last = _row_of(rows, proposal.tool_call or "", until)
        if last is not None:
            return self._classified(found[0], rows, last.id, trust)
        origin = self._classified(found[0], rows, _last_before(rows, until), trust)
        kind = origin.kind if origin.kind is OriginClass.OUTSIDE else OriginClass.UNKNOWN
        reason = "Its session does not have the call that wrote it."
        return replace(origin, kind=kind, known_by=KnownBy.UNION, reason=reason)

    def find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by OpenClaw's own book; of what the book is not about, by the call."""
        until = (proposal.ingested_at or proposal.created_at or self._clock()) + AGREES
        paths = [change.path for change in proposal.outside]
        if any(map(is_in_book, paths)):
            book = known_writes(self._state, self._home)
            writes = [
                book[change.path]
                for change in proposal.outside
                if change.path in book and book[change.path].revision == str(change.after)
            ]
            sessions = {write.session for write in writes}
            if len(writes) < len(paths) or len(sessions) != 1:
                return unknown(_NOBODY)
            return self._origin_by_book(proposal, writes, until, trust)
        start = (until - WRITTEN_WITHIN).timestamp()
        found = []
        for session in active_sessions(self._state, start, until.timestamp()):
            if (stored := read_session(self._state, session)) is not None:
                rows = _rows(*stored)
                part = written_part(proposal, rows.rows, until, WRITERS)
                if part is not None and part.is_whole:
                    found.append((stored[0], rows, part.row.id))
        if len(found) != 1:
            return unknown("No call of a session, and of no other one, wrote exactly this.")
        return self._classified(*found[0], trust)

    def _origin_by_book(
        self, proposal: Proposal, writes: Sequence[KnownWrite], until: datetime, trust: Trust
    ) -> Origin:
        session, at = writes[0].session, max(write.at for write in writes)
        found = read_session(self._state, session)
        if found is None:
            return _not_kept(session)
        rows = _rows(*found)
        part = written_part(proposal, rows.rows, until, WRITERS)
        last = part.row.id if part else _last_before(rows, datetime.fromtimestamp(at, UTC) + AGREES)
        origin = self._classified(found[0], rows, last, trust)
        if part is not None and part.is_whole and all(write.is_alone for write in writes):
            return origin
        # An earlier session, or a command, may have written what this one then went on with.
        kind = origin.kind if origin.kind is OriginClass.OUTSIDE else OriginClass.UNKNOWN
        return replace(origin, kind=kind, known_by=KnownBy.UNION, reason=_PART)

    def _classified(self, session: Session, rows: SessionRows, last: int, trust: Trust) -> Origin:
        """The origin by what took part up to a row."""
        upto = replace(rows, rows=tuple(row for row in rows.rows if row.id <= last))
        books = [str(self._home / name) for name in ("MEMORY.md", "USER.md", "memory", "users")]
        conversation = Conversation(
            (upto,),
            _STARTED if session.is_started else "",
            also=tuple(outside_reads((upto,), books, (), lambda: iter(()), READERS)),
            own_files=own_files((upto,), books, WRITERS | READERS),
            tools=TOOLS,
        )
        classified = classify(conversation, trust)
        return Origin(
            classified.kind,
            KnownBy.EXACT,
            classified.reason,
            (session.id,),
            classified.utterances,
            classified.participants,
            began_at=conversation.began_at,
        )


def is_in_book(path: str) -> bool:
    """Whether OpenClaw keeps a book of what its tools write to this document."""
    if path == "MEMORY.md" or path == "USER.md" or path.startswith("users/"):
        return True
    return path.startswith("memory/") and not path.startswith(("memory/dreaming/", "memory/."))


def _not_kept(session: str) -> Origin:
    reason = f"The session {session[:64]} is not kept."
    return Origin(OriginClass.UNKNOWN, KnownBy.EXACT, reason, (session,))


def _row_of(rows: SessionRows, call: str, until: datetime) -> MessageRow | None:
    """The last row up to a moment that makes this call: providers repeat the ids of calls."""
    made = (
        row
        for row in rows.rows
        if any(call and each.id == call for each in row.calls)
        and (row.at is None or row.at <= until)
    )
    return max(made, key=lambda row: row.id, default=None)


def _last_before(rows: SessionRows, until: datetime) -> int:
    return max((row.id for row in rows.rows if row.at is None or row.at <= until), default=-1)


def _rows(session: Session, events: Sequence[Mapping[str, Any]]) -> SessionRows:
    cwd = next((text_at(event, "cwd") for event in events if event.get("type") == "session"), "")
    return SessionRows(
        session.id,
        source=session.source,
        rows=tuple(_messages(events)),
        chat_type="dm" if session.chat_type == "direct" else session.chat_type,
        user_id=session.account,
        started_at=datetime.fromtimestamp(session.began, UTC),
        cwd=cwd,
        models=session.models,
    )


def _messages(events: Sequence[Mapping[str, Any]]) -> Iterator[MessageRow]:
    for number, event in enumerate(events):
        kind, at = text_at(event, "type"), parse_time(event.get("timestamp"))
        if kind == "message":
            yield _message(number, members(event.get("message")), at)
        elif kind not in _SILENT | _SUMMARIES:
            text = _text(event.get("content")) or f"an event of the kind {kind[:64]}"
            yield MessageRow(number, "system", "", at, added=text[:CUT])


def _message(number: int, message: Mapping[str, Any], at: datetime | None) -> MessageRow:
    text, role = _text(message.get("content")), text_at(message, "role")
    is_cut = len(text) > TEXT
    match role:
        case "user":
            # Only OpenClaw knows who sent it: where it does not say the owner, somebody else did.
            is_owner = members(message.get("__openclaw")).get("senderIsOwner") is True
            return MessageRow(
                number, "user", text[:TEXT], at, is_observed=not is_owner, is_cut=is_cut
            )
        case "assistant":
            blocks = objects(message.get("content"))
            calls = tuple(_call(block) for block in blocks if block.get("type") == "toolCall")
            return MessageRow(number, "assistant", text[:TEXT], at, calls, is_cut=is_cut)
        case "toolResult":
            tool, call = text_at(message, "toolName"), text_at(message, "toolCallId")
            return MessageRow(number, "tool", text[:TEXT], at, tool=tool, call=call, is_cut=is_cut)
        case "bashExecution":
            run = ToolCall("exec", {"command": text_at(message, "command")})
            return MessageRow(number, "system", text_at(message, "output")[:TEXT], at, (run,))
        case _:
            return MessageRow(number, "system", "", at, added=text[:CUT] or f"a row of {role[:64]}")


def _call(block: Mapping[str, Any]) -> ToolCall:
    name, id, arguments = text_at(block, "name"), text_at(block, "id"), block.get("arguments")
    if not isinstance(arguments, dict):
        return ToolCall(name, id=id, is_readable=False)
    return ToolCall(name, arguments, id)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        text_at(block, "text") if block.get("type") == "text" else f"[{block.get('type')}]"
        for block in objects(content)
        if block.get("type") not in ("toolCall", "thinking")
    )
