"""What was read of a conversation, whoever kept it: plain values for whoever classifies them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from reviewdeck.model import Participant
from reviewdeck.origin.tools import TOOLS, Tools

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
    """What the model was sent beyond the text."""
    is_observed: bool = False
    """Somebody else said it where the agent could hear it."""
    is_mirrored: bool = False
    """An assistant's message that no model wrote here."""
    is_compacted: bool = False
    """It was summed up, and is kept for the record."""
    is_cut: bool = False
    """It is longer than what is read of a message."""


class SessionPart(StrEnum):
    """Why a session counts."""

    OWN = "own"
    """The conversation itself."""
    ANCESTOR = "ancestor"
    """What it goes on from."""
    DELEGATED = "delegated"
    """An agent that was sent to work."""
    RECALLED = "recalled"
    """An earlier session that the agent searched."""


@dataclass(frozen=True, slots=True)
class SessionRows:
    """One session, as far as it counts."""

    id: str
    source: str = ""
    """Where it takes place: cli, tui, telegram, cron, ..."""
    rows: tuple[MessageRow, ...] = ()
    part: SessionPart = SessionPart.OWN
    chat_type: str = ""
    user_id: str = ""
    started_at: datetime | None = None
    cwd: str = ""
    models: tuple[str, ...] = ()
    """Who answered: the model's name, its provider and address, as far as they are kept."""
    has_context_files: bool = False
    """Whether its system prompt holds files of the working directory."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything that took part, with what is needed to tell whose it is."""

    sessions: tuple[SessionRows, ...]
    missing: str = ""
    """Why it cannot be counted whole, as a sentence; empty when it can."""
    pastes: tuple[str, ...] = ()
    """Texts that are known to have been pasted."""
    own_skills: frozenset[str] | None = None
    """Names of skills that only the gate or the agent's maker put there; None: nobody knows."""
    also: tuple[Participant, ...] = ()
    """What took part by another account than the rows: a log, a sidecar."""
    tools: Tools = field(default_factory=lambda: TOOLS)
    """The agent's tools, by what decides the class of their calls."""

    @property
    def began_at(self) -> datetime | None:
        """When the earliest session that counts began; None when one of them does not say."""
        counted = [session for session in self.sessions if session.part is not SessionPart.RECALLED]
        moments = [session.started_at for session in counted]
        known = [moment for moment in moments if moment is not None]
        return min(known) if known and len(known) == len(moments) else None
