"""Where a change comes from, by the conversations that its agent keeps.

A kind of home finds the session, and gives its rows; the look-up around it is the same. So are the
notes that our programs inside an agent leave of calls which bypassed its gate.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.reads import is_private, open_beneath, read_place
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.pending import UNSETTLED
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.model import KnownBy, Origin, OriginClass, Proposal, Transcript, Turn
from reviewdeck.origin.classify import classify
from reviewdeck.origin.conversation import Conversation, SessionRows
from reviewdeck.origin.sources import unknown
from reviewdeck.origin.turns import transcript_of, turns_of
from reviewdeck.origin.writers import NotedCall, noted_call
from reviewdeck.ports import Clock, Trust

FOLLOWS: Final = timedelta(seconds=60)
"""After a record: by then its rows, lines and log are written."""
AGREES: Final = timedelta(seconds=5)
"""The most that may lie between what two sources say about one moment."""
WINDOW: Final = timedelta(hours=1)
"""Before a change: every session with rows within it is a candidate."""
WRITTEN_WITHIN: Final = timedelta(days=1)
"""Before a change was seen: a call within it may have written the change."""
_NOTES: Final = 1_000
"""The most notes that are read, latest first."""

Look: TypeAlias = Callable[[Proposal, Trust], Origin]


class AgentConversations(ABC):
    """The conversations of one home. Implements `ports.Conversations`."""

    unreadable: ClassVar[str]
    """What cannot be read, as the begin of a sentence."""
    notes: str
    """The folder of notes in a home."""
    longest_note: ClassVar[int]

    def __init__(self, home: Path, *, clock: Clock, kernel: Kernel) -> None:
        self._home = home
        self._clock = clock
        self._kernel = kernel
        self._noted: tuple[int, Sequence[NotedCall]] = (0, ())
        """The calls that were noted, and when the folder of notes was last written."""

    @abstractmethod
    def stamp(self) -> str:
        """Changes when a conversation is added or extended."""

    @abstractmethod
    def find_origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of this record. May raise what a file that cannot be read raises."""

    @abstractmethod
    def find_writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of a change that was written without review. May raise as `find_origin`."""

    def is_settled(self, origin: Origin, *, is_young: bool) -> bool:
        """Whether no more can become known of where a record comes from."""
        is_known = origin.known_by is KnownBy.EXACT and origin.kind is not OriginClass.UNKNOWN
        return is_known or not is_young

    @abstractmethod
    def find_session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        """A session, its parent's id, and the names of turns by their rows; None without one."""

    @abstractmethod
    def read_note(self, id: str, raw: Mapping[str, Any]) -> NotedCall | None:
        """The call of a note; None where it is none."""

    def origin_stamp(self) -> str:
        """A stamp that changes when the origin of proposals may be known better."""
        try:
            notes = str((self._home / self.notes).lstat().st_mtime_ns)
        except OSError:
            notes = ""
        return f"{self.stamp()}\n{notes}"

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of this record. Never raises: an unreadable conversation is unknown."""
        return self._look_up(self.find_origin, proposal, trust)

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of a change that was written without review. Never raises."""
        return self._look_up(self.find_writer, proposal, trust)

    def _look_up(self, look: Look, proposal: Proposal, trust: Trust) -> Origin:
        is_young = self.may_follow(proposal)
        try:
            origin = look(proposal, trust)
        except (ReviewdeckError, OSError, ValueError, OverflowError, RecursionError) as error:
            is_passing = is_young or getattr(error, "is_passing", False)
            why = getattr(error, "sentence", f"{self.unreadable} cannot be read: {error}.")
            return unknown(why, is_settled=not is_passing)
        return replace(origin, is_settled=self.is_settled(origin, is_young=is_young))

    def may_follow(self, proposal: Proposal) -> bool:
        """Whether more rows of its session may follow. Once none can, the origin is final."""
        made_at = proposal.created_at or proposal.ingested_at
        return made_at is not None and self._clock() - made_at < FOLLOWS

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The session as one transcript; empty when it is not stored or cannot be read."""
        found = self._session(session)
        return () if found is None else (transcript_of(found[0], found[1]),)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last `limit` turns of a session before turn number `before`, in order."""
        found = self._session(transcript)
        turns = () if found is None else turns_of(found[0].rows, found[2])[:before]
        return turns if limit is None else turns[max(0, len(turns) - limit) :]

    def _session(self, session: str) -> tuple[SessionRows, str, Mapping[int, str]] | None:
        try:
            return self.find_session(session)
        except (ReviewdeckError, OSError, ValueError, OverflowError, RecursionError):
            return None

    def noted_call(self, proposal: Proposal) -> NotedCall | None:
        """The call that wrote a change, by the notes of it."""
        return noted_call(proposal.outside, self.noted_calls())

    def noted_calls(self) -> Sequence[NotedCall]:
        """The noted calls, newest first, without unreadable notes and those of other users.

        Each note is a file of its own that never changes: they are read when one came or went.
        """
        try:
            written = (self._home / self.notes).lstat().st_mtime_ns
        except OSError:
            return ()
        known = self._noted
        if known[0] != written:
            calls = self._read_notes()
            is_settled = written < self._clock().timestamp() * 1e9 - UNSETTLED
            self._noted = known = (written if is_settled else 0, calls)
        return known[1]

    def _read_notes(self) -> Sequence[NotedCall]:
        calls: list[NotedCall] = []
        with (
            suppress(OSError, ReviewdeckError),
            open_beneath(self._home, self.notes, self._kernel) as folder,
        ):
            for name in _latest(folder):
                file = read_place(NameIn(folder, name), self.longest_note)
                if file.data is not None and is_private(file):
                    with suppress(Malformed):
                        call = self.read_note(name.removesuffix(".json"), load_object(file.data))
                        calls += [call] if call else []
        return sorted(calls, key=lambda call: call.ended, reverse=True)


def _latest(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        dated = sorted(
            (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
            for entry in entries
            if entry.name.endswith(".json") and not entry.name.startswith(".")
        )
    return [name for _, name in reversed(dated[-_NOTES:])]


def exact_origin(conversation: Conversation, trust: Trust) -> Origin:
    """The origin of a change of which the whole conversation is known."""
    classified = classify(conversation, trust)
    return Origin(
        classified.kind,
        KnownBy.EXACT,
        classified.reason,
        tuple(dict.fromkeys(session.id for session in conversation.sessions)),
        classified.utterances,
        classified.participants,
        began_at=conversation.began_at,
    )


def not_kept(what: str, session: str, known_by: KnownBy = KnownBy.EXACT) -> Origin:
    """The origin of a change by a session that can no longer be read."""
    reason = f"{what} {session[:64]} is not kept."
    return Origin(OriginClass.UNKNOWN, known_by, reason, (session,))


def partly_known(origin: Origin, reason: str) -> Origin:
    """An origin that may not be the whole one: what came from outside came from there still."""
    kind = origin.kind if origin.kind is OriginClass.OUTSIDE else OriginClass.UNKNOWN
    return replace(origin, kind=kind, known_by=KnownBy.UNION, reason=reason)


def known_by_time(sessions: Sequence[str], most: int) -> Origin:
    """The origin of a change of which nothing but the time tells: these sessions were active."""
    subject = f"the session {sessions[0][:64]} was"
    if len(sessions) > 1:
        subject = f"{len(sessions)} sessions were"
    reason = f"Known by its time alone: {subject} active in the hour before."
    return Origin(OriginClass.UNKNOWN, KnownBy.UNION, reason, tuple(sessions[:most]))
