"""Where a proposal comes from: the conversation behind it, and what its author had seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType


class OriginClass(StrEnum):
    """The worst of everything that took part in a conversation before the proposal."""

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
    """All sessions active in the hour before: the worst of them counts."""
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
class Participant:
    """Something besides the user and the agent that took part in a conversation."""

    name: str
    """A tool, or in a few words what else it is: attachment, group chat, context file."""
    origin: OriginClass
    detail: str = ""
    """What was called or brought in: a command, an address, a path."""
    session: str = ""


class SeenBy(StrEnum):
    """How it is known what an author saw of a document."""

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
    """What the author of a proposal saw of one document."""

    path: str
    text: str
    """The document, or for memories the entries joined as the home joins them. Empty: absent."""
    by: SeenBy
    is_whole: bool = True
    """Whether this is the whole document, or a part of it (a matched entry)."""


_NOTHING_SEEN: Mapping[str, Seen] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Origin:
    """What took part in the conversation that a proposal comes from."""

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
    """By document path; a document that is not named: nothing tells what the author saw of it."""
    began_at: datetime | None = None
    """When the earliest conversation that counts began."""
    is_settled: bool = True
    """Whether looking again later cannot find more: rows and log lines follow within a minute."""

    @property
    def typed(self) -> tuple[Utterance, ...]:
        """The user's own typed messages."""
        return tuple(one for one in self.utterances if one.is_typed)


class Freshness(StrEnum):
    """What an author saw of a document, beside what is live."""

    CURRENT = "current"
    """The same."""
    GROWN = "grown"
    """All that was seen is still there; there are additions since."""
    STALE = "stale"
    """Something that was seen is gone or reworded."""
    UNTOUCHED = "untouched"
    """Nothing tells what the author saw, and the ledger knows no change since it began."""
    CHANGED = "changed"
    """Nothing tells what the author saw, and the ledger knows a change since it began."""
    UNKNOWN = "unknown"
    """Nothing tells what the author saw, nor since when."""


@dataclass(frozen=True, slots=True)
class Currency:
    """How what the author of a proposal saw of one document compares with what is live."""

    path: str
    standing: Freshness
    seen: Seen | None = None
    gone: tuple[str, ...] = ()
    """Seen and no longer live: entries, or lines of a skill."""
    added: tuple[str, ...] = ()
    """Live and not seen."""
