"""Sessions: the turns of a conversation and their context; and runs of the background reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from reviewdeck.values import dataclass


class Role(StrEnum):
    """Who a message is from."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Began(StrEnum):
    """How a session began."""

    NEW = "new"
    RESET = "reset"
    RESUME = "resume"
    BRANCH = "branch"
    COMPRESSION = "compression"

    @property
    def continues(self) -> bool:
        """Whether the model saw its parent's messages too."""
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
        """Whether it is a tool's output: a page, a file, a mail that anybody may have written."""
        return self.role is Role.TOOL


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages from one message of the user to the end of the answer."""

    number: int
    """Its place in its transcript, from 0."""
    at: datetime
    messages: tuple[Message, ...]
    id: str | None = None
    """The agent's own id for it: a proposal's `turn` names it."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """A session and its parent."""

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


class SessionMode(StrEnum):
    """The part of a transcript that a sink is sent."""

    APPEND = "append"
    """New turns only."""
    REPLACE = "replace"
    """The whole transcript, each time."""


@dataclass(frozen=True, slots=True)
class TurnBatch:
    """Turns on their way to a sink, in order, with the transcript as it was at the last of them."""

    transcript: Transcript
    turns: tuple[Turn, ...]
    mode: SessionMode = SessionMode.APPEND

    @property
    def first(self) -> int:
        """The number of its first turn. Earlier turns of a sink stay."""
        return self.turns[0].number


@dataclass(frozen=True, slots=True)
class ReviewRun:
    """One review of one conversation."""

    id: str
    home: str
    session: str
    occasion: str
    """turn, reset, session-end, compaction or command."""
    started_at: datetime
    finished_at: datetime
    ending: str
    """done, cancelled, failed, or the limit that was met."""
    detail: str = ""
    """For a failure, the provider's message; else what the model said last, redacted and in one
    line. A note of a fallback precedes it."""
    provider: str = ""
    model: str = ""
    is_routed: bool = False
    prompts: str = ""
    """The version of the prompts."""
    iterations: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Input tokens from the provider's prompt cache."""
    cost: float | None = None
    """In dollars; None when the provider does not say."""
    shared: float | None = None
    """The share of the conversation's last request that was sent again byte for byte, 0 to 1."""
    saved_tokens: int = 0
    """About how many tokens a digest saved."""
    denied: Mapping[str, int] = field(default_factory=dict)
    """Tools that the model tried and that do not run, with how often."""
    proposals: tuple[str, ...] = ()
    """The proposals it staged."""


@dataclass(frozen=True, slots=True)
class ReviewTotals:
    """The totals over the reviews of some homes."""

    runs: int = 0
    failed: int = 0
    proposals: int = 0
    denied: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    """The sum of the known costs."""
    last: datetime | None = None

    def __add__(self, other: ReviewTotals) -> ReviewTotals:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        moments = [moment for moment in (self.last, other.last) if moment is not None]
        return ReviewTotals(
            self.runs + other.runs,
            self.failed + other.failed,
            self.proposals + other.proposals,
            self.denied + other.denied,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            sum(costs) if costs else None,
            max(moments, default=None),
        )
