"""The conversation of Claude Code that a change comes from, and what took part in it.

The hook's record names the session and the call; its notes name the call that bypassed the gate.
The line of that call is looked up in the transcript of the session and of each agent that it
delegated to. All predecessors of the line took part: text fetched turns before is still in the
model's context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.claude.calls import noted_calls
from reviewdeck.homes.claude.calls import stamp as notes_stamp
from reviewdeck.homes.claude.file_reads import READERS, WRITERS, outside_reads, own_files
from reviewdeck.homes.claude.transcripts import RecordedSession, TranscriptLine, Transcripts
from reviewdeck.model import (
    KnownBy,
    Origin,
    OriginClass,
    Proposal,
    Transcript,
    Turn,
)
from reviewdeck.origin.classify import classify
from reviewdeck.origin.conversation import Conversation, SessionPart, SessionRows
from reviewdeck.origin.sources import unknown
from reviewdeck.origin.tools import ToolKind, table
from reviewdeck.origin.turns import transcript_of, turns_of
from reviewdeck.origin.writers import noted_call, written_part
from reviewdeck.ports import Clock, Trust

FOLLOWS: Final = timedelta(seconds=60)
"""After a call: by then its line is written."""
AGREES: Final = timedelta(seconds=5)
WINDOW: Final = timedelta(hours=1)
"""Before a change was seen: every session with lines within it is a candidate."""
WRITTEN_WITHIN: Final = timedelta(days=1)
"""Before a change was seen: a call within it may have written the change."""
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


class ClaudeConversations:
    """The transcripts below a folder of projects. Implements `ports.Conversations`.

    `books` are the folders of the agent's own memory: reading them brings in no foreign text.
    """

    def __init__(
        self,
        root: Path,
        projects: Path,
        *,
        clock: Clock,
        kernel: Kernel,
        books: Sequence[str] = (),
    ) -> None:
        self._root = root
        self._clock = clock
        self._kernel = kernel
        self._books = tuple(books)
        self._transcripts = Transcripts(projects, kernel=kernel)

    def origin_stamp(self, proposal: Proposal) -> str:
        """A stamp that changes when a proposal's origin may be known better."""
        return f"{self._transcripts.stamp()}\n{notes_stamp(self._root)}\n{self._is_young(proposal)}"

    def _is_young(self, proposal: Proposal) -> bool:
        """Whether more lines of its session may follow."""
        made_at = proposal.created_at or proposal.ingested_at
        return made_at is not None and self._clock() - made_at < FOLLOWS

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of this record. Never raises: an unreadable transcript is unknown."""
        return self._look_up(self._find_origin, proposal, trust)

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of a change that was written without review. Never raises."""
        return self._look_up(self._find_writer, proposal, trust)

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The session as one transcript; empty when there is none or it cannot be read."""
        recorded = self._session(session)
        return () if recorded is None else (transcript_of(_rows(recorded)),)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last `limit` turns of a session before turn number `before`, in order."""
        recorded = self._session(transcript)
        if recorded is None:
            return ()
        names = {line.row.id: line.prompt for line in recorded.lines.values() if line.row}
        turns = turns_of(_rows(recorded).rows, names)[:before]
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    def _session(self, session: str) -> RecordedSession | None:
        try:
            return self._transcripts.session(session)
        except (ReviewdeckError, OSError, ValueError, RecursionError):
            return None

    def _look_up(
        self, look: Callable[[Proposal, Trust], Origin], proposal: Proposal, trust: Trust
    ) -> Origin:
        is_young = self._is_young(proposal)
        try:
            origin = look(proposal, trust)
        except (ReviewdeckError, OSError, ValueError, OverflowError, RecursionError) as error:
            return unknown(f"The transcripts cannot be read: {error}.", is_settled=not is_young)
        is_known = origin.known_by is KnownBy.EXACT and origin.kind is not OriginClass.UNKNOWN
        return replace(origin, is_settled=is_known or not is_young)

    def _find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        if not proposal.session:
            return unknown("The record names no session.")
        made_at = proposal.created_at or self._clock()
        return self._origin_of_call(
            proposal.session, proposal.tool_call or "", made_at + AGREES, trust
        )

    def _find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the noted call; else by the file tool's call; else by the time."""
        until = (proposal.ingested_at or proposal.created_at or self._clock()) + AGREES
        note = noted_call(proposal.outside, noted_calls(self._root, kernel=self._kernel))
        if note is not None:
            origin = self._origin_of_call(note.session, note.call, note.ended + AGREES, trust)
            if note.is_alone or origin.known_by is not KnownBy.EXACT:
                return origin
            reason = f"A command in the background was running then. {origin.reason}"
            return replace(origin, known_by=KnownBy.UNION, reason=reason)
        active = self._transcripts.active(until - WRITTEN_WITHIN, until, CANDIDATES)
        calls = [
            (session, call)
            for session in active
            if (call := self._find_call(session, proposal, until))
        ]
        if len(calls) == 1:
            return self._origin_of_call(*calls[0], until, trust)
        names = [session for session, _ in calls] or self._transcripts.active(
            until - WINDOW, until, CANDIDATES
        )
        if not names:
            return unknown("No session that is kept wrote it, and none was active then.")
        subject = (
            f"the session {names[0]} was" if len(names) == 1 else f"{len(names)} sessions were"
        )
        reason = f"Known by its time alone: {subject} active in the hour before."
        return Origin(OriginClass.UNKNOWN, KnownBy.UNION, reason, tuple(names))

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
            reason = f"The transcript of the session {session[:64]} is not kept."
            return Origin(OriginClass.UNKNOWN, known_by, reason, (session,))
        agents = self._transcripts.agents(session)
        writer = next(
            (recorded for recorded in (main, *agents) if call and call in recorded.calls), None
        )
        conversation = _conversation(main, agents, writer, call, until)
        sessions = conversation.sessions
        elsewhere = outside_reads(
            sessions, self._books, trust.said_folders, self._transcripts.every_session
        )
        own = own_files(sessions, self._books)
        conversation = replace(conversation, also=tuple(elsewhere), own_files=own)
        classified = classify(conversation, trust)
        origin = Origin(
            classified.kind,
            KnownBy.EXACT,
            classified.reason,
            tuple(dict.fromkeys(session.id for session in conversation.sessions)),
            classified.utterances,
            classified.participants,
            began_at=conversation.began_at,
        )
        if writer is not None:
            return origin
        kind = origin.kind if origin.kind is OriginClass.OUTSIDE else OriginClass.UNKNOWN
        reason = "The transcript of its session does not have the call that wrote it."
        if not main.is_whole:
            reason = "The transcript of its session is longer than what is read of one."
        return replace(origin, kind=kind, known_by=KnownBy.UNION, reason=reason)


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
        cuts.insert(0, (recorded, recorded.calls.get(call_id, "")))
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
        sessions.append(_rows(recorded, lines, part))
        delegating |= _delegating_calls(lines)
    waiting = [agent for agent in agents if all(agent is not cut for cut, _ in cuts)]
    while ready := [agent for agent in waiting if agent.sent_by in delegating]:
        for recorded in ready:
            waiting.remove(recorded)
            lines = tuple(line for line in recorded.lines.values() if line.at and line.at <= until)
            missing = missing or ("" if recorded.is_whole else "An agent's transcript is too long.")
            sessions.append(_rows(recorded, lines, SessionPart.DELEGATED))
            delegating |= _delegating_calls(lines)
    return Conversation(tuple(sessions), missing, tools=TOOLS)


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


def _rows(
    recorded: RecordedSession,
    lines: Sequence[TranscriptLine] | None = None,
    part: SessionPart = SessionPart.OWN,
) -> SessionRows:
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
        has_context_files=any(line.has_context_files for line in lines),
    )
