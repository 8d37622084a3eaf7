"""The conversation under review: OpenAI and Anthropic requests, Hermes' session files and database.

The content of a file is data: it is replayed to a model and never executed. Messages stay in the
form in which they were sent, since a provider's prompt cache needs identical bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeAlias

from reviewdeck.agents.hermes.kit import members, objects, parsed, text_at
from reviewdeck.clock import moment_from
from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.messages import STRUCTURED
from reviewdeck.homes.hermes.session_database import DATABASE, Sessions, read_sessions
from reviewdeck.homes.sqlite_reads import DatabaseUnreadable
from reviewdeck.reviewer.other_forms import REASONING_ITEMS, as_chat, is_responses
from reviewdeck.text.json import json_object, load_json
from reviewdeck.text.lines import bare_lines

Json: TypeAlias = dict[str, Any]
"""One JSON object."""


class MessageForm(StrEnum):
    """The wire format of messages and tools."""

    OPENAI = "openai"
    """Chat completions: the system prompt is the first message."""
    ANTHROPIC = "anthropic"
    """Messages: the system prompt is a separate field."""


class ApiMode(StrEnum):
    """The API of a provider, by Hermes' names."""

    CHAT = "chat_completions"
    MESSAGES = "anthropic_messages"
    RESPONSES = "codex_responses"
    APP_SERVER = "codex_app_server"
    """A program that stores the conversation itself: it cannot review."""
    SCRIPTED = "scripted"
    """The fake model of the demo and the tests, which answers from a file."""


def provider_name(word: str) -> str:
    """A provider's name as it is compared: without capitals and surrounding white space."""
    return word.strip().lower()


@dataclass(frozen=True, slots=True)
class Runtime:
    """The endpoint and credentials of a model."""

    provider: str = ""
    model: str = ""
    api_mode: ApiMode = ApiMode.CHAT
    base_url: str | None = None
    """None for the provider's default, which only OpenAI and Anthropic have."""
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 120.0
    """Seconds for one answer."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "provider", provider_name(self.provider))


@dataclass(frozen=True, slots=True)
class ReviewedConversation:
    """The last request of a conversation, with its answer."""

    form: MessageForm
    messages: tuple[Json, ...]
    system: Any = None
    """The separate system prompt; None where it is one of the messages."""
    tools: tuple[Json, ...] | None = None
    """None when the source does not store them: then the prompt cache cannot be hit."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The other fields of the last request: reasoning, temperature, streaming and the like."""
    runtime: Runtime = field(default_factory=Runtime)
    session: str = ""
    parent_session: str = ""
    started_at: datetime | None = None
    """When the session began; a fork has the same start."""
    platform: str = ""
    turn: str = ""
    task: str = ""
    folder: str = ""
    """The folder that the agent worked in, if the source says so."""
    occasion: str = ""
    """Why it is reviewed now, if the source says so."""
    is_rebuilt: bool = False
    """Whether the messages come from the agent's store, with fields that not every provider takes:
    they were not sent like that."""

    def snapshot(self) -> ReviewedConversation:
        """A deep copy, unaffected by later changes of the live conversation."""
        return replace(
            self,
            messages=copy.deepcopy(self.messages),
            system=copy.deepcopy(self.system),
            tools=copy.deepcopy(self.tools),
            settings=copy.deepcopy(dict(self.settings)),
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of a model."""

    id: str
    name: str
    arguments: str
    """JSON as the model wrote it, possibly invalid."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """One message, independent of its wire format."""

    role: str
    """system, user, assistant or tool."""
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens used by answers. `cached` and `written` are parts of `input`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Read from the provider's prompt cache."""
    written: int = 0
    """Written to it."""
    cost: float | None = None
    """In dollars, if the provider reports it."""

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.written + other.written,
            sum(costs) if costs else None,
        )


FILE_CAP: Final = 64 * 1024 * 1024
"""Bytes of a conversation's file."""

ABOUT: Final = "reviewdeck"
"""The key beside a request under which a file may describe its conversation."""

_HINT: Final = (
    "It has to be a request to a model (`messages`, with `tools` and `system` where there are"
    " any; or of the Responses API), a list of messages, a session file of Hermes or a transcript"
    " of Claude Code."
)
_NEVER_SENT: Final = frozenset({"messages", "tools", "system", ABOUT, "api_key", "base_url"})
_WIRE_KEYS: Final = (
    *("role", "content", "name", "tool_calls", "tool_call_id"),
    *("reasoning", "reasoning_content", "reasoning_details", REASONING_ITEMS),
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
        value = load_json(text)
    except ValueError:
        transcript = transcript_lines(text)
        value = request_of(transcript) if transcript else _lines_of(text, path)
    return conversation_of(value, str(path))


def _lines_of(text: str, path: Path) -> list[Any]:
    """The messages of JSON Lines, one a line. Raises BadInput."""
    messages = []
    for number, line in enumerate(bare_lines(text), start=1):
        if not line.strip():
            continue
        try:
            messages.append(load_json(line))
        except ValueError:
            where = "" if number == 1 else f", nor JSON Lines: line {number} is none"
            raise BadInput(f"{path} is not JSON{where}.", hint=_HINT) from None
    return messages


def conversation_of(value: object, name: str = "The conversation") -> ReviewedConversation:
    """Parses a conversation from JSON. Raises BadInput."""
    if isinstance(value, list):
        is_shared = all(isinstance(turn, dict) and "from" in turn for turn in value)
        value = {"conversations" if is_shared else "messages": value}
    if not isinstance(value, dict):
        raise BadInput(f"{name} is not a conversation.", hint=_HINT)
    is_of_responses, value = is_responses(value), as_chat(value)
    messages = checked_messages(value.get("messages"), name)
    if is_of_responses:
        request = _request(value, messages)
        runtime = replace(request.runtime, api_mode=ApiMode.RESPONSES)
        return replace(request, form=MessageForm.OPENAI, runtime=runtime)
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
    """A request as it was sent; its unknown fields are preserved and sent again."""
    form = form_of(value, messages)
    details = members(value.get(ABOUT))
    mode = ApiMode.MESSAGES if form is MessageForm.ANTHROPIC else ApiMode.CHAT
    return ReviewedConversation(
        form=form,
        messages=messages,
        system=value.get("system"),
        tools=_tools_of(value),
        settings={key: setting for key, setting in value.items() if key not in _NEVER_SENT},
        runtime=Runtime(
            provider=text_at(details, "provider") or form.value,
            model=text_at(value, "model"),
            api_mode=mode,
            base_url=text_at(value, "base_url") or None,
        ),
        session=text_at(details, "session"),
        parent_session=text_at(details, "parent_session"),
        started_at=moment_from(details.get("started_at")),
        platform=text_at(details, "platform"),
        turn=text_at(details, "turn"),
        task=text_at(details, "task"),
        folder=text_at(details, "folder"),
        occasion=text_at(details, "occasion"),
    )


def form_of(value: Mapping[str, Any], messages: Sequence[Json]) -> MessageForm:
    """The wire format of a request, detected by fields that only one format has."""
    if "system" in value or any("input_schema" in tool for tool in objects(value.get("tools"))):
        return MessageForm.ANTHROPIC
    for message in messages:
        if message["role"] in {"system", "developer", "tool"} or "tool_calls" in message:
            return MessageForm.OPENAI
        kinds = [block.get("type") for block in objects(message.get("content"))]
        if any(kind in ("tool_use", "tool_result", "thinking") for kind in kinds):
            return MessageForm.ANTHROPIC
    return MessageForm.OPENAI


def _hermes_session(value: Mapping[str, Any], messages: tuple[Json, ...]) -> ReviewedConversation:
    """A session as Hermes writes it with `sessions.write_json_snapshots`."""
    return hermes_conversation(
        messages,
        system=text_at(value, "system_prompt"),
        tools=_tools_of(value),
        model=text_at(value, "model"),
        base_url=text_at(value, "base_url") or None,
        session=text_at(value, "session_id"),
        parent_session=text_at(value, "parent_session_id"),
        started_at=moment_from(value.get("session_start")),
        platform=text_at(value, "platform"),
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
    """A conversation stored by Hermes: chat messages, and the system prompt apart."""
    first: list[Json] = [{"role": "system", "content": system}] if system else []
    return ReviewedConversation(
        form=MessageForm.OPENAI,
        messages=(*first, *(_wire_fields(message) for message in messages)),
        tools=tools,
        settings={"model": model} if model else {},
        runtime=Runtime(model=model, base_url=base_url),
        is_rebuilt=True,
        session=session,
        parent_session=parent_session,
        started_at=started_at,
        platform=platform,
    )


def _wire_fields(message: Json) -> Json:
    """A message without the fields that Hermes adds for itself."""
    return {
        key: message[key] for key in _WIRE_KEYS if message.get(key) is not None or key == "role"
    }


def _tools_of(value: Mapping[str, Any]) -> tuple[Json, ...] | None:
    tools = value.get("tools")
    return tuple(objects(tools)) if isinstance(tools, list) else None


_JSON_FIELDS: Final = ("tool_calls", "reasoning_details", REASONING_ITEMS)
_TEXT_FIELDS: Final = ("tool_call_id", "reasoning", "reasoning_content")


def load_session(home: Path, session: str) -> ReviewedConversation:
    """A session of a home, by its id or a unique prefix of it. Raises BadInput."""
    path = home / DATABASE
    if not path.exists():
        raise BadInput(f"There is no {path}.", hint="Name the home with --home PATH.")
    try:
        return read_sessions(path, lambda database: _conversation(database, session))
    except DatabaseUnreadable as error:
        raise BadInput(error.sentence) from error


def _conversation(database: Sessions, session: str) -> ReviewedConversation:
    rows = database.with_id_prefix(session) if session else []
    if not rows:
        raise BadInput(f"There is no session {session!r} in {DATABASE}.")
    if len(rows) > 1 and rows[0]["id"] != session:
        raise BadInput(f"More than one session begins with {session!r}.")
    session_row = rows[0]
    # Only what the model saw last: no summarised and no retracted messages.
    messages = [_message(row) for row in database.messages(session_row["id"], only_active=True)]
    return hermes_conversation(
        checked_messages(messages, f"The session {session_row['id']}"),
        system=database.prompt(session_row),
        tools=None,  # Hermes stores no tool list there: the parent's cache cannot be hit.
        model=session_row.get("model") or "",
        base_url=None,
        session=session_row["id"],
        parent_session=session_row.get("parent_session_id") or "",
        started_at=moment_from(session_row.get("started_at")),
        platform=session_row.get("source") or "",
    )


def _message(row: dict[str, Any]) -> Json:
    message: Json = {"role": row.get("role"), "content": _content(row)}
    for key in _JSON_FIELDS:
        if row.get(key):
            message[key] = parsed(row[key])
    return message | {key: row[key] for key in _TEXT_FIELDS if row.get(key)}


def _content(row: dict[str, Any]) -> Any:
    """The content as sent, if it is stored beside the displayed one."""
    content = row.get("api_content") if row.get("api_content") is not None else row.get("content")
    if isinstance(content, str) and content.startswith(STRUCTURED):
        return parsed(content.removeprefix(STRUCTURED))
    return content


_ROLES: Final = ("user", "assistant")
_KEPT: Final = ("text", "tool_use", "tool_result")
"""The blocks that a review is given: thinking is for its author, and images say little."""


def transcript_lines(text: str) -> Sequence[Mapping[str, Any]]:
    """The lines of a transcript; none where the text is something else. A torn line is skipped."""
    values = map(json_object, bare_lines(text))
    lines = [value for value in values if value is not None]
    return lines if any(map(_is_message, lines)) else []


def _is_message(line: Mapping[str, Any]) -> bool:
    has_text = isinstance(line.get("message"), dict)
    return line.get("type") in _ROLES and has_text and isinstance(line.get("uuid"), str)


def request_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The request that a transcript's last message would be part of: what the model saw last.

    The file has a line for each block of an answer and for each result, with its predecessor. It
    keeps neither the system prompt nor the tools, so a review cannot use the parent's prompt cache.
    """
    chain = _chain([line for line in lines if isinstance(line.get("uuid"), str)])
    messages: list[dict[str, Any]] = []
    for line in chain:
        if _is_message(line):
            role, blocks = line["type"], list(_blocks(line["message"].get("content")))
            if not blocks:
                continue
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += blocks
            else:
                messages.append({"role": role, "content": blocks})
    first = next(iter(chain), {})
    models = [str(line["message"].get("model") or "") for line in chain if _is_message(line)]
    turns = [line["promptId"] for line in chain if isinstance(line.get("promptId"), str)]
    return {
        "model": next((model for model in reversed(models) if model[:1] not in ("", "<")), ""),
        "system": None,
        "messages": messages,
        "reviewdeck": {
            "provider": "anthropic",
            "session": first.get("sessionId"),
            "turn": turns[-1] if turns else None,
            "platform": first.get("entrypoint") or "cli",
            "started_at": first.get("timestamp"),
            "folder": first.get("cwd"),
        },
    }


def _chain(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The last message of the session itself and its predecessors, to where it was summed up."""
    by_id = {line["uuid"]: line for line in lines if not line.get("isSidechain")}
    chain: list[Mapping[str, Any]] = []
    line = next((by_id[id] for id in reversed(by_id) if _is_message(by_id[id])), None)
    while line is not None:
        chain.append(line)
        line = by_id.pop(line["uuid"], None) and by_id.get(str(line.get("parentUuid") or ""))
    return chain[::-1]


def _blocks(content: object) -> Iterator[dict[str, Any]]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in objects(content):
        if block.get("type") not in _KEPT:
            continue
        if block["type"] != "text" or str(block.get("text") or "").strip():
            yield block
