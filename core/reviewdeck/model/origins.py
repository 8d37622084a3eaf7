"""Origins: the conversation behind a proposal, and the texts its author had seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from reviewdeck.values import dataclass


class OriginClass(StrEnum):
    """The least trusted participant of a conversation before the proposal."""

    USER = "user"
    """The account's own typed words, the agent, and tools that keep the agent's own books."""
    WORKSPACE = "workspace"
    """Also local files, and commands that fetch nothing."""
    OUTSIDE = "outside"
    """Anything from the network or from other people; every tool that nobody classified."""
    UNRECORDED = "unrecorded"
    """The home keeps no conversations at all."""
    UNKNOWN = "unknown"
    """The home keeps conversations, and none can be tied to the proposal and counted whole."""


class KnownBy(StrEnum):
    """How the conversation behind a proposal was found."""

    EXACT = "exact"
    """A sidecar, the tool row that names the record, or our own reviewer says so."""
    LOG = "log"
    """The agent's log names the session within milliseconds of the record."""
    UNION = "union"
    """All sessions active in the hour before: the least trusted counts."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a conversation, as far as it is evidence."""

    session: str
    role: str
    """user, assistant or tool."""
    text: str
    at: datetime | None = None
    is_typed: bool = False
    """Whether these are the account's own typed words: no quote, paste, expansion or notice."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """What the typed words say about one text."""

    said: str = ""
    """The sentences that say it, or ask for it; empty when none do."""
    closest: str = ""
    """The sentence that comes closest; empty when none is close."""
    objection: str = ""
    """Why they do not bear it out, as a sentence; empty where nothing contradicts it."""
    own: str = ""
    """The typed sentences that may be written in its place; empty when none may."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant of a conversation besides the user and the agent."""

    name: str
    """A tool, or in a few words what else it is: attachment, group chat, context file."""
    origin: OriginClass
    detail: str = ""
    """The call or source: a command, an address, a path."""
    session: str = ""


class SeenBy(StrEnum):
    """The evidence of what an author saw of a document."""

    RECORD = "record"
    """The record or its sidecar carries the base."""
    ENTRY = "matched entry"
    """The record names the entry that it is about."""
    PROMPT = "system prompt"
    """The memory block of the session's system prompt, parsed by its own length."""
    VIEW = "skill view"
    """The row of the call in which the author viewed the skill."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The text of one document that the author of a proposal saw."""

    path: str
    text: str
    """The document, or for memories the entries joined as the home joins them. Empty: absent."""
    by: SeenBy
    is_whole: bool = True
    """Whether this is the whole document, or a part of it (a matched entry)."""


_NOTHING_SEEN: Mapping[str, Seen] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Origin:
    """The participants of the conversation behind a proposal."""

    kind: OriginClass
    known_by: KnownBy
    reason: str
    """One sentence: why it is of this class."""
    sessions: tuple[str, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    """Every typed message, and the messages that decided the class; oldest first."""
    participants: tuple[Participant, ...] = ()
    """Each once, worst first."""
    seen: Mapping[str, Seen] = field(default_factory=lambda: _NOTHING_SEEN)
    """By document path; for other documents nothing tells what the author saw."""
    began_at: datetime | None = None
    """When the earliest conversation that counts began."""
    is_settled: bool = True
    """Whether a later look cannot find more: rows and log lines follow within a minute."""
    is_approved: bool = False
    """Whether a person approved the write in the agent's own terminal."""

    @property
    def typed(self) -> tuple[Utterance, ...]:
        """The user's own typed messages."""
        return tuple(utterance for utterance in self.utterances if utterance.is_typed)


class Freshness(StrEnum):
    """How the text that an author saw compares with the live one."""

    CURRENT = "current"
    """The same."""
    APPENDED = "grown"
    """Everything seen is still there, with additions since."""
    STALE = "stale"
    """Something seen was removed or reworded."""
    UNCHANGED = "untouched"
    """Nothing tells what the author saw, and the ledger knows no change since it began."""
    CHANGED = "changed"
    """Nothing tells what the author saw, and the ledger knows a change since it began."""
    UNKNOWN = "unknown"
    """Nothing tells what the author saw, nor since when."""


@dataclass(frozen=True, slots=True)
class Currency:
    """The comparison of one document as the author saw it with the live one."""

    path: str
    standing: Freshness
    seen: Seen | None = None
    gone: tuple[str, ...] = ()
    """Seen and no longer live: entries, or lines of a skill."""
    added: tuple[str, ...] = ()
    """Live and not seen."""
