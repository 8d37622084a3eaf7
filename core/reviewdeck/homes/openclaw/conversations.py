"""The session of OpenClaw that a change comes from, and what took part in it.

A staged record names the session and the call. Of a write that nobody reviewed OpenClaw's own book
names the session, by the hash of the bytes that its tools left in a document of the memory. What is
not in the book was written by a command or another program: no session is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os.path import realpath
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.agents.hermes.kit import objects, text_at
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.conversations import (
    AGREES,
    WRITTEN_WITHIN,
    AgentConversations,
    exact_origin,
    not_kept,
    partly_known,
)
from reviewdeck.homes.gated.file_reads import outside_reads, own_files
from reviewdeck.homes.openclaw.database import (
    KnownWrite,
    active_sessions,
    known_writes,
    last_dream,
    read_session,
    sessions_stamp,
)
from reviewdeck.homes.openclaw.layout import WORKSPACE
from reviewdeck.homes.openclaw.transcript import OpenClawSession, recorded
from reviewdeck.homes.openclaw.workshop import BACKGROUND, Workshop, id_in
from reviewdeck.model import DocumentWrite, Origin, Proposal, Revision, revision_of
from reviewdeck.origin.conversation import Conversation, SessionRows, ToolCall
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
_REVIEWED: Final = (
    "A background review of this session made it, and OpenClaw keeps no record of it."
)
_REVISED: Final = "No call of its session left this draft: somebody else revised it."
_NOTES: Final = 3
"""The most notes that are named as the source of what dreaming wrote."""
_STARTED: Final = "Another session started it, and what took part there is not counted."
_PART: Final = "Its calls wrote a part of it; nothing names the writer of the rest."


class OpenClawConversations(AgentConversations):
    """The sessions of a folder of state, for one home."""

    unreadable = "OpenClaw's sessions"
    notes = f"{ours_in(WORKSPACE)}/calls"
    longest_note = 0

    def __init__(
        self, home: Path, state: Path, workshop: Workshop | None, *, clock: Clock, kernel: Kernel
    ) -> None:
        super().__init__(home, clock=clock, kernel=kernel)
        self._state, self._workshop = state, workshop

    def stamp(self) -> str:
        """Changes when a session is added or extended."""
        return sessions_stamp(self._state)

    def find_session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        """The rows of a session; its turns have no names."""
        found = self._recorded(session)
        return None if found is None else (found.rows, "", {})

    def read_note(self, id: str, raw: Mapping[str, Any]) -> NotedCall | None:
        """None: the gate takes no notes here."""
        return None

    def find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the session and the call that the record names."""
        if self._workshop is not None and self._workshop.holds(proposal.source or ""):
            source, until = proposal.source or "", proposal.created_at or self._clock()
            sha, is_automatic = proposal.payload_sha, proposal.origin == BACKGROUND
            return self._by_draft(
                proposal.session or "", (id_in(source), sha), until, trust, is_automatic
            )
        if not proposal.session:
            return unknown("The record names no session.")
        until = (proposal.created_at or self._clock()) + AGREES
        found = self._recorded(proposal.session)
        if found is None:
            return not_kept("The session", proposal.session)
        last = found.row_of(proposal.tool_call or "", until)
        if last is not None:
            return self._classified(found, last.id, trust)
        return partly_known(
            self._classified(found, found.last_before(until), trust),
            "Its session does not have the call that wrote it.",
        )

    def _by_draft(
        self, session: str, key: tuple[str, str], until: datetime, trust: Trust, is_automatic: bool
    ) -> Origin:
        """The origin by the call that left a draft in the Workshop: its id, and its SHA-256."""
        if not session:
            return unknown("OpenClaw names no session for it: a person or another program made it.")
        if (found := self._recorded(session)) is None:
            return not_kept("The session", session)
        if (row := found.drafts.get(key)) is not None:
            return self._classified(found, row, trust)
        last = found.last_before(until + AGREES)
        reason = _REVIEWED if is_automatic else _REVISED
        return partly_known(self._classified(found, last, trust), reason)

    def find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by OpenClaw's own book; of what the book is not about, by the call.

        Of what no session wrote, OpenClaw's log may know that its dreaming did.
        """
        origin = self._find_writer(proposal, trust)
        dream = self._dream(proposal) if not origin.sessions else None
        return origin if dream is None else unknown(dream)

    def _dream(self, proposal: Proposal) -> str | None:
        """That dreaming wrote to each document of a change, in words; None where it did not."""
        end = (proposal.ingested_at or proposal.created_at or self._clock()).timestamp()
        start = end - WRITTEN_WITHIN.total_seconds()
        places = [self._home / change.path for change in proposal.outside]
        dreams = [last_dream(self._state, place, start, end) for place in places]
        if not dreams or None in dreams:
            return None
        known = [dream for dream in dreams if dream is not None]
        at = datetime.fromtimestamp(max(dream.at for dream in known), UTC)
        notes = dict.fromkeys(note for dream in known for note in dream.notes)
        source = f", from {', '.join([*notes][:_NOTES])}" if notes else ""
        return (
            f"OpenClaw's own log says that dreaming wrote to it at {at:%Y-%m-%d %H:%M} UTC{source};"
            " nothing tells whether anybody else did."
        )

    def _find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        until = (proposal.ingested_at or proposal.created_at or self._clock()) + AGREES
        for change in proposal.outside:
            if self._workshop and (
                draft := self._workshop.applied(self._home, change.path, change.after)
            ):
                session, key = self._workshop.session(draft), (id_in(draft.source), draft.sha)
                return self._by_draft(session, key, until, trust, draft.is_automatic)
        if any(is_in_book(change.path) for change in proposal.outside):
            book = known_writes(self._state, self._home)
            writes = [
                book[change.path]
                for change in proposal.outside
                if change.path in book and book[change.path].revision == str(change.after)
            ]
            is_one = len({write.session for write in writes}) == 1
            if len(writes) < len(proposal.outside) or not is_one:
                return unknown(_NOBODY)
            return self._origin_by_book(proposal, writes, until, trust)
        start = (until - WRITTEN_WITHIN).timestamp()
        sessions = active_sessions(self._state, start, until.timestamp())
        wrote = [
            (found, part.row.id)
            for found in map(self._recorded, sessions)
            if found is not None
            and (part := written_part(proposal, found.done, until, WRITERS)) is not None
            and part.is_whole
        ]
        if len(wrote) != 1:
            return unknown("No call of a session, and of no other one, wrote exactly this.")
        return self._classified(*wrote[0], trust)

    def _origin_by_book(
        self, proposal: Proposal, writes: Sequence[KnownWrite], until: datetime, trust: Trust
    ) -> Origin:
        found = self._recorded(writes[0].session)
        if found is None:
            return not_kept("The session", writes[0].session)
        written = datetime.fromtimestamp(max(write.at for write in writes), UTC) + AGREES
        until = min(until, written)
        calls = [
            (row, call)
            for row in found.done
            for call in row.calls
            if call.name in WRITERS and (row.at is None or row.at <= until)
        ]
        texts = {
            edit.document: edit.content
            for edit in proposal.edits
            if isinstance(edit, DocumentWrite)
        }
        is_all = all(write.is_alone for write in writes) and all(
            _wrote_all(
                [call for _, call in calls if self._names(call, change.path, found.rows.cwd)],
                texts.get(change.path) or "",
                change.before,
            )
            for change in proposal.outside
        )
        paths = [change.path for change in proposal.outside]
        rows = [
            row.id
            for row, call in calls
            if any(self._names(call, path, found.rows.cwd) for path in paths)
        ]
        origin = self._classified(found, max(rows, default=found.last_before(until)), trust)
        return origin if is_all else partly_known(origin, _PART)

    def _names(self, call: ToolCall, path: str, cwd: str) -> bool:
        named = call.arguments.get("path")
        if not isinstance(named, str) or "\0" in named:
            return False
        return realpath(Path(cwd) / named) == realpath(self._home / path)

    def _recorded(self, session: str) -> OpenClawSession | None:
        found = read_session(self._state, session)
        return None if found is None else recorded(*found)

    def _classified(self, found: OpenClawSession, last: int, trust: Trust) -> Origin:
        """The origin by what took part up to a row."""
        rows = tuple(row for row in found.rows.rows if row.id <= last)
        session = replace(found.rows, rows=rows)
        books = [str(self._home / name) for name in ("MEMORY.md", "USER.md", "memory", "users")]
        conversation = Conversation(
            (session,),
            _STARTED if found.is_started else "",
            also=tuple(outside_reads((session,), books, (), lambda: iter(()), READERS)),
            own_files=own_files((session,), books, WRITERS | READERS),
            tools=TOOLS,
        )
        return exact_origin(conversation, trust)


def _wrote_all(calls: Sequence[ToolCall], text: str, before: Revision) -> bool:
    """Whether these calls, in order, led from the revision before to this text.

    They are taken back, the last one first. One whose new text stands there more than once, or
    is nothing, cannot be.
    """
    for call in reversed(calls):
        if call.name == "write":
            return call.arguments.get("content") == text
        edits = objects(call.arguments.get("edits"))
        for new, old in ((text_at(edit, "newText"), text_at(edit, "oldText")) for edit in edits):
            if not new or text.count(new) != 1:
                return False
            text = text.replace(new, old)
        if revision_of(text.encode()) == before:
            return True
    return False


def is_in_book(path: str) -> bool:
    """Whether OpenClaw keeps a book of what its tools write to this document."""
    if path == "MEMORY.md" or path == "USER.md" or path.startswith("users/"):
        return True
    return path.startswith("memory/") and not path.startswith(("memory/dreaming/", "memory/."))
