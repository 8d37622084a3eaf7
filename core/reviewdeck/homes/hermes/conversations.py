"""Which of a Hermes home's conversations a record comes from, and what took part in it.

A record names none. A sidecar tells, or the row of the tool's result that names the record, or the
log; where several of them tell, they have to agree. Where none does, every session of the hour
before may be it. What is found has to be whole: rows that the log or a count says were there, and
that are not, make it unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.hermes.agent_log import Named
from reviewdeck.homes.hermes.archive import (
    Archive,
    Chain,
    SourceSession,
    Store,
    StoredSession,
)
from reviewdeck.homes.hermes.direct_notes import direct_notes
from reviewdeck.homes.hermes.direct_notes import stamp as notes_stamp
from reviewdeck.homes.hermes.messages import parsed
from reviewdeck.homes.hermes.session_database import SessionsUnreadable
from reviewdeck.homes.hermes.sidecar import Sidecar, disagreement, read_sidecar
from reviewdeck.homes.syscalls import Kernel
from reviewdeck.model import (
    Kind,
    KnownBy,
    Origin,
    OriginClass,
    Participant,
    Proposal,
    Seen,
    SeenBy,
    Transcript,
    Turn,
)
from reviewdeck.origin.classify import Classified, classify, joined
from reviewdeck.origin.conversation import Conversation, MessageRow, SessionPart, SessionRows
from reviewdeck.origin.prompt import memories_in
from reviewdeck.origin.said import SKILL_MARK, SUMMARIES
from reviewdeck.origin.sources import unknown
from reviewdeck.origin.tools import ToolKind, kind_of
from reviewdeck.origin.turns import transcript_of, turns_of
from reviewdeck.origin.writers import noted_call, written_part
from reviewdeck.ports import Clock, Trust
from reviewdeck.text.entries import DELIMITER

BACKGROUND: Final = "background_review"
"""Hermes' word for a record of a review or of its curator."""
WINDOW: Final = timedelta(hours=1)
"""Before a record: every session with rows in it may be the one."""
STAGED_WITHIN: Final = timedelta(minutes=10)
"""After a record: the row of the call that made it is there."""
FOLLOWS: Final = timedelta(seconds=60)
"""Rows and lines follow a record within this time."""
AGREES: Final = timedelta(seconds=5)
"""So much may lie between a line and its row."""
WRITTEN_WITHIN: Final = timedelta(days=1)
"""Before a change was seen: a call of this time may have written it."""
CANDIDATES: Final = 50
"""Sessions of one hour that are looked at."""

REMEMBERED: Final = 64
"""Conversations whose class is remembered."""

_TOOLS: Final = {Kind.MEMORY: "memory", Kind.SKILLS: "skill_manage"}
_BOOKS: Final = frozenset({"memory", "skill_manage", "skill_view", "skills_list"})
"""A review calls these too, and leaves no rows of it."""


class HermesConversations:
    """Satisfies `ports.Conversations`."""

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock,
        kernel: Kernel,
        own_skills: Callable[[], frozenset[str] | None] = lambda: None,
        zone: tzinfo | None = None,
    ) -> None:
        self._home = home
        self._clock = clock
        self._kernel = kernel
        self._own_skills = own_skills
        self._archive = Archive(home, zone)
        self._classified: dict[Hashable, Classified] = {}

    def heard(self, proposal: Proposal) -> str:
        """A cheap hint that changes when more may be known of where a proposal comes from."""
        # Once rows and lines cannot follow any more, what is found is final.
        notes = notes_stamp(self._home)
        return f"{self._archive.stamp()}\n{notes}\n{self._is_young(proposal)}"

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """Where this record comes from. Never raises: what cannot be read is unknown."""
        return self._looked_up(self._origin, proposal, trust)

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """Where a change comes from that was written at once. Never raises."""
        return self._looked_up(self._written, proposal, trust)

    def _looked_up(
        self, look: Callable[[Proposal, Trust], Origin], proposal: Proposal, trust: Trust
    ) -> Origin:
        young = self._is_young(proposal)
        try:
            if self._archive.refresh():
                self._classified.clear()
            found = look(proposal, trust)
        except SessionsUnreadable as error:
            return unknown(error.message, is_settled=not (young or error.is_passing))
        except (ReviewdeckError, OSError, ValueError, OverflowError, RecursionError) as error:
            return unknown(f"The conversations of this home cannot be read: {error}.")
        settled = found.is_settled and not (young and found.known_by is not KnownBy.EXACT)
        return replace(found, is_settled=settled)

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The session as one transcript; nothing for one that is not kept or cannot be read."""
        kept = self._kept(session)
        return () if kept is None else (transcript_of(kept.session, kept.parent),)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns of a session, those before this number; in order."""
        kept = self._kept(transcript)
        turns = () if kept is None else turns_of(kept.session.rows)[:before]
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    def _kept(self, session: str) -> StoredSession | None:
        try:
            if self._archive.refresh():
                self._classified.clear()
            found = (self._archive.kept(store, session) for store in self._archive.stores)
            return next((one for one in found if one is not None), None)
        except (
            SessionsUnreadable,
            ReviewdeckError,
            OSError,
            ValueError,
            OverflowError,
            RecursionError,
        ):
            return None

    def _is_young(self, proposal: Proposal) -> bool:
        made = proposal.created_at
        return made is not None and self._clock() - made < FOLLOWS

    def _origin(self, proposal: Proposal, trust: Trust) -> Origin:
        sidecar = read_sidecar(self._home, proposal.source_id or "", kernel=self._kernel)
        if isinstance(sidecar, str):
            return unknown(f"The sidecar of this record cannot be used: {sidecar}.")
        if sidecar is not None and (why := disagreement(sidecar, proposal)):
            return unknown(f"The sidecar and the record do not agree: {why}.")
        found = self._find(proposal, sidecar)
        if isinstance(found, str):
            return unknown(found)
        if found is None:
            return self._union(proposal, trust)
        if proposal.session and not proposal.provenance and proposal.session != found.session:
            return unknown("The record names another conversation than the one it comes from.")
        if (store := self._store_of(found.session)) is not None:
            return self._exactly(store, found, sidecar, trust)
        reason = f"The session {found.session[:64]} of this home is not kept."
        if proposal.provenance:
            return Origin(OriginClass.UNRECORDED, KnownBy.NOTHING, reason)
        return unknown(reason)

    def _written(self, proposal: Proposal, trust: Trust) -> Origin:
        """The session with the call that wrote it; else the one of the log, or of the time."""
        made = proposal.created_at or self._clock()
        until = (proposal.ingested_at or made) + AGREES
        if (known := self._noted(proposal)) is not None:
            return self._exactly(*known, None, trust)
        callers = self._callers(proposal, made, until)
        found = [one for one, is_whole in callers if is_whole]
        if not found and callers:
            return _in_parts([one.session for (_, one), _ in callers])
        named = None if found else self._logged(proposal)
        if named is not None and (store := self._store_of(named.session)) is not None:
            return self._exactly(store, _by_log(named), None, trust)
        if len(found) == 1:
            return self._exactly(*found[0], None, trust)
        names = [one.session for _, one in found] or [
            session for _, session in self._active(made - WINDOW, until)
        ]
        if not names:
            return unknown("No conversation that is kept wrote it, and none was active then.")
        said = f"the session {names[0][:64]} was"
        if len(names) > 1:
            said = f"{len(names)} sessions were"
        reason = f"Only the time tells: {said} active in the hour before."
        return Origin(OriginClass.UNKNOWN, KnownBy.UNION, reason, tuple(names[:CANDIDATES]))

    def _noted(self, proposal: Proposal) -> tuple[Store, SourceSession] | None:
        """The session whose call the plugin noted, where it is kept."""
        note = noted_call(proposal.outside, direct_notes(self._home, kernel=self._kernel))
        if note is None or (store := self._store_of(note.session)) is None:
            return None
        kept = self._archive.kept(store, note.session)
        rows = kept.session.rows if kept and note.call else ()
        row = next((row.id for row in rows if row.call == note.call), None)
        return store, SourceSession(note.session, note.ended, KnownBy.EXACT, row)

    def _callers(
        self, proposal: Proposal, made: datetime, until: datetime
    ) -> list[tuple[tuple[Store, SourceSession], bool]]:
        """The sessions in which a tool was told to write this, and whether all of it."""
        found: list[tuple[tuple[Store, SourceSession], bool]] = []
        for store, session in self._active(made - WRITTEN_WITHIN, until)[-CANDIDATES:]:
            kept = self._archive.kept(store, session)
            part = kept and written_part(proposal, kept.session.rows, until)
            if part:
                row = part.row
                caller = SourceSession(session, row.at or made, KnownBy.EXACT, row.id)
                found.append(((store, caller), part.is_whole))
        return found

    def _active(self, start: datetime, end: datetime) -> list[tuple[Store, str]]:
        return [
            (store, session)
            for store in self._archive.stores
            for session in self._archive.active(store, start.timestamp(), end.timestamp())
        ]

    def _store_of(self, session: str) -> Store | None:
        return next((one for one in self._archive.stores if self._archive.kept(one, session)), None)

    def _logged(self, proposal: Proposal) -> Named | None:
        """What the log says of the moment in which its file was written last."""
        if proposal.changes_modes:  # The time of the text, not of who may execute it.
            return None
        for change in proposal.outside:
            try:
                written = (self._home / change.path).lstat().st_mtime
            except OSError:
                continue
            moment = datetime.fromtimestamp(written, UTC)
            if named := self._archive.log().named(moment, _TOOLS[proposal.kind]):
                return named
        return None

    def _find(self, proposal: Proposal, sidecar: Sidecar | None) -> SourceSession | str | None:
        """The one session that the present sources name; why they do not; None for no source."""
        made = proposal.created_at
        if proposal.provenance:
            if not proposal.session or made is None:
                return "The review names no conversation."
            return SourceSession(proposal.session, made, KnownBy.EXACT)
        row = self._foreground(proposal)
        if isinstance(row, str):
            return row
        named = None if made is None else self._archive.log().named(made, _TOOLS[proposal.kind])
        told = {one.session for one in (sidecar, row, named) if one is not None}
        if len(told) > 1:
            return "The sidecar, the rows and the log name different conversations."
        is_review = proposal.origin == BACKGROUND
        if sidecar is not None:
            tools = named.tools if named and is_review else ()
            cut = row.row if row else None
            until = datetime.fromtimestamp(sidecar.at, UTC)
            return SourceSession(
                sidecar.session, until, KnownBy.EXACT, cut, sidecar.replayed, tools
            )
        if row is not None:
            return row
        if not is_review:
            return "No row of a conversation names this record."
        return _by_log(named) if named else None

    def _foreground(self, proposal: Proposal) -> SourceSession | str | None:
        """The row in which the tool's result names this record."""
        made, id = proposal.created_at, proposal.source_id
        if made is None or not id:
            return None
        start, end = made.timestamp() - 1, (made + STAGED_WITHIN).timestamp()
        found: dict[str, SourceSession] = {}
        for store in self._archive.stores:
            for session, number in self._archive.results(store, id, start, end):
                kept = self._archive.kept(store, session)
                row = kept and _row_naming(kept.session, number, id, _TOOLS[proposal.kind])
                if row:
                    until = row.at or made
                    found.setdefault(session, SourceSession(session, until, KnownBy.EXACT, number))
        if len(found) > 1:
            return "Rows of several conversations name this record."
        return next(iter(found.values()), None)

    def _exactly(
        self, store: Store, found: SourceSession, sidecar: Sidecar | None, trust: Trust
    ) -> Origin:
        """The origin of a record whose session is known."""
        conversation = self._conversation(store, found, sidecar)
        also = [_fork(tool, found.session, trust) for tool in found.tools if tool not in _BOOKS]
        if sidecar is not None:
            also += _called_beside(sidecar, conversation, trust)
        missing = conversation.missing or self._uncounted(conversation, found)
        conversation = replace(conversation, missing=missing, also=tuple(also))
        whole = self._classify(conversation, trust)
        return Origin(
            whole.kind,
            found.known_by,
            whole.reason,
            tuple(one.id for one in conversation.sessions),
            whole.utterances,
            whole.participants,
            self._seen(store, conversation, found, sidecar),
            conversation.began_at,
        )

    def _union(self, proposal: Proposal, trust: Trust) -> Origin:
        """All sessions that were active in the hour before: each of them has to qualify."""
        if proposal.kind is Kind.SKILLS:
            # Hermes' curator works on skills by itself, reads the web, and keeps no session.
            return unknown("Nothing but the time tells who asked for this change of a skill.")
        made = proposal.created_at
        if made is None:
            return unknown("The record does not say when it was made.")
        known = self._active(made - WINDOW, made)
        if not known:
            return unknown("No conversation of the hour before is kept.")
        if len(known) > CANDIDATES:
            return unknown(f"More than {CANDIDATES} conversations were active in the hour before.")
        if proposal.session and proposal.session not in {session for _, session in known}:
            return unknown("The record names a conversation that was not active then.")
        found: list[tuple[Conversation, Classified]] = []
        for store, session in known:
            conversation = self._conversation(store, SourceSession(session, made, KnownBy.UNION))
            found.append((conversation, self._classify(conversation, trust)))
        return _united(found)

    def _conversation(
        self, store: Store, found: SourceSession, sidecar: Sidecar | None = None
    ) -> Conversation:
        """Everything that belongs to a session, up to where it counts."""
        chain = Chain(self._archive, store, found)
        views = sidecar is not None and any(one.name == "skill_view" for one in sidecar.calls)
        views = views or any(map(_views_skills, chain.sessions))
        skills = self._own_skills() if views else None
        return Conversation(tuple(chain.sessions), chain.missing, self._archive.pastes(), skills)

    def _classify(self, conversation: Conversation, trust: Trust) -> Classified:
        """The class of a conversation, worked out once for each length that it has."""
        lengths = tuple((one.id, one.part, len(one.rows)) for one in conversation.sessions)
        key = (lengths, conversation.missing, conversation.own_skills, conversation.also, trust)
        found = self._classified.get(key)
        if found is None:
            found = classify(conversation, trust)
            if len(self._classified) >= REMEMBERED:
                self._classified.clear()
            self._classified[key] = found
        return found

    def _uncounted(self, conversation: Conversation, found: SourceSession) -> str:
        """Why rows must be missing, or must be others, by the log."""
        own = conversation.sessions[0]
        began = self._archive.log().last_turn(own.id, found.until)
        if began and not any(row.at and row.at >= began - AGREES for row in own.rows):
            return "The log has a turn of which no rows are kept."
        kept = Counter(call.name for row in own.rows for call in row.calls)
        inside = Counter(found.tools)
        for tool, count in self._archive.log().calls(own.id, found.until).items():
            if tool not in _BOOKS and count > kept[tool] + inside[tool]:
                return "The log has calls of tools of which no rows are kept."
        return ""

    def _seen(
        self,
        store: Store,
        conversation: Conversation,
        found: SourceSession,
        sidecar: Sidecar | None,
    ) -> dict[str, Seen]:
        """What the author saw of each document."""
        line = [
            one
            for one in conversation.sessions
            if one.part in (SessionPart.OWN, SessionPart.ANCESTOR)
        ]
        seen = {
            path: Seen(path, text, SeenBy.VIEW)
            for one in reversed(line)
            for path, text in _views(one)
        }
        prompt = sidecar.prompt if sidecar and sidecar.prompt else self._prompt(store, found)
        for path, entries in (memories_in(prompt) or {}).items():
            seen[path] = Seen(path, DELIMITER.join(entries), SeenBy.PROMPT)
        for path, text in (sidecar.views if sidecar else {}).items():
            seen[path] = Seen(path, text, SeenBy.RECORD)
        return seen

    def _prompt(self, store: Store, found: SourceSession) -> str:
        """The session's prompt, unless it may be newer than the record."""
        kept = self._archive.kept(store, found.session)
        if kept is None:
            return ""
        before = found.cut(kept.session.rows)
        later = kept.session.rows[len(before) :]
        if any(row.text.startswith(SUMMARIES) for row in later):
            return ""
        return "" if kept.last_new_model > found.until.timestamp() else kept.prompt


def _in_parts(sessions: Sequence[str]) -> Origin:
    """Where nobody wrote all of a change."""
    named = ", ".join(one[:64] for one in sessions[:CANDIDATES])
    reason = f"Only a part of it was called for in one session: {named}."
    return Origin(OriginClass.UNKNOWN, KnownBy.UNION, reason, tuple(sessions[:CANDIDATES]))


def _views_skills(session: SessionRows) -> bool:
    """Whether a skill was read into a session."""
    return any(
        row.text.startswith(SKILL_MARK) or any(call.name == "skill_view" for call in row.calls)
        for row in session.rows
    )


def _by_log(named: Named) -> SourceSession:
    until = named.review_began or named.at
    return SourceSession(named.session, until, KnownBy.LOG, None, named.history, named.tools)


def _row_naming(session: SessionRows, number: int, id: str, tool: str) -> MessageRow | None:
    """A row, if it is the result of a call of the tool that staged the record of this id."""
    row = next((one for one in session.rows if one.id == number), None)
    if row is None:
        return None
    calls = {call.id: call.name for one in session.rows for call in one.calls}
    result = parsed(row.text)
    is_ours = isinstance(result, dict) and result.get("pending_id") == id
    return row if is_ours and calls.get(row.call, row.tool) == tool else None


def _united(found: Sequence[tuple[Conversation, Classified]]) -> Origin:
    """One origin of several that are possible: they have to be the same."""
    whole = joined([one for _, one in found])
    kinds = {one.kind for _, one in found}
    kind, reason = whole.kind, whole.reason
    if len(kinds) > 1:
        kind = OriginClass.UNKNOWN
        reason = f"Any of {len(found)} conversations may be it, and not all are the user's alone."
    elif kind is OriginClass.WORKSPACE:
        kind = OriginClass.UNKNOWN
        reason = "Only the time tells the conversation, and more than the user took part in it."
    moments = [one.began_at for one, _ in found]
    known = [one for one in moments if one is not None]
    return Origin(
        kind,
        KnownBy.UNION,
        reason,
        tuple(dict.fromkeys(part.id for one, _ in found for part in one.sessions)),
        whole.utterances,
        whole.participants,
        began_at=min(known) if len(known) == len(moments) else None,
    )


def _fork(tool: str, session: str, trust: Trust) -> Participant:
    """A tool that a review called: its name is all that the log tells."""
    match kind_of(tool, trust):
        case ToolKind.OWN:
            origin = OriginClass.USER
        case ToolKind.WORKSPACE | ToolKind.FILES:
            origin = OriginClass.WORKSPACE
        case _:
            origin = OriginClass.OUTSIDE
    name = tool[:64] if tool.isprintable() else "unknown tool"
    return Participant(name, origin, "in the review", session)


def _called_beside(
    sidecar: Sidecar, conversation: Conversation, trust: Trust
) -> Iterator[Participant]:
    """What a sidecar says was called and no row has."""
    rows = [row for one in conversation.sessions for row in one.rows]
    # Some servers of models number their calls anew in each answer.
    kept = {(call.id, call.name) for row in rows for call in row.calls}
    extra = tuple(one for one in sidecar.calls if not one.id or (one.id, one.name) not in kept)
    called = MessageRow(0, "assistant", "", calls=extra)
    probe = SessionRows(conversation.sessions[0].id, "cli", (called,), models=(sidecar.model,))
    yield from classify(replace(conversation, sessions=(probe,), missing=""), trust).participants


def _views(session: SessionRows) -> Iterator[tuple[str, str]]:
    """The skill files that were viewed, by path, in order."""
    asked = {call.id for row in session.rows for call in row.calls if call.name == "skill_view"}
    folders: dict[str, str] = {}
    for row in session.rows:
        result = parsed(row.text) if row.role == "tool" and row.call in asked else None
        if not isinstance(result, dict) or row.is_cut:
            continue
        name, content = result.get("name"), result.get("content")
        path, file = result.get("path"), result.get("file")
        if not isinstance(name, str) or not isinstance(content, str):
            continue
        if isinstance(path, str) and path.endswith("/SKILL.md"):
            folders[name] = f"skills/{path.removesuffix('/SKILL.md')}"
            yield f"skills/{path}", content
        elif isinstance(file, str) and name in folders:
            yield f"{folders[name]}/{file}", content
