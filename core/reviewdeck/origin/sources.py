"""The origin of a proposal, from the sources that know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import (
    BACKGROUND_REVIEW,
    BaseSource,
    Began,
    KnownBy,
    MemoryEdit,
    Message,
    Origin,
    OriginClass,
    Proposal,
    Role,
    Seen,
    SeenBy,
    Transcript,
    Turn,
)
from reviewdeck.origin.classify import TERMINALS, Classified, classify, merge_accounts
from reviewdeck.origin.conversation import (
    Conversation,
    MessageRow,
    SessionPart,
    SessionRows,
    ToolCall,
)
from reviewdeck.origin.user_row import holds_summary
from reviewdeck.planning.memory import pins_of
from reviewdeck.ports import Home, Trust, Turns
from reviewdeck.text.entries import join
from reviewdeck.text.json import load_json

MESSAGES: Final = 20_000
"""A recorded conversation with more messages than this is not read."""
CONTEXT_FILES: Final = "context_files"
"""Noted by our own reviewer when the prompt of a conversation held files of the workspace."""

_CHATS: Final = frozenset({"assistant_tool", "foreground", BACKGROUND_REVIEW})
"""Origins of records that a conversation with the user led to. Jobs and delegated agents have
others, and so may versions that nobody knows yet."""

_UNRECORDED: Final = "This home keeps no conversations."
_NOT_FOUND: Final = "No conversation that anybody kept is found for this proposal."


def origin_of(proposal: Proposal, home: Home, turns: Turns | None, trust: Trust) -> Origin:
    """A proposal's origin with the documents that its author saw; unknown where nothing tells."""
    try:
        origin = _trace(proposal, home, turns, trust)
    except ReviewdeckError as error:
        origin = unknown(f"The recorded turns cannot be read: {error.message}", is_settled=False)
    return replace(
        origin, seen={**_named_entries(proposal), **origin.seen, **_given_bases(proposal)}
    )


def unknown(reason: str, *, is_settled: bool = True) -> Origin:
    """An origin that nothing tells."""
    return Origin(OriginClass.UNKNOWN, KnownBy.NOTHING, reason, is_settled=is_settled)


def _trace(proposal: Proposal, home: Home, turns: Turns | None, trust: Trust) -> Origin:
    if proposal.outside:
        return _writer_origin(proposal, home, trust)
    if proposal.provenance:
        return _reviewed_origin(proposal, home, turns, trust)
    if proposal.source is None:
        return unknown(_NOT_FOUND)  # Whoever hands a proposal over may name any session.
    conversations = home.conversations()
    if conversations is not None:
        stored = conversations.origin(proposal, trust)
        recorded = _recorded_origin(
            proposal, home.id, turns, trust, is_placed=bool(stored.sessions)
        )
        return stored if recorded is None else _merge(recorded, stored)
    recorded = _recorded_origin(proposal, home.id, turns, trust)
    if recorded is not None:
        return recorded
    if proposal.session or (turns is not None and turns.has_turns(home.id)):
        return unknown(_NOT_FOUND)
    if proposal.origin not in _CHATS:
        return unknown(f"The record's own origin is {proposal.origin!r}, which is no chat.")
    return Origin(OriginClass.UNRECORDED, KnownBy.NOTHING, _UNRECORDED)


def _writer_origin(proposal: Proposal, home: Home, trust: Trust) -> Origin:
    """The writer of a change outside review: the conversation whose tool was told to write it."""
    conversations = home.conversations()
    if conversations is not None:
        return conversations.writer(proposal, trust)
    return Origin(OriginClass.UNRECORDED, KnownBy.NOTHING, _UNRECORDED)


def _reviewed_origin(proposal: Proposal, home: Home, turns: Turns | None, trust: Trust) -> Origin:
    """A proposal of our own reviewer: the conversation that it was given, and the home's own."""
    conversations = home.conversations()
    stored = None if conversations is None else conversations.origin(proposal, trust)
    is_kept = stored is not None and stored.kind is not OriginClass.UNRECORDED
    recorded = _recorded_origin(proposal, home.id, turns, trust, is_placed=is_kept)
    if recorded is None:
        # A review keeps them once it is over, and what it proposed was looked at before.
        return unknown("The turns of the reviewed conversation are not kept.", is_settled=False)
    return _merge(recorded, stored) if stored is not None and is_kept else recorded


def _merge(recorded: Origin, stored: Origin) -> Origin:
    """Two accounts of one conversation: they have to agree on it, and the worse one counts."""
    if stored.sessions and set(recorded.sessions).isdisjoint(stored.sessions):
        return unknown("What was recorded and what the agent keeps name different conversations.")
    parts = [
        Classified(account.kind, account.reason, account.utterances, account.participants)
        for account in (stored, recorded)
    ]
    merged = merge_accounts(parts)
    return replace(
        stored,
        kind=merged.kind,
        known_by=KnownBy.NOTHING if stored.known_by is KnownBy.NOTHING else recorded.known_by,
        reason=merged.reason,
        sessions=tuple(dict.fromkeys((*recorded.sessions, *stored.sessions))),
        utterances=merged.utterances,
        participants=merged.participants,
        seen={**recorded.seen, **stored.seen},
        began_at=_earlier(recorded.began_at, stored.began_at),
    )


def _earlier(first: datetime | None, second: datetime | None) -> datetime | None:
    return min(first, second) if first is not None and second is not None else first or second


def _recorded_origin(
    proposal: Proposal, home: str, turns: Turns | None, trust: Trust, *, is_placed: bool = False
) -> Origin | None:
    """The session that a proposal names, as our own recorder kept it; None where it kept none.

    Where the home itself keeps the session too, that tells whose it is (`is_placed`).
    """
    if turns is None or not proposal.session:
        return None
    transcripts = [
        transcript
        for transcript in turns.transcripts(proposal.session)
        if transcript.home in ("", home)
    ]
    if not transcripts:
        return None
    sessions, missing = _sessions(proposal, transcripts, turns, home)
    if not is_placed and transcripts[0].lineage.began is Began.RESUME:
        missing = missing or "The messages before the session was resumed are not stored."
    if is_placed:
        sessions = [replace(session, source="") for session in sessions]
    conversation = Conversation(tuple(sessions), missing)
    classified = classify(conversation, trust)
    return Origin(
        classified.kind,
        KnownBy.EXACT,
        classified.reason,
        tuple(session.id for session in sessions),
        classified.utterances,
        classified.participants,
        began_at=conversation.began_at,
    )


def _sessions(
    proposal: Proposal, transcripts: Sequence[Transcript], turns: Turns, home: str
) -> tuple[list[SessionRows], str]:
    """The session with what it goes on from, and why it is not whole."""
    sessions: list[SessionRows] = []
    seen: set[str] = set()
    part, until, turn = SessionPart.OWN, proposal.created_at, proposal.turn
    remaining = MESSAGES
    while transcripts:
        first = transcripts[0]
        seen.add(first.lineage.session)
        remaining -= sum(transcript.messages for transcript in transcripts)
        if remaining < 0:
            return sessions, f"The conversation has more than {MESSAGES:,} messages."
        read = [(transcript, turns.turns(transcript.id)) for transcript in transcripts]
        if any(len(its_turns) != transcript.turns for transcript, its_turns in read):
            return sessions, "Turns of the conversation are missing."
        rows = _rows(_until([each for _, its_turns in read for each in its_turns], until, turn))
        if any(holds_summary(row.text) for row in rows):
            return sessions, "The conversation was summed up, and the messages before are not kept."
        sessions.append(_session(transcripts, rows, part, proposal.provenance))
        parent = first.lineage.parent
        if not first.lineage.began.continues or parent is None:
            return sessions, ""
        if parent in seen:
            return sessions, "A session is its own ancestor."
        transcripts = [
            transcript for transcript in turns.transcripts(parent) if transcript.home in ("", home)
        ]
        part, until, turn = SessionPart.ANCESTOR, None, None
    return sessions, "The conversation that it goes on from was not recorded."


def _session(
    transcripts: Sequence[Transcript],
    rows: tuple[MessageRow, ...],
    part: SessionPart,
    about: Mapping[str, str],
) -> SessionRows:
    first = transcripts[0]
    platforms = [transcript.platform for transcript in transcripts]
    return SessionRows(
        first.lineage.session,
        # It may have gone on elsewhere.
        source=next((name for name in platforms if name not in TERMINALS), first.platform),
        rows=rows,
        part=part,
        started_at=first.started_at,
        has_context_files=CONTEXT_FILES in about,
    )


def _until(turns: Sequence[Turn], until: datetime | None, turn_id: str | None) -> Sequence[Turn]:
    """The turns that were there when the proposal was made; the one that it was made in too."""
    named = [at for at, turn in enumerate(turns) if turn_id is not None and turn.id == turn_id]
    if named:
        return turns[: named[-1] + 1]
    if until is None:
        return turns
    # The last of them: a clock may have been put back.
    before = [at for at, turn in enumerate(turns) if turn.at < until]
    return turns[: before[-1] + 2 if before else 1]


def _rows(turns: Sequence[Turn]) -> tuple[MessageRow, ...]:
    messages = [(turn.at, message) for turn in turns for message in turn.messages]
    return tuple(
        _row(at, moment, message)
        for at, (moment, message) in enumerate(messages)
        if message.role is not Role.SYSTEM
    )


def _row(id: int, at: datetime, message: Message) -> MessageRow:
    if message.role is Role.ASSISTANT and (message.tool or message.call):
        arguments = _parse(message.text)
        call = ToolCall(message.tool, arguments or {}, message.call, arguments is not None)
        return MessageRow(id, "assistant", "", at, calls=(call,))
    return MessageRow(id, str(message.role), message.text, at, tool=message.tool, call=message.call)


def _parse(text: str) -> Mapping[str, Any] | None:
    try:
        value = load_json(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _given_bases(proposal: Proposal) -> dict[str, Seen]:
    """The documents that the author saw, by the record or our own reviewer."""
    seen: dict[str, Seen] = {}
    for path, base in proposal.bases.items():
        if base.source is not BaseSource.GIVEN:
            continue
        if base.has_text:
            text = (base.data or b"").decode("utf-8", "replace")
            seen[path] = Seen(path, text, SeenBy.RECORD)
        else:
            # Only its hash is known: no text of a document can be this.
            seen[path] = Seen(path, f"\0{base.revision}", SeenBy.RECORD, is_whole=False)
    return seen


def _named_entries(proposal: Proposal) -> dict[str, Seen]:
    of: dict[str, list[MemoryEdit]] = {}
    for edit in proposal.edits:
        if isinstance(edit, MemoryEdit):
            of.setdefault(edit.document, []).append(edit)
    return {
        document: Seen(document, join(pins), SeenBy.ENTRY, is_whole=False)
        for document, edits in of.items()
        if (pins := pins_of(edits))
    }
