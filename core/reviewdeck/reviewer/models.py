"""Language models: one request in, one answer or failure out; and the choice of the model.

Messages are parsed from and rendered to each provider's format. Message content never raises:
unknown content has no text. A vendor's library is imported when it is needed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from typing import Any, Final, Protocol, TypeAlias

from reviewdeck.agents.hermes.kit import members
from reviewdeck.errors import BadInput
from reviewdeck.reviewer.addresses import addressed
from reviewdeck.reviewer.conversation import (
    ApiMode,
    Call,
    Json,
    MessageForm,
    ParsedMessage,
    Result,
    Runtime,
    Usage,
    provider_name,
)
from reviewdeck.reviewer.endings import ExchangeEnd, ReviewEnding
from reviewdeck.text.json import json_object


class FailureKind(StrEnum):
    """Why a request was not answered."""

    RATE_LIMIT = "rate-limit"
    OVERLOADED = "overloaded"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    CUT = "cut-stream"
    """The answer stopped before its end."""
    MALFORMED = "malformed-answer"
    REFUSED = "refused"
    """The provider will never answer this: a wrong key, model or request."""
    CONTEXT = "context-too-small"
    """The request is longer than the model's context: a digest may fit."""
    FILTERED = "filtered"
    """A filter of the provider held the request back."""
    CERTIFICATE = "certificate"
    """The server does not prove who it is: nothing was sent."""
    CANCELLED = "cancelled"

    @property
    def is_transient(self) -> bool:
        """Whether a retry may help."""
        return self in _TRANSIENT

    @property
    def hint(self) -> str:
        """What to do where nobody knows more about it."""
        return _HINTS.get(self, "")


_TRANSIENT: Final = frozenset(
    {
        *(FailureKind.RATE_LIMIT, FailureKind.OVERLOADED, FailureKind.CONNECTION),
        *(FailureKind.TIMEOUT, FailureKind.CUT, FailureKind.MALFORMED),
    }
)
_LATER: Final = "Run the same command again later."
_HINTS: Final = {
    FailureKind.RATE_LIMIT: _LATER,
    FailureKind.OVERLOADED: _LATER,
    FailureKind.CONNECTION: "See whether it runs, and whether its address is right (--base-url).",
    FailureKind.TIMEOUT: "Run the same command again later, or with a longer --timeout.",
    FailureKind.CUT: _LATER,
    FailureKind.MALFORMED: "See whether its address is that of a model's API (--base-url).",
    FailureKind.REFUSED: "See what the account and the model allow, or name another with --model.",
    FailureKind.CONTEXT: "Say --digest, or --typed for memory alone, or name another model.",
    FailureKind.CERTIFICATE: (
        "Nothing was sent. If the server is yours, name its certificate in SSL_CERT_FILE."
    ),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that was not answered."""

    kind: FailureKind
    message: str
    retry_after: float | None = None
    """Seconds to wait, if the provider says so."""
    hint: str = ""
    """What to do about it; empty where nobody knows more than its kind says."""

    @property
    def told(self) -> ReviewEnding:
        """The end of a review at this failure."""
        match self.kind:
            case FailureKind.CANCELLED:
                return ExchangeEnd.CANCELLED.told()
            case FailureKind.FILTERED:
                end = ExchangeEnd.FILTERED
            case _:
                end = ExchangeEnd.FAILED
        hint = self.hint or end.hint or self.kind.hint
        reason = f"{self.kind.value}: {self.message}"
        return ReviewEnding(end, reason, hint, self.kind.is_transient)


CANCELLED: Final = Failure(FailureKind.CANCELLED, "The review was cancelled.")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request, in the form of its model."""

    messages: tuple[Json, ...]
    system: Any = None
    tools: tuple[Json, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer."""

    message: Json
    """The message to send back in the next request."""
    text: str
    calls: tuple[Call, ...]
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"
    """Why the model stopped, in the provider's word."""
    early: ExchangeEnd | None = None
    """Why the answer is no whole one: truncated, refused or filtered; None for a whole one."""
    is_paused: bool = False
    """Whether the provider asks to be sent this answer again, and then goes on with it."""
    said: str = ""
    """What the provider said about an early end."""

    @property
    def is_empty(self) -> bool:
        """Whether it has neither text nor calls, and nobody says why."""
        has_reason = self.early is not None or self.is_paused
        return not (self.calls or self.text.strip() or has_reason)


Answer: TypeAlias = Reply | Failure


class Cancel:
    """A one-way signal to stop a review, from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._hooks: list[Callable[[], None]] = []

    def __call__(self) -> None:
        """Sets the signal and calls the hooks, which abort running requests."""
        with self._lock:
            self._event.set()
            hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits for the signal, at most `seconds`; returns whether it is set."""
        return self._event.wait(seconds)

    @contextmanager
    def listening(self, hook: Callable[[], None]) -> Iterator[None]:
        """A context in which the signal calls `hook`; at once if it is already set."""
        with self._lock:
            is_set = self._event.is_set()
            if not is_set:
                self._hooks.append(hook)
        if is_set:
            hook()
        try:
            yield
        finally:
            with self._lock:
                if hook in self._hooks:
                    self._hooks.remove(hook)


class Model(Protocol):
    """A language model."""

    @property
    def host(self) -> str:
        """Where its requests go, as host and port; empty if nothing is sent."""

    @property
    def form(self) -> MessageForm:
        """The form of its requests and of the messages in its replies."""

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """Answers one request, without retries. Never raises; stops soon after `cancel`."""

    def close(self) -> None: ...


_ADAPTERS: Final = {
    ApiMode.CHAT: ("openai", "reviewdeck.reviewer.openai_chat"),
    ApiMode.RESPONSES: ("openai", "reviewdeck.reviewer.openai_responses"),
    ApiMode.MESSAGES: ("anthropic", "reviewdeck.reviewer.anthropic"),
}


def open_model(runtime: Runtime) -> Model:
    """Opens the model of a runtime. Raises BadInput when that is impossible.

    A runtime has an address, unless its provider is the maker of the library that asks it.
    """
    if not runtime.model:
        raise BadInput("No model is named.", hint="Name one with --model, or use --script FILE.")
    if runtime.api_mode not in _ADAPTERS:
        raise BadInput(f"The mode {runtime.api_mode} cannot review.")
    runtime = addressed(runtime)
    extra, module = _ADAPTERS[runtime.api_mode]
    try:
        opened: Model = import_module(module).open_model(runtime)
    except ModuleNotFoundError as error:
        if error.name != extra:
            raise
        raise BadInput(
            f"The library {extra} is not installed.",
            hint=f"Install it with: pip install 'reviewdeck[{extra}]'",
        ) from None
    return opened


AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Route:
    """The configured model for reviews, if it is not the conversation's own."""

    provider: str = ""
    model: str = ""
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float | None = None
    """Seconds for one answer."""
    api_mode: ApiMode | None = None
    """By default the provider's."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "provider", provider_name(self.provider))


@dataclass(frozen=True, slots=True)
class Routed:
    """The model chosen for a review."""

    runtime: Runtime
    is_routed: bool
    reason: str
    """The reason for the choice, in one sentence."""


def choose(route: Route | None, parent: Runtime) -> Routed:
    """Chooses the runtime of a review; without a route the parent's own, with its credentials."""
    parent_runtime = replace(parent, api_mode=reviewing_mode(parent.api_mode))
    if route is None or not _is_another(route, parent):
        return Routed(parent_runtime, False, "No other model is named for reviews.")
    if (route.provider, route.model) == (parent.provider, parent.model) and (
        route.base_url in (None, parent.base_url)
    ):
        return Routed(
            parent_runtime, False, "The model that is named for reviews is the conversation's own."
        )
    mode = route.api_mode or mode_of(route.provider)
    runtime = Runtime(
        provider=route.provider,
        model=route.model if _is_set(route.model) else "",
        api_mode=reviewing_mode(mode),
        base_url=route.base_url,
        api_key=route.api_key,
        timeout=parent.timeout if route.timeout is None else route.timeout,
    )
    return Routed(runtime, True, f"Reviews go to {route.model}, with a digest.")


def _is_another(route: Route, parent: Runtime) -> bool:
    """Whether a route names another model; another provider without a model is one, and fails."""
    if not _is_set(route.provider):
        return False
    return _is_set(route.model) or route.provider != parent.provider


def reviewing_mode(mode: ApiMode) -> ApiMode:
    """The mode for reviews: an app server stores its own thread and is replaced by Responses."""
    return ApiMode.RESPONSES if mode is ApiMode.APP_SERVER else mode


def mode_of(provider: str) -> ApiMode:
    """The API of a provider, by its name."""
    match provider:
        case "anthropic":
            return ApiMode.MESSAGES
        case "openai-codex":
            return ApiMode.RESPONSES
        case "scripted":
            return ApiMode.SCRIPTED
        case _:
            return ApiMode.CHAT


def _is_set(word: str) -> bool:
    return bool(word) and word != AUTO


SYSTEM_ROLES = frozenset({"system", "developer"})


def read(message: Json, form: MessageForm) -> ParsedMessage:
    """Parses one message."""
    role = str(message.get("role") or "")
    if form is MessageForm.ANTHROPIC:
        return _read_blocks(role, message.get("content"))
    text = text_of(message.get("content"))
    if role == "tool":
        return ParsedMessage(
            "tool", results=(Result(str(message.get("tool_call_id") or ""), text),)
        )
    role = "system" if role in SYSTEM_ROLES else role
    return ParsedMessage(role, text, calls=_openai_calls(message.get("tool_calls")))


def text_of(content: object) -> str:
    """The text of a message's content: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def _openai_calls(calls: object) -> tuple[Call, ...]:
    parsed = []
    for call in calls if isinstance(calls, list | tuple) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments")
            text = arguments if isinstance(arguments, str) else _dump(arguments)
            parsed.append(Call(str(call.get("id") or ""), str(function.get("name") or ""), text))
    return tuple(parsed)


def _read_blocks(role: str, content: object) -> ParsedMessage:
    blocks = content if isinstance(content, list | tuple) else ()
    typed_blocks = [block for block in blocks if isinstance(block, dict)]
    calls = tuple(
        Call(str(block.get("id") or ""), str(block.get("name") or ""), _dump(block.get("input")))
        for block in typed_blocks
        if block.get("type") == "tool_use"
    )
    results = tuple(
        Result(str(block.get("tool_use_id") or ""), text_of(block.get("content")))
        for block in typed_blocks
        if block.get("type") == "tool_result"
    )
    return ParsedMessage(role, text_of(content), calls, results)


def _dump(value: object) -> str:
    return json.dumps({} if value is None else value, ensure_ascii=False)


def write(parsed: ParsedMessage, form: MessageForm) -> list[Json]:
    """Renders a message; several where each tool result is its own message."""
    if form is MessageForm.ANTHROPIC:
        return [_anthropic_message(parsed)]
    if parsed.results:
        answers: list[Json] = [
            {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
            for result in parsed.results
        ]
        return answers + ([{"role": "user", "content": parsed.text}] if parsed.text else [])
    message: Json = {"role": parsed.role, "content": parsed.text or None}
    if parsed.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in parsed.calls
        ]
    elif not parsed.text:
        message["content"] = ""
    return [message]


def _anthropic_message(parsed: ParsedMessage) -> Json:
    role = "user" if parsed.role in {"tool", "user"} else "assistant"
    if not parsed.calls and not parsed.results:
        return {"role": role, "content": parsed.text or "(nothing)"}
    blocks: list[Json] = [
        {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text}
        for result in parsed.results
    ]
    if parsed.text:
        blocks.append({"type": "text", "text": parsed.text})
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call) or {}}
        for call in parsed.calls
    ]
    return {"role": role, "content": blocks}


def arguments_of(call: Call) -> Json | None:
    """The arguments of a call; None when they are not one JSON object."""
    return json_object(call.arguments or "{}")


def convert(messages: Sequence[Json], form: MessageForm, to: MessageForm) -> tuple[Any, list[Json]]:
    """The system prompt and the messages in another form; unchanged if it is the same."""
    if form is to:
        return None, list(messages)
    parsed = [read(message, form) for message in messages]
    system = "\n\n".join(message.text for message in parsed if message.role == "system")
    dialogue = _join_results(message for message in parsed if message.role != "system")
    return system or None, [part for message in dialogue for part in write(message, to)]


def _join_results(messages: Iterable[ParsedMessage]) -> list[ParsedMessage]:
    """Joins consecutive tool results into one message, which Anthropic requires."""
    joined: list[ParsedMessage] = []
    for message in messages:
        if message.role == "tool" and joined and joined[-1].role == "tool":
            joined[-1] = ParsedMessage("tool", results=joined[-1].results + message.results)
        else:
            joined.append(message)
    return joined


def convert_tools(tools: Iterable[Json], form: MessageForm, to: MessageForm) -> list[Json]:
    """Tool definitions in another form; unchanged if it is the same."""
    return [tool if form is to else _convert_tool(tool, to) for tool in tools]


def _convert_tool(tool: Json, to: MessageForm) -> Json:
    if to is MessageForm.ANTHROPIC:
        function = members(tool.get("function"))
        schema = function.get("parameters") or {"type": "object", "properties": {}}
        about = {"name": function.get("name", ""), "description": function.get("description", "")}
        return about | {"input_schema": schema}
    about = {"name": tool.get("name", ""), "description": tool.get("description", "")}
    return {"type": "function", "function": about | {"parameters": tool.get("input_schema") or {}}}


def tool_name(tool: Json) -> str:
    """The name in a tool definition of either form."""
    definition = members(tool.get("function")) or tool
    return str(definition.get("name") or "")


def is_tool_result(message: Json, form: MessageForm) -> bool:
    """Whether a message has tool results, and so cannot be the first."""
    return bool(read(message, form).results)


def without_open_calls(messages: Sequence[Json], form: MessageForm) -> tuple[Json, ...]:
    """The messages without unanswered calls at their end, which no provider accepts."""
    trimmed = list(messages)
    while trimmed:
        for start in range(len(trimmed) - 1, -1, -1):
            if not is_tool_result(trimmed[start], form):
                break
        else:
            break
        call_ids = {call.id for call in read(trimmed[start], form).calls}
        answered = {
            result.call_id for m in trimmed[start + 1 :] for result in read(m, form).results
        }
        if call_ids <= answered:
            break
        del trimmed[start:]
    return tuple(trimmed)
