"""A conversation as plain values, whichever program kept it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from reviewdeck.model import Participant
from reviewdeck.origin.tools import TOOLS, Tools
from reviewdeck.values import dataclass

_NO_ARGUMENTS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """An assistant's message asks for a tool."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=lambda: _NO_ARGUMENTS)
    id: str = ""
    is_readable: bool = True
    """Whether the arguments were an object that could be read."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message, as it was kept."""

    id: int
    """Its place: rows are in the order of their ids, whatever their times say."""
    role: str
    text: str
    at: datetime | None = None
    calls: tuple[ToolCall, ...] = ()
    tool: str = ""
    """The tool that a result says it is from: of an unknown tool, nothing."""
    call: str = ""
    """The id of the call that a result answers."""
    added: str = ""
    """Text that the model was sent beyond the message."""
    is_observed: bool = False
    """Somebody else said it where the agent could hear it."""
    is_mirrored: bool = False
    """An assistant's message that no model wrote here."""
    is_compacted: bool = False
    """Whether it was summed up since, and is kept for the record."""
    is_rewound: bool = False
    """Whether the user took it back: it took part, and says nothing any more."""
    is_summary: bool = False
    """Whether it holds a summary of messages before it."""
    is_cut: bool = False
    """Whether it is longer than what is read of a message."""


class SessionPart(StrEnum):
    """The part that a session has in a conversation."""

    OWN = "own"
    """The conversation itself."""
    ANCESTOR = "ancestor"
    """An earlier session that this one goes on from."""
    DELEGATED = "delegated"
    """An agent that was sent to work."""
    RECALLED = "recalled"
    """An earlier session that the agent searched."""


@dataclass(frozen=True, slots=True)
class SessionRows:
    """One session, as far as it counts."""

    id: str
    source: str = ""
    """The platform: cli, tui, telegram, cron, ..."""
    rows: tuple[MessageRow, ...] = ()
    part: SessionPart = SessionPart.OWN
    chat_type: str = ""
    user_id: str = ""
    started_at: datetime | None = None
    cwd: str = ""
    models: tuple[str, ...] = ()
    """The models that answered: name, provider and address, as far as they are kept."""
    sent_by: str = ""
    """Of an agent that was sent, the call or the session that it has in common with what goes on
    from it; empty where it is one by itself."""
    has_context_files: bool = False
    """Whether its system prompt holds files of the working directory."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything that took part, with what is needed to tell whose it is."""

    sessions: tuple[SessionRows, ...]
    missing: str = ""
    """The reason why it cannot be counted whole, as a sentence; empty when it can."""
    pastes: tuple[str, ...] = ()
    """Texts that are known to have been pasted."""
    own_skills: frozenset[str] | None = None
    """Names of skills that only the gate or the agent's maker put there; None: nobody knows."""
    also: tuple[Participant, ...] = ()
    """Participants that a log or a sidecar names beside the rows."""
    own_files: frozenset[str] = frozenset()
    """Paths in calls, joined to the session's folder, that are of the agent's own memory."""
    tools: Tools = field(default_factory=lambda: TOOLS)
    """The agent's tools, by what decides the class of their calls."""

    @property
    def began_at(self) -> datetime | None:
        """When the earliest session that counts began; None when one of them does not say."""
        counted = [session for session in self.sessions if session.part is not SessionPart.RECALLED]
        moments = [session.started_at for session in counted]
        known = [moment for moment in moments if moment is not None]
        return min(known) if known and len(known) == len(moments) else None
