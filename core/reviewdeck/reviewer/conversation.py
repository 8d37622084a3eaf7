"""The conversation under review: OpenAI and Anthropic requests, Hermes' session files and database.

What a file contains is data: it is replayed to a model and never run. Messages stay in the form in
which they were sent, since a provider's prompt cache hits only on the very same bytes.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeAlias

from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.messages import STRUCTURED, parsed
from reviewdeck.homes.hermes.session_database import DATABASE, Sessions, SessionsUnreadable, look

Json: TypeAlias = dict[str, Any]
"""One JSON object."""


class MessageForm(StrEnum):
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
class ReviewedConversation:
    """A conversation as it was sent last, with the answer that came."""

    form: MessageForm
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
    occasion: str = ""
    """Why it is reviewed now, where whoever hands it over says so."""

    def snapshot(self) -> ReviewedConversation:
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


FILE_CAP: Final = 64 * 1024 * 1024
"""Bytes of a conversation's file."""

ABOUT: Final = "reviewdeck"
"""The key beside a request under which a file may say whose conversation it is."""

_HINT: Final = (
    "It has to be a request to a model (`messages`, with `tools` and `system` where there are"
    " any), a list of messages, or a session file of Hermes."
)
_NEVER_SENT: Final = frozenset({"messages", "tools", "system", ABOUT, "api_key", "base_url"})
_WIRE_KEYS: Final = (
    *("role", "content", "name", "tool_calls", "tool_call_id"),
    *("reasoning_content", "reasoning_details"),
)


def load_conversation(path: Path) -> ReviewedConversation:
    """The conversation in a file. Raises BadInput."""
    try:
        if path.stat().st_size > FILE_CAP:
            raise BadInput(f"{path} is larger than {FILE_CAP // 1024 // 1024} MiB.")
        text = path.read_text("utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text.") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _lines_of(text, path)
    return conversation_of(value, str(path))


def _lines_of(text: str, path: Path) -> list[Any]:
    """The messages of JSON Lines, one a line. Raises BadInput."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            where = "" if number == 1 else f", nor JSON Lines: line {number} is none"
            raise BadInput(f"{path} is not JSON{where}.", hint=_HINT) from None
    return found


def conversation_of(value: object, name: str = "The conversation") -> ReviewedConversation:
    """The conversation that this JSON is. Raises BadInput."""
    if isinstance(value, list):
        value = {"messages": value}
    if not isinstance(value, dict):
        raise BadInput(f"{name} is not a conversation.", hint=_HINT)
    messages = checked_messages(value.get("messages"), name)
    if "session_id" in value and ("system_prompt" in value or "session_start" in value):
        return _hermes_session(value, messages)
    return _request(value, messages)


def checked_messages(value: object, name: str) -> tuple[Json, ...]:
    """The messages, each with a role. Raises BadInput."""
    if not isinstance(value, list) or not value:
        raise BadInput(f"{name} has no messages.", hint=_HINT)
    for number, message in enumerate(value, start=1):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise BadInput(f"Message {number} of {name} has no role.", hint=_HINT)
    return tuple(value)


def _request(value: Mapping[str, Any], messages: tuple[Json, ...]) -> ReviewedConversation:
    """A request as it went over the wire: what we do not know of it is kept and sent again."""
    form = form_of(value, messages)
    about = value.get(ABOUT)
    known = about if isinstance(about, dict) else {}
    mode = ApiMode.MESSAGES if form is MessageForm.ANTHROPIC else ApiMode.CHAT
    return ReviewedConversation(
        form=form,
        messages=messages,
        system=value.get("system"),
        tools=_tools_of(value),
        settings={key: one for key, one in value.items() if key not in _NEVER_SENT},
        runtime=Runtime(
            provider=_text(known, "provider") or form.value,
            model=_text(value, "model"),
            api_mode=mode,
            base_url=_text(value, "base_url") or None,
        ),
        session=_text(known, "session"),
        parent_session=_text(known, "parent_session"),
        started_at=moment_of(known.get("started_at")),
        platform=_text(known, "platform"),
        turn=_text(known, "turn"),
        task=_text(known, "task"),
        occasion=_text(known, "occasion"),
    )


def form_of(value: Mapping[str, Any], messages: Sequence[Json]) -> MessageForm:
    """Whose form a request has, by what only one of them has."""
    if "system" in value or any("input_schema" in one for one in _objects(value.get("tools"))):
        return MessageForm.ANTHROPIC
    for message in messages:
        if message["role"] in {"system", "developer", "tool"} or "tool_calls" in message:
            return MessageForm.OPENAI
        blocks = {one.get("type") for one in _objects(message.get("content"))}
        if blocks & {"tool_use", "tool_result", "thinking"}:
            return MessageForm.ANTHROPIC
    return MessageForm.OPENAI


def _hermes_session(value: Mapping[str, Any], messages: tuple[Json, ...]) -> ReviewedConversation:
    """A session as Hermes writes it with `sessions.write_json_snapshots`."""
    return hermes_conversation(
        messages,
        system=_text(value, "system_prompt"),
        tools=_tools_of(value),
        model=_text(value, "model"),
        base_url=_text(value, "base_url") or None,
        session=_text(value, "session_id"),
        parent_session=_text(value, "parent_session_id"),
        started_at=moment_of(value.get("session_start")),
        platform=_text(value, "platform"),
    )


def hermes_conversation(
    messages: Sequence[Json],
    *,
    system: str,
    tools: tuple[Json, ...] | None,
    model: str,
    base_url: str | None,
    session: str,
    parent_session: str,
    started_at: datetime | None,
    platform: str,
) -> ReviewedConversation:
    """A conversation that Hermes kept: chat messages, with the system prompt beside them."""
    first: list[Json] = [{"role": "system", "content": system}] if system else []
    return ReviewedConversation(
        form=MessageForm.OPENAI,
        messages=(*first, *(_as_sent(message) for message in messages)),
        tools=tools,
        settings={"model": model} if model else {},
        runtime=Runtime(model=model, base_url=base_url),
        session=session,
        parent_session=parent_session,
        started_at=started_at,
        platform=platform,
    )


def _as_sent(message: Json) -> Json:
    """A message without what Hermes keeps beside it for itself."""
    return {
        key: message[key] for key in _WIRE_KEYS if message.get(key) is not None or key == "role"
    }


def moment_of(value: object) -> datetime | None:
    """A moment from seconds or from its ISO form; None when it is neither."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _objects(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _tools_of(value: Mapping[str, Any]) -> tuple[Json, ...] | None:
    tools = value.get("tools")
    return tuple(_objects(tools)) if isinstance(tools, list) else None


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


_KEPT: Final = ("tool_calls", "reasoning_details")


def load_session(home: Path, session: str) -> ReviewedConversation:
    """A session of a home, by its id or a unique beginning of it. Raises BadInput."""
    path = home / DATABASE
    if not path.exists():
        raise BadInput(f"There is no {path}.", hint="Name the home with --home PATH.")
    try:
        return look(path, lambda database: _conversation(database, session))
    except SessionsUnreadable as error:
        raise BadInput(error.message) from error


def _conversation(database: Sessions, session: str) -> ReviewedConversation:
    found = _session(database, session)
    # What the model had before it: neither what was summed up nor what was taken back.
    messages = [_message(row) for row in database.messages(found["id"], only_active=True)]
    return hermes_conversation(
        checked_messages(messages, f"The session {found['id']}"),
        system=database.prompt(found),
        tools=None,  # Hermes keeps no tool list there: the parent's cache cannot be met.
        model=found.get("model") or "",
        base_url=None,
        session=found["id"],
        parent_session=found.get("parent_session_id") or "",
        started_at=moment_of(found.get("started_at")),
        platform=found.get("source") or "",
    )


def _session(database: Sessions, wanted: str) -> dict[str, Any]:
    found = database.beginning_with(wanted) if wanted else []
    if not found:
        raise BadInput(f"There is no session {wanted!r} in {DATABASE}.")
    if len(found) > 1 and found[0]["id"] != wanted:
        raise BadInput(f"More than one session begins with {wanted!r}.")
    return found[0]


def _message(row: dict[str, Any]) -> Json:
    message: Json = {"role": row.get("role"), "content": _content(row)}
    for key in _KEPT:
        if row.get(key):
            message[key] = parsed(row[key])
    if row.get("tool_call_id"):
        message["tool_call_id"] = row["tool_call_id"]
    return message


def _content(row: dict[str, Any]) -> Any:
    """What was sent, where that was kept beside what is shown."""
    content = row.get("api_content") if row.get("api_content") is not None else row.get("content")
    if isinstance(content, str) and content.startswith(STRUCTURED):
        return parsed(content.removeprefix(STRUCTURED))
    return content
