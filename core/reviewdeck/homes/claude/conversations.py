"""Which of Claude Code's conversations a change comes from, and what took part in it.

The hook's record names the session and the call; its notes name the call that wrote past the gate.
The line of that call is looked for in the transcript of the session and of each agent that it
sent. All that the line goes on from took part: what was fetched turns before is still in front of
the model.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.claude.calls import noted_calls
from reviewdeck.homes.claude.calls import stamp as notes_stamp
from reviewdeck.homes.claude.transcripts import RecordedSession, TranscriptLine, Transcripts
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.model import (
    KnownBy,
    Origin,
    OriginClass,
    Participant,
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
"""The line of a call follows it within this time."""
AGREES: Final = timedelta(seconds=5)
WINDOW: Final = timedelta(hours=1)
"""Before a change was seen: every session with lines in it may have made it."""
WRITTEN_WITHIN: Final = timedelta(days=1)
"""Before a change was seen: a call of this time may have written it."""
CANDIDATES: Final = 20
"""Sessions of one day that are looked at."""

WRITERS: Final = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
READERS: Final = frozenset({"Read", "NotebookRead", "Grep", "Glob", "LS"})
TOOLS: Final = table(
    {
        ToolKind.OWN: "TodoWrite AskUserQuestion EnterPlanMode ExitPlanMode TaskCreate TaskUpdate "
        "TaskList TaskGet",
        ToolKind.FILES: " ".join(sorted(WRITERS | READERS)),
        ToolKind.WORKSPACE: "BashOutput TaskOutput KillShell TaskStop EnterWorktree ExitWorktree",
        ToolKind.COMMAND: "Bash",
        ToolKind.DELEGATE: "Task Agent",
        # Listed so that no setting makes them anything else.
        ToolKind.OUTSIDE: "WebFetch WebSearch Skill SlashCommand ToolSearch SendMessage",
    }
)
_SENDING: Final = frozenset({"Task", "Agent"})


class ClaudeConversations:
    """Satisfies `ports.Conversations`, over the transcripts below a folder of projects.

    What lies in `books`, the folders of the agent's own memory, brings in nobody else's text.
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
        self._kept = Transcripts(projects, kernel=kernel)

    def heard(self, proposal: Proposal) -> str:
        """A cheap hint that changes when more may be known of where a proposal comes from."""
        return f"{self._kept.stamp()}\n{notes_stamp(self._root)}\n{self._is_young(proposal)}"

    def _is_young(self, proposal: Proposal) -> bool:
        """Whether lines of its session may follow still."""
        made = proposal.created_at or proposal.ingested_at
        return made is not None and self._clock() - made < FOLLOWS

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """Where this record comes from. Never raises: what cannot be read is unknown."""
        return self._looked_up(self._origin, proposal, trust)

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """Where a change comes from that was written at once. Never raises."""
        return self._looked_up(self._written, proposal, trust)

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The session as one transcript; nothing for one that is not kept or cannot be read."""
        kept = self._session(session)
        return () if kept is None else (transcript_of(_rows(kept)),)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns of a session, those before this number; in order."""
        kept = self._session(transcript)
        if kept is None:
            return ()
        names = {line.row.id: line.prompt for line in kept.lines.values() if line.row}
        turns = turns_of(_rows(kept).rows, names)[:before]
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    def _session(self, session: str) -> RecordedSession | None:
        try:
            return self._kept.session(session)
        except (ReviewdeckError, OSError, ValueError, RecursionError):
            return None

    def _looked_up(
        self, look: Callable[[Proposal, Trust], Origin], proposal: Proposal, trust: Trust
    ) -> Origin:
        is_young = self._is_young(proposal)
        own = (*trust.own_folders, *self._books)
        try:
            found = look(proposal, replace(trust, own_folders=own))
        except (ReviewdeckError, OSError, ValueError, OverflowError, RecursionError) as error:
            return unknown(f"The transcripts cannot be read: {error}.", is_settled=not is_young)
        is_known = found.known_by is KnownBy.EXACT and found.kind is not OriginClass.UNKNOWN
        return replace(found, is_settled=is_known or not is_young)

    def _origin(self, proposal: Proposal, trust: Trust) -> Origin:
        if not proposal.session:
            return unknown("The record names no session.")
        made = proposal.created_at or self._clock()
        return self._of_call(proposal.session, proposal.tool_call or "", made + AGREES, trust)

    def _written(self, proposal: Proposal, trust: Trust) -> Origin:
        """The call that the hook noted; else the file tool that was told these words; else
        whoever was active then."""
        until = (proposal.ingested_at or proposal.created_at or self._clock()) + AGREES
        note = noted_call(proposal.outside, noted_calls(self._root, kernel=self._kernel))
        if note is not None:
            found = self._of_call(note.session, note.call, note.ended + AGREES, trust)
            if note.is_alone or found.known_by is not KnownBy.EXACT:
                return found
            reason = f"A command in the background was running then. {found.reason}"
            return replace(found, known_by=KnownBy.UNION, reason=reason)
        active = self._kept.active(until - WRITTEN_WITHIN, until, CANDIDATES)
        calls = [
            (session, call)
            for session in active
            if (call := self._caller(session, proposal, until))
        ]
        if len(calls) == 1:
            return self._of_call(*calls[0], until, trust)
        names = [session for session, _ in calls] or self._kept.active(
            until - WINDOW, until, CANDIDATES
        )
        if not names:
            return unknown("No session that is kept wrote it, and none was active then.")
        said = f"the session {names[0]} was" if len(names) == 1 else f"{len(names)} sessions were"
        reason = f"Only the time tells: {said} active in the hour before."
        return Origin(OriginClass.UNKNOWN, KnownBy.UNION, reason, tuple(names))

    def _caller(self, session: str, proposal: Proposal, until: datetime) -> str:
        """The call of a file tool in which a session was told to write this; empty for none."""
        kept = self._kept.session(session)
        for one in (*((kept,) if kept else ()), *self._kept.agents(session)):
            rows = [line.row for line in one.lines.values() if line.row is not None]
            part = written_part(proposal, rows, until, WRITERS)
            if part is not None and part.is_whole:
                return next(call.id for call in part.row.calls if call.name in WRITERS)
        return ""

    def _of_call(self, session: str, call: str, until: datetime, trust: Trust) -> Origin:
        """The origin of what a call wrote, by all that was there when it was made."""
        main = self._kept.session(session)
        if main is None:
            known_by = KnownBy.EXACT if call else KnownBy.NOTHING
            reason = f"The transcript of the session {session[:64]} is not kept."
            return Origin(OriginClass.UNKNOWN, known_by, reason, (session,))
        agents = self._kept.agents(session)
        writer = next((one for one in (main, *agents) if call and call in one.calls), None)
        conversation = _conversation(main, agents, writer, call, until)
        elsewhere = _read_elsewhere(conversation.sessions, trust.own_folders)
        conversation = replace(conversation, also=tuple(elsewhere))
        found = classify(conversation, trust)
        origin = Origin(
            found.kind,
            KnownBy.EXACT,
            found.reason,
            tuple(dict.fromkeys(one.id for one in conversation.sessions)),
            found.utterances,
            found.participants,
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
    """The session up to the call, and the agents that it had sent by then."""
    line = [*_sent_from(main, agents, writer)] if writer is not None else []
    cuts: list[tuple[RecordedSession, str]] = []
    at, missing = call, ""
    for one in line:
        cuts.insert(0, (one, one.calls.get(at, "")))
        at = one.sent_by
    if not cuts or cuts[0][0] is not main:
        cuts.insert(0, (main, main.last_before(until)))
        missing = "The call that sent the agent is not in its session." if line else ""
    found: list[SessionRows] = []
    sent: set[str] = set()
    for one, last in cuts:
        lines, why = one.until(last)
        missing = missing or why
        part = SessionPart.OWN if one is (writer or main) else SessionPart.ANCESTOR
        found.append(_rows(one, lines, part))
        sent |= _sending(lines)
    waiting = [one for one in agents if all(one is not cut for cut, _ in cuts)]
    while ready := [one for one in waiting if one.sent_by in sent]:
        for one in ready:
            waiting.remove(one)
            lines = tuple(line for line in one.lines.values() if line.at and line.at <= until)
            missing = missing or ("" if one.is_whole else "An agent's transcript is too long.")
            found.append(_rows(one, lines, SessionPart.DELEGATED))
            sent |= _sending(lines)
    return Conversation(tuple(found), missing, tools=TOOLS)


def _sent_from(
    main: RecordedSession, agents: Sequence[RecordedSession], writer: RecordedSession
) -> Iterator[RecordedSession]:
    """Who wrote, who sent them, and so on up to the session itself."""
    one: RecordedSession | None = writer
    seen: set[str] = set()
    while one is not None and one.agent not in seen:
        yield one
        seen.add(one.agent)
        call = one.sent_by
        one = next((other for other in (main, *agents) if call and call in other.calls), None)


def _sending(lines: Sequence[TranscriptLine]) -> set[str]:
    calls = (call for line in lines if line.row for call in line.row.calls)
    return {call.id for call in calls if call.name in _SENDING}


def _rows(
    kept: RecordedSession,
    lines: Sequence[TranscriptLine] | None = None,
    part: SessionPart = SessionPart.OWN,
) -> SessionRows:
    lines = tuple(kept.lines.values()) if lines is None else lines
    source = "cli"
    if kept.agent:
        source = "subagent"
    elif kept.source.startswith("sdk"):
        source = "sdk"  # A program holds the conversation.
    return SessionRows(
        f"{kept.session}/{kept.agent}" if kept.agent else kept.session,
        source=source,
        rows=tuple(line.row for line in lines if line.row is not None),
        part=part,
        started_at=next((line.at for line in lines if line.at is not None), None),
        cwd=kept.cwd,
        models=kept.models,
        has_context_files=any(line.has_context_files for line in lines),
    )


def _read_elsewhere(sessions: Sequence[SessionRows], own: Sequence[str]) -> Iterator[Participant]:
    """What was read outside of the folders that a session works in, and of the user's own."""
    for session in sessions:
        for row in session.rows:
            for call in row.calls:
                given = call.arguments.get("file_path") or call.arguments.get("path")
                if call.name in READERS and isinstance(given, str):
                    whole = posixpath.normpath(posixpath.join(session.cwd, given))
                    if not any(_lies_in(whole, folder) for folder in (session.cwd, *own)):
                        yield Participant(call.name, OriginClass.OUTSIDE, whole, session.id)


def _lies_in(path: str, folder: str) -> bool:
    return bool(folder) and (path == folder or path.startswith(folder.rstrip("/") + "/"))
