"""The conversation of Claude Code that a change comes from, and what took part in it.

The hook's record names the session and the call; its notes name the call that bypassed the gate.
The line of that call is looked up in the transcript of the session and of each agent that it
delegated to. All predecessors of the line took part: text fetched turns before is still in the
model's context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Final

from reviewdeck.agents.gated import calls
from reviewdeck.agents.hermes.kit import objects, text_at
from reviewdeck.clock import moment_from
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.conversations import (
    AGREES,
    WINDOW,
    WRITTEN_WITHIN,
    AgentConversations,
    exact_origin,
    known_by_time,
    not_kept,
    partly_known,
)
from reviewdeck.homes.gated.file_reads import READERS, WRITERS, outside_reads, own_files
from reviewdeck.homes.gated.transcripts import Form, RecordedSession, TranscriptLine, Transcripts
from reviewdeck.model import KnownBy, Origin, Proposal
from reviewdeck.origin.conversation import Conversation, SessionPart, SessionRows
from reviewdeck.origin.sources import unknown
from reviewdeck.origin.tools import ToolKind, table
from reviewdeck.origin.writers import NotedCall, written_part
from reviewdeck.ports import Clock, Trust

CANDIDATES: Final = 20
"""The most sessions of one day that are examined."""

TOOLS: Final = table(
    {
        ToolKind.OWN: "TodoWrite AskUserQuestion EnterPlanMode ExitPlanMode TaskCreate TaskUpdate "
        "TaskList TaskGet",
        ToolKind.FILES: " ".join(sorted(WRITERS | READERS)),
        ToolKind.WORKSPACE: "BashOutput TaskOutput KillShell TaskStop EnterWorktree ExitWorktree",
        ToolKind.COMMAND: "Bash",
        ToolKind.DELEGATE: "Task Agent",
        # Listed so that no setting can change their kind.
        ToolKind.OUTSIDE: "WebFetch WebSearch Skill SlashCommand ToolSearch SendMessage",
    }
)
_DELEGATING: Final = frozenset({"Task", "Agent"})


class GatedConversations(AgentConversations):
    """The transcripts below a folder of projects.

    `books` are the folders of the agent's own memory: reading them brings in no foreign text.
    """

    unreadable = "The transcripts"
    form: ClassVar[Form] = Form()
    """How the agent's transcripts are read."""
    longest_note = 256 * 1024

    def __init__(
        self,
        root: Path,
        projects: Path,
        *,
        clock: Clock,
        kernel: Kernel,
        books: Sequence[str] = (),
        notes: str,
    ) -> None:
        super().__init__(root, clock=clock, kernel=kernel)
        self.notes = notes
        self._books = tuple(books)
        self._transcripts = Transcripts(projects, kernel=kernel, form=self.form)

    def stamp(self) -> str:
        """Changes when a transcript is added or extended."""
        return self._transcripts.stamp()

    def find_session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        """The transcript of a session, with Claude Code's ids of the turns."""
        recorded = self._transcripts.session(session)
        if recorded is None:
            return None
        names = {line.row.id: line.prompt for line in recorded.lines.values() if line.row}
        return rows_of(recorded), "", names

    def read_note(self, id: str, raw: Mapping[str, Any]) -> NotedCall | None:
        """A note of the gate about a call that bypassed it."""
        session, ended = raw.get("session"), moment_from(raw.get("ended"))
        if raw.get("format") != calls.FORMAT or not isinstance(session, str) or ended is None:
            return None
        documents = {
            change["document"]: (text_at(change, "before"), text_at(change, "after"))
            for change in objects(raw.get("changes"))
            if text_at(change, "document")
        }
        is_alone = raw.get("background") is False
        return NotedCall(session, id, ended, documents, is_alone=is_alone)

    def find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the session and the call that the record names."""
        if not proposal.session:
            return unknown("The record names no session.")
        made_at = proposal.created_at or self._clock()
        return self._origin_of_call(
            proposal.session, proposal.tool_call or "", made_at + AGREES, trust
        )

    def find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the noted call; else by the file tool's call; else by the time."""
        until = (proposal.ingested_at or proposal.created_at or self._clock()) + AGREES
        note = self.noted_call(proposal)
        if note is not None:
            origin = self._origin_of_call(note.session, note.call, note.ended + AGREES, trust)
            if note.is_alone or origin.known_by is not KnownBy.EXACT:
                return origin
            reason = f"A command in the background was running then. {origin.reason}"
            return replace(origin, known_by=KnownBy.UNION, reason=reason)
        active = self._transcripts.active(until - WRITTEN_WITHIN, until, CANDIDATES)
        found = [
            (session, call)
            for session in active
            if (call := self._find_call(session, proposal, until))
        ]
        if len(found) == 1:
            return self._origin_of_call(*found[0], until, trust)
        names = [session for session, _ in found] or self._transcripts.active(
            until - WINDOW, until, CANDIDATES
        )
        if not names:
            return unknown("No session that is kept wrote it, and none was active then.")
        return known_by_time(names, CANDIDATES)

    def _find_call(self, session: str, proposal: Proposal, until: datetime) -> str:
        """The id of the session's file tool call that wrote the change; empty for none."""
        main = self._transcripts.session(session)
        for recorded in (*((main,) if main else ()), *self._transcripts.agents(session)):
            rows = [line.row for line in recorded.lines.values() if line.row is not None]
            part = written_part(proposal, rows, until, WRITERS)
            if part is not None and part.is_whole:
                return next(call.id for call in part.row.calls if call.name in WRITERS)
        return ""

    def _origin_of_call(self, session: str, call: str, until: datetime, trust: Trust) -> Origin:
        """The origin of a call's write, by the conversation up to the call."""
        main = self._transcripts.session(session)
        if main is None:
            known_by = KnownBy.EXACT if call else KnownBy.NOTHING
            return not_kept("The transcript of the session", session, known_by)
        agents = self._transcripts.agents(session)
        writer = next(
            (recorded for recorded in (main, *agents) if call and call in recorded.calls), None
        )
        origin = self.origin_of(_conversation(main, agents, writer, call, until), trust)
        if writer is not None:
            return origin
        reason = "The transcript of its session does not have the call that wrote it."
        if not main.is_whole:
            reason = "The transcript of its session is longer than what is read of one."
        return partly_known(origin, reason)

    def origin_of(
        self, conversation: Conversation, trust: Trust, counted: Sequence[str] = ()
    ) -> Origin:
        """The origin by all that took part in a conversation.

        `counted` are the files whose content is among its sessions.
        """
        sessions, books = conversation.sessions, (*self._books, *counted)
        elsewhere = outside_reads(
            sessions, books, trust.said_folders, self._transcripts.every_session
        )
        own = own_files(sessions, books)
        conversation = replace(conversation, also=tuple(elsewhere), own_files=own)
        return exact_origin(conversation, trust)


def _conversation(
    main: RecordedSession,
    agents: Sequence[RecordedSession],
    writer: RecordedSession | None,
    call: str,
    until: datetime,
) -> Conversation:
    """The session up to the call, and the agents that it had started by then."""
    chain = [*_delegation_chain(main, agents, writer)] if writer is not None else []
    cuts: list[tuple[RecordedSession, str]] = []
    call_id, missing = call, ""
    for recorded in chain:
        cuts.insert(0, (recorded, recorded.line_of(call_id, until)))
        call_id = recorded.sent_by
    if not cuts or cuts[0][0] is not main:
        cuts.insert(0, (main, main.last_before(until)))
        missing = "The call that sent the agent is not in its session." if chain else ""
    sessions: list[SessionRows] = []
    delegating: set[str] = set()
    for recorded, last in cuts:
        lines, why = recorded.until(last)
        missing = missing or why
        part = SessionPart.OWN if recorded is (writer or main) else SessionPart.ANCESTOR
        sessions.append(rows_of(recorded, lines, part))
        delegating |= _delegating_calls(lines)
    waiting = [agent for agent in agents if all(agent is not cut for cut, _ in cuts)]
    while ready := [agent for agent in waiting if agent.sent_by in delegating]:
        for recorded in ready:
            waiting.remove(recorded)
            lines = tuple(recorded.lines.values())  # All of them: a clock may have been put back.
            is_over = recorded.is_whole and _has_reported(lines)
            missing = missing or ("" if is_over else _NOT_WHOLE)
            sessions.append(rows_of(recorded, lines, SessionPart.DELEGATED))
            delegating |= _delegating_calls(lines)
    return Conversation(tuple(sessions), missing, tools=TOOLS)


def _has_reported(lines: Sequence[TranscriptLine]) -> bool:
    """Whether an agent's last message is an answer: else it goes on, or what came next is lost."""
    rows = [line.row for line in lines if line.row is not None and line.row.role != "system"]
    return bool(rows) and rows[-1].role == "assistant" and not rows[-1].calls


_NOT_WHOLE: Final = "An agent's transcript cannot be read whole."


def _delegation_chain(
    main: RecordedSession, agents: Sequence[RecordedSession], writer: RecordedSession
) -> Iterator[RecordedSession]:
    """The writer, the agent that started it, and so on up to the session itself."""
    recorded: RecordedSession | None = writer
    visited: set[str] = set()
    while recorded is not None and recorded.agent not in visited:
        yield recorded
        visited.add(recorded.agent)
        call = recorded.sent_by
        recorded = next(
            (candidate for candidate in (main, *agents) if call and call in candidate.calls), None
        )


def _delegating_calls(lines: Sequence[TranscriptLine]) -> set[str]:
    calls = (call for line in lines if line.row for call in line.row.calls)
    return {call.id for call in calls if call.name in _DELEGATING}


def rows_of(
    recorded: RecordedSession,
    lines: Sequence[TranscriptLine] | None = None,
    part: SessionPart = SessionPart.OWN,
) -> SessionRows:
    """A transcript, or these lines of it, as a session that counts."""
    lines = tuple(recorded.lines.values()) if lines is None else lines
    source = "cli"
    if recorded.agent:
        source = "subagent"
    elif recorded.source.startswith("sdk"):
        source = "sdk"  # A program, not a person, drives the conversation.
    return SessionRows(
        f"{recorded.session}/{recorded.agent}" if recorded.agent else recorded.session,
        source=source,
        rows=tuple(line.row for line in lines if line.row is not None),
        part=part,
        started_at=next((line.at for line in lines if line.at is not None), None),
        cwd=recorded.cwd,
        models=recorded.models,
        sent_by=recorded.sent_by,
        has_context_files=any(line.has_context_files for line in lines),
    )
