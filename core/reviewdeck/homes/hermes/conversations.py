"""The conversation of a Hermes home that a record comes from, and what took part in it.

The record itself names none. A sidecar, the row of the tool's result that names the record, or the
log may; where several do, they have to agree. Where none does, every session of the hour before is
a candidate. A conversation has to be complete: if the log or a count shows that rows are missing,
its origin is unknown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, parsed, text_at
from reviewdeck.agents.hermes.sent import viewed_file
from reviewdeck.clock import moment_from
from reviewdeck.files import OURS
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.conversations import (
    AGREES,
    WINDOW,
    WRITTEN_WITHIN,
    AgentConversations,
    known_by_time,
)
from reviewdeck.homes.hermes.agent_log import LoggedCall
from reviewdeck.homes.hermes.archive import Archive, Chain, SourceSession, Store
from reviewdeck.homes.hermes.sidecar import Sidecar, disagreement, read_sidecar
from reviewdeck.model import (
    BACKGROUND_REVIEW,
    Kind,
    KnownBy,
    Origin,
    OriginClass,
    Participant,
    Proposal,
    Seen,
    SeenBy,
)
from reviewdeck.origin.classify import Classified, classify, merge_accounts
from reviewdeck.origin.conversation import Conversation, MessageRow, SessionPart, SessionRows
from reviewdeck.origin.prompt import memories_in
from reviewdeck.origin.sources import unknown
from reviewdeck.origin.tools import ToolKind, kind_of
from reviewdeck.origin.user_row import SKILL_MARK
from reviewdeck.origin.writers import NotedCall, may_write_unnoted, written_part
from reviewdeck.ports import Clock, Trust
from reviewdeck.text.entries import DELIMITER

STAGED_WITHIN: Final = timedelta(minutes=10)
"""After a record: by then the row of the call that made it is stored."""
CANDIDATES: Final = 50
"""The most sessions of one hour that are examined."""

REMEMBERED: Final = 64
"""The most conversations whose class is cached."""

_TERMINALS: Final = ("cli", "tui")
"""The sources of sessions that a person holds in Hermes' own terminal."""
_TOOLS: Final = {Kind.MEMORY: "memory", Kind.SKILLS: "skill_manage"}
_REVIEW_TOOLS: Final = frozenset({"memory", "skill_manage", "skill_view", "skills_list"})
"""Tools that a review calls too, without leaving rows."""


class HermesConversations(AgentConversations):
    """The conversations of a Hermes home."""

    unreadable = "The conversations of this home"
    notes = f"{OURS}/direct"
    longest_note = 128 * 1024

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock,
        kernel: Kernel,
        own_skills: Callable[[], frozenset[str] | None] = lambda: None,
        was_gated: Callable[[datetime], bool] = lambda moment: False,
        noted_since: Callable[[], float] = lambda: math.inf,
    ) -> None:
        super().__init__(home, clock=clock, kernel=kernel)
        self._own_skills = own_skills
        self._was_gated = was_gated
        self._noted_since = noted_since
        self._archive = Archive(home)
        self._classified: dict[Hashable, Classified] = {}

    def stamp(self) -> str:
        """Changes when a session, the log or a sidecar is added or extended."""
        return self._archive.stamp()

    def is_settled(self, origin: Origin, *, is_young: bool) -> bool:
        return origin.is_settled and not (is_young and origin.known_by is not KnownBy.EXACT)

    def find_session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        """A session of the home's databases, with its parent's id."""
        self._refresh()
        sessions = (self._archive.session(store, session) for store in self._archive.stores)
        stored = next((stored for stored in sessions if stored is not None), None)
        return None if stored is None else (stored.session, stored.parent, {})

    def read_note(self, id: str, raw: Mapping[str, Any]) -> NotedCall | None:
        """A note of Hermes' plugin about a write past the gates, of `docs/internals/hermes.md`."""
        ended, revisions = moment_from(raw.get("ended")), raw.get("documents")
        if raw.get("v") != 1 or not text_at(raw, "session"):
            return None
        if ended is None or not isinstance(revisions, dict):
            return None
        documents = {
            path: (before, after)
            for path, revision in revisions.items()
            if isinstance(revision, dict)
            and isinstance(before := revision.get("before"), str)
            and isinstance(after := revision.get("after"), str)
        }
        is_allowed = raw.get("allowed") is True
        return NotedCall(raw["session"], text_at(raw, "call"), ended, documents, is_allowed)

    def _refresh(self) -> None:
        if self._archive.refresh():
            self._classified.clear()

    def find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the sidecar, the rows and the log; else by the time."""
        self._refresh()
        sidecar = read_sidecar(self._home, proposal.source_id or "", kernel=self._kernel)
        if isinstance(sidecar, str):
            return unknown(f"The sidecar of this record cannot be used: {sidecar}.")
        if sidecar is not None and (why := disagreement(sidecar, proposal)):
            return unknown(f"The sidecar and the record do not agree: {why}.")
        source = self._find_source(proposal, sidecar)
        if isinstance(source, str):
            return unknown(source)
        if source is None:
            return self._union_origin(proposal, trust)
        if proposal.session and not proposal.provenance and proposal.session != source.session:
            return unknown("The record names another conversation than the one it comes from.")
        if (store := self._store_of(source.session)) is not None:
            return self._exact_origin(store, source, sidecar, trust)
        reason = f"The session {source.session[:64]} of this home is not kept."
        if proposal.provenance:
            return Origin(OriginClass.UNRECORDED, KnownBy.NOTHING, reason)
        return unknown(reason)

    def find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the call that wrote the change; else by the log, or by the time."""
        self._refresh()
        created_at = proposal.created_at or self._clock()
        until = (proposal.ingested_at or created_at) + AGREES
        if (noted := self._find_noted_call(proposal)) is not None:
            noted_store, source, is_allowed = noted
            origin = self._exact_origin(noted_store, source, None, trust)
            return replace(origin, is_approved=is_allowed)
        callers = self._find_callers(proposal, created_at, until)
        sources = [source for source, is_whole in callers if is_whole]
        if not sources and callers:
            return _partial_origin([source.session for (_, source), _ in callers])
        logged = None if sources else self._find_logged_call(proposal)
        if logged is not None and (store := self._store_of(logged.session)) is not None:
            return self._exact_origin(store, _source_from_log(logged), None, trust)
        if len(sources) == 1:
            origin = self._exact_origin(*sources[0], None, trust)
            return replace(origin, is_approved=self._was_allowed(*sources[0]))
        active = self._active_sessions(created_at - WINDOW, until)
        names = [source.session for _, source in sources] or [
            session
            for store, session in active
            if self._may_have_written(store, session, proposal, until)
        ]
        if not names and active:
            return unknown("No call of the conversations that were active then wrote it.")
        if not names:
            return unknown("No conversation that is kept wrote it, and none was active then.")
        return known_by_time(names, CANDIDATES)

    def _was_allowed(self, store: Store, source: SourceSession) -> bool:
        """Whether a person allowed the call in Hermes' own terminal.

        With the gate on, nothing else makes a call of `memory` there write at once.
        """
        stored = self._archive.session(store, source.session)
        if stored is None or stored.session.source not in _TERMINALS:
            return False
        rows = stored.session.rows
        calls = {
            call.id
            for row in rows
            if row.id == source.row
            for call in row.calls
            if call.name == "memory"
        }
        results = (members(parsed(row.text)) for row in rows if row.call and row.call in calls)
        has_written = any(
            result.get("success") is True and not result.get("staged") for result in results
        )
        return has_written and self._was_gated(source.until)

    def _may_have_written(
        self, store: Store, session: str, proposal: Proposal, until: datetime
    ) -> bool:
        """Whether a session may have written a change that no note of the plugin is about."""
        stored = self._archive.session(store, session)
        rows = stored.session.rows if stored else ()
        began = next((row.at for row in rows if row.at is not None), None)
        if began is None or self._noted_since() > began.timestamp():
            return True  # Nobody noted its calls.
        return any(
            may_write_unnoted(call, proposal.kind)
            for row in rows
            if row.at is not None and until - WINDOW <= row.at <= until
            for call in row.calls
        )

    def _find_noted_call(self, proposal: Proposal) -> tuple[Store, SourceSession, bool] | None:
        """The session of the call that the plugin noted, if it is stored, and the person's yes."""
        note = self.noted_call(proposal)
        if note is None or (store := self._store_of(note.session)) is None:
            return None
        stored = self._archive.session(store, note.session)
        rows = stored.session.rows if stored and note.call else ()
        row = next((row.id for row in rows if row.call == note.call), None)
        source = SourceSession(note.session, note.ended, KnownBy.EXACT, row)
        return store, source, note.is_allowed

    def _find_callers(
        self, proposal: Proposal, created_at: datetime, until: datetime
    ) -> list[tuple[tuple[Store, SourceSession], bool]]:
        callers: list[tuple[tuple[Store, SourceSession], bool]] = []
        for store, session in self._active_sessions(created_at - WRITTEN_WITHIN, until)[
            -CANDIDATES:
        ]:
            stored = self._archive.session(store, session)
            part = stored and written_part(proposal, stored.session.rows, until)
            if part:
                row = part.row
                caller = SourceSession(session, row.at or created_at, KnownBy.EXACT, row.id)
                callers.append(((store, caller), part.is_whole))
        return callers

    def _active_sessions(self, start: datetime, end: datetime) -> list[tuple[Store, str]]:
        return [
            (store, session)
            for store in self._archive.stores
            for session in self._archive.active(store, start.timestamp(), end.timestamp())
        ]

    def _store_of(self, session: str) -> Store | None:
        return next(
            (store for store in self._archive.stores if self._archive.session(store, session)), None
        )

    def _find_logged_call(self, proposal: Proposal) -> LoggedCall | None:
        if proposal.changes_modes:  # The time tells of the text, not of the mode.
            return None
        for change in proposal.outside:
            try:
                written = (self._home / change.path).lstat().st_mtime
            except OSError:
                continue
            moment = datetime.fromtimestamp(written, UTC)
            if call := self._archive.log().find_call(moment, _TOOLS[proposal.kind]):
                return call
        return None

    def _find_source(
        self, proposal: Proposal, sidecar: Sidecar | None
    ) -> SourceSession | str | None:
        """The session that all sources name; a sentence when they disagree; None without any."""
        created_at = proposal.created_at
        if proposal.provenance:
            if not proposal.session or created_at is None:
                return "The review names no conversation."
            return SourceSession(proposal.session, created_at, KnownBy.EXACT)
        row = self._find_row(proposal)
        if isinstance(row, str):
            return row
        logged = (
            None
            if created_at is None
            else self._archive.log().find_call(created_at, _TOOLS[proposal.kind])
        )
        session_ids = {source.session for source in (sidecar, row, logged) if source is not None}
        if len(session_ids) > 1:
            return "The sidecar, the rows and the log name different conversations."
        is_review = proposal.origin == BACKGROUND_REVIEW
        if sidecar is not None:
            tools = logged.tools if logged and is_review else ()
            cut = row.row if row else None
            until = datetime.fromtimestamp(sidecar.at, UTC)
            return SourceSession(
                sidecar.session, until, KnownBy.EXACT, cut, sidecar.replayed, tools
            )
        if row is not None:
            return row
        if not is_review:
            return "No row of a conversation names this record."
        return _source_from_log(logged) if logged else None

    def _find_row(self, proposal: Proposal) -> SourceSession | str | None:
        created_at, id = proposal.created_at, proposal.source_id
        if created_at is None or not id:
            return None
        start, end = created_at.timestamp() - 1, (created_at + STAGED_WITHIN).timestamp()
        sources: dict[str, SourceSession] = {}
        for store in self._archive.stores:
            for session, number in self._archive.results(store, id, start, end):
                stored = self._archive.session(store, session)
                row = stored and _find_result_row(stored.session, number, id, _TOOLS[proposal.kind])
                if row:
                    until = row.at or created_at
                    sources.setdefault(
                        session, SourceSession(session, until, KnownBy.EXACT, number)
                    )
        if len(sources) > 1:
            return "Rows of several conversations name this record."
        return next(iter(sources.values()), None)

    def _exact_origin(
        self, store: Store, source: SourceSession, sidecar: Sidecar | None, trust: Trust
    ) -> Origin:
        conversation = self._gather(store, source, sidecar)
        also = [
            _review_participant(tool, source.session, trust)
            for tool in source.tools
            if tool not in _REVIEW_TOOLS
        ]
        if sidecar is not None:
            also += _unrecorded_participants(sidecar, conversation, trust)
        missing = conversation.missing or self._find_missing_rows(conversation, source)
        conversation = replace(conversation, missing=missing, also=tuple(also))
        classified = self._classify(conversation, trust)
        return Origin(
            classified.kind,
            source.known_by,
            classified.reason,
            tuple(session.id for session in conversation.sessions),
            classified.utterances,
            classified.participants,
            self._seen_documents(store, conversation, source, sidecar),
            conversation.began_at,
        )

    def _union_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin when any session of the hour before may be it: each has to qualify."""
        if proposal.kind is Kind.SKILLS:
            # Hermes' curator works on skills by itself, reads the web, and keeps no session.
            return unknown("Nothing but the time tells who asked for this change of a skill.")
        created_at = proposal.created_at
        if created_at is None:
            return unknown("The record does not say when it was made.")
        active = self._active_sessions(created_at - WINDOW, created_at)
        if not active:
            return unknown("No conversation of the hour before is kept.")
        if len(active) > CANDIDATES:
            return unknown(f"More than {CANDIDATES} conversations were active in the hour before.")
        if proposal.session and proposal.session not in {session for _, session in active}:
            return unknown("The record names a conversation that was not active then.")
        candidates: list[tuple[Conversation, Classified]] = []
        for store, session in active:
            conversation = self._gather(store, SourceSession(session, created_at, KnownBy.UNION))
            candidates.append((conversation, self._classify(conversation, trust)))
        return _unite(candidates)

    def _gather(
        self, store: Store, source: SourceSession, sidecar: Sidecar | None = None
    ) -> Conversation:
        chain = Chain(self._archive, store, source)
        views = sidecar is not None and any(call.name == "skill_view" for call in sidecar.calls)
        views = views or any(map(_views_skills, chain.sessions))
        skills = self._own_skills() if views else None
        return Conversation(tuple(chain.sessions), chain.missing, self._archive.pastes(), skills)

    def _classify(self, conversation: Conversation, trust: Trust) -> Classified:
        """The class of a conversation, cached by the lengths of its sessions."""
        lengths = tuple(
            (session.id, session.part, len(session.rows)) for session in conversation.sessions
        )
        key = (lengths, conversation.missing, conversation.own_skills, conversation.also, trust)
        classified = self._classified.get(key)
        if classified is None:
            classified = classify(conversation, trust)
            if len(self._classified) >= REMEMBERED:
                self._classified.clear()
            self._classified[key] = classified
        return classified

    def _find_missing_rows(self, conversation: Conversation, source: SourceSession) -> str:
        """Why the log shows that rows are missing; empty when it does not."""
        own = conversation.sessions[0]
        began = self._archive.log().last_turn(own.id, source.until)
        if began and not any(row.at and row.at >= began - AGREES for row in own.rows):
            return "The log has a turn of which no rows are kept."
        row_counts = Counter(call.name for row in own.rows for call in row.calls)
        review_counts = Counter(source.tools)
        for tool, count in self._archive.log().calls(own.id, source.until).items():
            if tool not in _REVIEW_TOOLS and count > row_counts[tool] + review_counts[tool]:
                return "The log has calls of tools of which no rows are kept."
        return ""

    def _seen_documents(
        self,
        store: Store,
        conversation: Conversation,
        source: SourceSession,
        sidecar: Sidecar | None,
    ) -> dict[str, Seen]:
        lineage = [
            session
            for session in conversation.sessions
            if session.part in (SessionPart.OWN, SessionPart.ANCESTOR)
        ]
        documents = {
            path: Seen(path, text, SeenBy.VIEW)
            for session in reversed(lineage)
            for path, text in _views(session)
        }
        prompt = sidecar.prompt if sidecar and sidecar.prompt else self._prompt(store, source)
        for path, entries in (memories_in(prompt) or {}).items():
            documents[path] = Seen(path, DELIMITER.join(entries), SeenBy.PROMPT)
        for path, text in (sidecar.views if sidecar else {}).items():
            documents[path] = Seen(path, text, SeenBy.RECORD)
        return documents

    def _prompt(self, store: Store, source: SourceSession) -> str:
        """The session's prompt, unless it may be newer than the record."""
        stored = self._archive.session(store, source.session)
        if stored is None:
            return ""
        before = source.cut(stored.session.rows)
        later = stored.session.rows[len(before) :]
        if any(row.is_summary for row in later):
            return ""
        return "" if stored.last_new_model > source.until.timestamp() else stored.prompt


def _partial_origin(sessions: Sequence[str]) -> Origin:
    """The origin of a change of which each session wrote only a part."""
    names = ", ".join(session[:64] for session in sessions[:CANDIDATES])
    reason = f"Only a part of it was called for in one session: {names}."
    return Origin(OriginClass.UNKNOWN, KnownBy.UNION, reason, tuple(sessions[:CANDIDATES]))


def _views_skills(session: SessionRows) -> bool:
    return any(
        row.text.startswith(SKILL_MARK) or any(call.name == "skill_view" for call in row.calls)
        for row in session.rows
    )


def _source_from_log(call: LoggedCall) -> SourceSession:
    until = call.review_began or call.at
    return SourceSession(call.session, until, KnownBy.LOG, None, call.history, call.tools)


def _find_result_row(session: SessionRows, number: int, id: str, tool: str) -> MessageRow | None:
    """The row of this number if it is the tool result that staged the record of this id."""
    row = next((candidate for candidate in session.rows if candidate.id == number), None)
    if row is None:
        return None
    calls = {call.id: call.name for message in session.rows for call in message.calls}
    is_ours = members(parsed(row.text)).get("pending_id") == id
    return row if is_ours and calls.get(row.call, row.tool) == tool else None


def _unite(candidates: Sequence[tuple[Conversation, Classified]]) -> Origin:
    """The one origin of several candidates: their classes have to agree."""
    union = merge_accounts([classified for _, classified in candidates])
    kinds = {classified.kind for _, classified in candidates}
    kind, reason = union.kind, union.reason
    if len(kinds) > 1:
        kind = OriginClass.UNKNOWN
        reason = (
            f"Any of {len(candidates)} conversations may be it, and not all are the user's alone."
        )
    elif kind is OriginClass.WORKSPACE:
        kind = OriginClass.UNKNOWN
        reason = "Only the time tells the conversation, and more than the user took part in it."
    sessions = [session for conversation, _ in candidates for session in conversation.sessions]
    moments = [conversation.began_at for conversation, _ in candidates]
    starts = [moment for moment in moments if moment is not None]
    return Origin(
        kind,
        KnownBy.UNION,
        reason,
        tuple(dict.fromkeys(session.id for session in sessions)),
        union.utterances,
        union.participants,
        began_at=min(starts) if len(starts) == len(moments) else None,
    )


def _review_participant(tool: str, session: str, trust: Trust) -> Participant:
    """A tool that a review called, of which the log has only the name."""
    match kind_of(tool, trust):
        case ToolKind.OWN:
            origin = OriginClass.USER
        case ToolKind.WORKSPACE | ToolKind.FILES:
            origin = OriginClass.WORKSPACE
        case _:
            origin = OriginClass.OUTSIDE
    name = tool[:64] if tool.isprintable() else "unknown tool"
    return Participant(name, origin, "in the review", session)


def _unrecorded_participants(
    sidecar: Sidecar, conversation: Conversation, trust: Trust
) -> Iterator[Participant]:
    rows = [row for session in conversation.sessions for row in session.rows]
    # Some model servers restart their call ids in each answer: the name counts too.
    recorded = {(call.id, call.name) for row in rows for call in row.calls}
    extra = tuple(
        call for call in sidecar.calls if not call.id or (call.id, call.name) not in recorded
    )
    called = MessageRow(0, "assistant", "", calls=extra)
    probe = SessionRows(conversation.sessions[0].id, "cli", (called,), models=(sidecar.model,))
    yield from classify(replace(conversation, sessions=(probe,), missing=""), trust).participants


def _views(session: SessionRows) -> Iterator[tuple[str, str]]:
    """The paths and texts of the skill files that a session viewed, in order."""
    view_ids = {call.id for row in session.rows for call in row.calls if call.name == "skill_view"}
    folders: dict[str, str] = {}
    for row in session.rows:
        if row.role == "tool" and row.call in view_ids and not row.is_cut:
            viewed = viewed_file(members(parsed(row.text)), folders)
            if viewed is not None:
                yield viewed[1:]
