"""What a review works on: a conversation, where its model answers, and what is said. Plain values.

Messages stay in the form in which they went over the wire, since a provider's prompt cache hits
only on the very same bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
"""One JSON object."""


class Form(StrEnum):
    """Whose shape messages and tools have."""

    OPENAI = "openai"
    """Chat completions: the system prompt is the first message."""
    ANTHROPIC = "anthropic"
    """Messages: the system prompt stands beside them."""


class ApiMode(StrEnum):
    """How a provider is spoken to, in Hermes' words."""

    CHAT = "chat_completions"
    MESSAGES = "anthropic_messages"
    RESPONSES = "codex_responses"
    APP_SERVER = "codex_app_server"
    """A program that holds the conversation itself: it cannot review."""
    SCRIPTED = "scripted"
    """The fake that ships: it answers from a file."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """Where a model answers, and with whose credentials."""

    provider: str = ""
    model: str = ""
    api_mode: ApiMode = ApiMode.CHAT
    base_url: str | None = None
    """None for the provider's own."""
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 120.0
    """Seconds for one answer."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as it was sent last, with the answer that came."""

    form: Form
    messages: tuple[Json, ...]
    system: Any = None
    """What stands beside the messages; None where the system prompt is one of them."""
    tools: tuple[Json, ...] | None = None
    """None when the source does not keep them: then the cache cannot be met."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Everything else of the last request: reasoning, temperature, streaming and the like."""
    runtime: Runtime = field(default_factory=Runtime)
    session: str = ""
    parent_session: str = ""
    started_at: datetime | None = None
    """When the session began. Pinned: a fork never has a start of its own."""
    platform: str = ""
    turn: str = ""
    task: str = ""

    def snapshot(self) -> Conversation:
        """A deep copy: what the live conversation does from now on does not reach it."""
        return replace(
            self,
            messages=copy.deepcopy(self.messages),
            system=copy.deepcopy(self.system),
            tools=copy.deepcopy(self.tools),
            settings=copy.deepcopy(dict(self.settings)),
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A model asks for a tool."""

    id: str
    name: str
    arguments: str
    """JSON, as the model wrote it: it need not be any."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """One message, whatever its form."""

    role: str
    """system, user, assistant or tool."""
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What answers took, in tokens. `cached` and `written` are parts of `input`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Read from the provider's prompt cache."""
    written: int = 0
    """Put into it."""
    cost: float | None = None
    """In dollars, where the provider says it."""

    def __add__(self, other: Usage) -> Usage:
        known = [one for one in (self.cost, other.cost) if one is not None]
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.written + other.written,
            sum(known) if known else None,
        )
