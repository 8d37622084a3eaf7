"""Sessions: the turns of a conversation, and what is known of where they belong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Who a message is from."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Began(StrEnum):
    """How a session came about."""

    NEW = "new"
    RESET = "reset"
    RESUME = "resume"
    BRANCH = "branch"
    COMPRESSION = "compression"

    @property
    def continues(self) -> bool:
        """Whether what its parent said was in front of the model too."""
        return self in {Began.BRANCH, Began.COMPRESSION}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a turn."""

    role: Role
    text: str
    tool: str = ""
    """The tool that an assistant's message calls, or that a tool's message is from."""
    call: str = ""
    """The id of that call."""

    @property
    def is_untrusted(self) -> bool:
        """Whether it is what a tool brought in: a page, a file, a mail that anybody may write."""
        return self.role is Role.TOOL


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said from one message of the user to the end of the answer."""

    number: int
    """Its place in its transcript, from 0."""
    at: datetime
    messages: tuple[Message, ...]
    id: str | None = None
    """The agent's own name for it: what a proposal's `turn` is compared with."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Which session this is, and which one it came from."""

    session: str
    parent: str | None = None
    began: Began = Began.NEW


@dataclass(frozen=True, slots=True)
class Transcript:
    """One document of turns: a session from when it was entered to when it was left.

    A session that is resumed gets another transcript, so a session can have several.
    """

    id: str
    lineage: Lineage
    started_at: datetime
    last_at: datetime
    """When its last turn was taken."""
    turns: int
    """How many turns it has."""
    messages: int
    """How many messages these have."""
    home: str = ""
    """The id of the agent's home; empty when the agent did not say."""
    platform: str = ""
    """Where the conversation takes place: cli, telegram, ..."""


class Mode(StrEnum):
    """What a sink is sent of a transcript."""

    APPEND = "append"
    """Only what is new."""
    REPLACE = "replace"
    """All of it, each time."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns on their way to a sink, in order, with the transcript as it was at the last of them."""

    transcript: Transcript
    turns: tuple[Turn, ...]
    mode: Mode = Mode.APPEND

    @property
    def first(self) -> int:
        """The number of its first turn. What a sink has before that stays."""
        return self.turns[0].number
