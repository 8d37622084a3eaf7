"""Language models: one request in, one answer or one failure out; and which model reviews.

Messages are read from and written to each provider's form. Nothing here raises for the content of
a message: what is not understood has no text. A vendor's library is imported when it is needed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeAlias

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.conversation import (
    ApiMode,
    Call,
    Json,
    MessageForm,
    Result,
    Runtime,
    Said,
    Usage,
)


class FailureKind(StrEnum):
    """What became of a request that was not answered."""

    RATE_LIMIT = "rate-limit"
    OVERLOADED = "overloaded"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    CUT = "cut-stream"
    """The answer stopped before its end."""
    MALFORMED = "malformed-answer"
    REFUSED = "refused"
    """The provider will not answer this, now or later: a wrong key, model or request."""
    CANCELLED = "cancelled"

    @property
    def is_passing(self) -> bool:
        """Whether asking once more may help."""
        return self not in {FailureKind.REFUSED, FailureKind.CANCELLED}


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that was not answered."""

    kind: FailureKind
    message: str
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""


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
    """As it has to be sent back in the next request."""
    text: str
    calls: tuple[Call, ...]
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"
    """Why the model stopped, in the provider's word."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said at all."""
        return not self.calls and not self.text.strip()


Answer: TypeAlias = Reply | Failure


class Cancel:
    """Tells a review to stop, from any thread, once and for good."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._hooks: list[Callable[[], None]] = []

    def __call__(self) -> None:
        """Stops. What is under way is broken off."""
        with self._lock:
            self._event.set()
            hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook()

    @property
    def is_set(self) -> bool:
        """Whether it was told to stop."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits so long, or until it is told to stop; says which."""
        return self._event.wait(seconds)

    def listening(self, hook: Callable[[], None]) -> _Listening:
        """Calls `hook` when it is told to stop within a `with` block, or at once if it was."""
        return _Listening(self, hook)

    def add(self, hook: Callable[[], None]) -> None:
        """Adds a hook; it is called at once when it was told to stop already."""
        with self._lock:
            if not self._event.is_set():
                self._hooks.append(hook)
                return
        hook()

    def drop(self, hook: Callable[[], None]) -> None:
        """Takes a hook away again."""
        with self._lock:
            if hook in self._hooks:
                self._hooks.remove(hook)


class _Listening:
    def __init__(self, cancel: Cancel, hook: Callable[[], None]) -> None:
        self._cancel = cancel
        self._hook = hook

    def __enter__(self) -> Self:
        self._cancel.add(self._hook)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cancel.drop(self._hook)


class Model(Protocol):
    """Something that answers."""

    @property
    def form(self) -> MessageForm:
        """The form of its requests and of the messages in its replies."""
        ...

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """Answers one request. Never raises; stops soon after `cancel`. Tries once."""
        ...

    def close(self) -> None:
        """Lets go of its connections."""
        ...


_ADAPTERS: Final = {
    ApiMode.CHAT: ("openai", "reviewdeck.reviewer.openai_chat"),
    ApiMode.RESPONSES: ("openai", "reviewdeck.reviewer.openai_responses"),
    ApiMode.MESSAGES: ("anthropic", "reviewdeck.reviewer.anthropic"),
}


def open_model(runtime: Runtime) -> Model:
    """The model behind a runtime. Raises BadInput when it cannot be spoken to."""
    if not runtime.model:
        raise BadInput("No model is named.", hint="Name one with --model, or use --script FILE.")
    if runtime.api_mode not in _ADAPTERS:
        raise BadInput(f"The mode {runtime.api_mode} cannot review.")
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
    """Another model for reviews, where somebody named one."""

    provider: str = ""
    model: str = ""
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float | None = None
    """Seconds for one answer."""
    api_mode: ApiMode | None = None
    """By default the one that goes with the provider."""


@dataclass(frozen=True, slots=True)
class Routed:
    """Where a review goes."""

    runtime: Runtime
    is_routed: bool
    reason: str
    """In one sentence."""


def choose(route: Route | None, parent: Runtime) -> Routed:
    """The runtime of a review. The parent's own is used as it lives, and never looked up anew."""
    own = replace(parent, api_mode=reviewing_mode(parent.api_mode))
    if route is None or not _named(route.provider) or not _named(route.model):
        return Routed(own, False, "No other model is named for reviews.")
    if (route.provider, route.model) == (parent.provider, parent.model) and (
        route.base_url in (None, parent.base_url)
    ):
        return Routed(own, False, "The model that is named for reviews is the conversation's own.")
    mode = route.api_mode or mode_of(route.provider)
    runtime = Runtime(
        provider=route.provider,
        model=route.model,
        api_mode=reviewing_mode(mode),
        base_url=route.base_url,
        api_key=route.api_key,
        timeout=parent.timeout if route.timeout is None else route.timeout,
    )
    return Routed(runtime, True, f"Reviews go to {route.model}, with a digest.")


def reviewing_mode(mode: ApiMode) -> ApiMode:
    """The mode that reviews in the place of one that cannot: an app server keeps its own thread."""
    return ApiMode.RESPONSES if mode is ApiMode.APP_SERVER else mode


def mode_of(provider: str) -> ApiMode:
    """How a provider of this name is spoken to."""
    match provider:
        case "anthropic":
            return ApiMode.MESSAGES
        case "openai-codex":
            return ApiMode.RESPONSES
        case "scripted":
            return ApiMode.SCRIPTED
        case _:
            return ApiMode.CHAT


def _named(word: str) -> bool:
    return bool(word) and word != AUTO


SYSTEM_ROLES = frozenset({"system", "developer"})


def read(message: Json, form: MessageForm) -> Said:
    """One message, whatever its form."""
    role = str(message.get("role") or "")
    if form is MessageForm.ANTHROPIC:
        return _read_blocks(role, message.get("content"))
    text = text_of(message.get("content"))
    if role == "tool":
        return Said("tool", results=(Result(str(message.get("tool_call_id") or ""), text),))
    role = "system" if role in SYSTEM_ROLES else role
    return Said(role, text, calls=_openai_calls(message.get("tool_calls")))


def text_of(content: object) -> str:
    """The text of a message's content: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    parts = (one.get("text") for one in content if isinstance(one, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def _openai_calls(calls: object) -> tuple[Call, ...]:
    found = []
    for call in calls if isinstance(calls, list | tuple) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments")
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            found.append(Call(str(call.get("id") or ""), str(function.get("name") or ""), text))
    return tuple(found)


def _read_blocks(role: str, content: object) -> Said:
    blocks = content if isinstance(content, list | tuple) else ()
    named = [one for one in blocks if isinstance(one, dict)]
    calls = tuple(
        Call(str(one.get("id") or ""), str(one.get("name") or ""), _dumped(one.get("input")))
        for one in named
        if one.get("type") == "tool_use"
    )
    results = tuple(
        Result(str(one.get("tool_use_id") or ""), text_of(one.get("content")))
        for one in named
        if one.get("type") == "tool_result"
    )
    return Said(role, text_of(content), calls, results)


def _dumped(value: object) -> str:
    return json.dumps({} if value is None else value, ensure_ascii=False)


def write(said: Said, form: MessageForm) -> list[Json]:
    """The messages that say this."""
    if form is MessageForm.ANTHROPIC:
        return [_anthropic_message(said)]
    if said.results:
        answers: list[Json] = [
            {"role": "tool", "tool_call_id": one.call_id, "content": one.text}
            for one in said.results
        ]
        return answers + ([{"role": "user", "content": said.text}] if said.text else [])
    message: Json = {"role": said.role, "content": said.text or None}
    if said.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in said.calls
        ]
    elif not said.text:
        message["content"] = ""
    return [message]


def _anthropic_message(said: Said) -> Json:
    role = "user" if said.role in {"tool", "user"} else "assistant"
    if not said.calls and not said.results:
        return {"role": role, "content": said.text or "(nothing)"}
    blocks: list[Json] = [
        {"type": "tool_result", "tool_use_id": one.call_id, "content": one.text}
        for one in said.results
    ]
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call) or {}}
        for call in said.calls
    ]
    return {"role": role, "content": blocks}


def arguments_of(call: Call) -> Json | None:
    """The arguments of a call; None when they are not one JSON object."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def convert(messages: Sequence[Json], form: MessageForm, to: MessageForm) -> tuple[Any, list[Json]]:
    """The system prompt and the messages in another form; the same ones in their own."""
    if form is to:
        return None, list(messages)
    said = [read(message, form) for message in messages]
    system = "\n\n".join(one.text for one in said if one.role == "system")
    spoken = _joined_results(one for one in said if one.role != "system")
    return system or None, [part for one in spoken for part in write(one, to)]


def _joined_results(said: Iterable[Said]) -> list[Said]:
    """Answers to the calls of one message stand in one message: Anthropic wants that."""
    found: list[Said] = []
    for one in said:
        if one.role == "tool" and found and found[-1].role == "tool":
            found[-1] = Said("tool", results=found[-1].results + one.results)
        else:
            found.append(one)
    return found


def convert_tools(tools: Iterable[Json], form: MessageForm, to: MessageForm) -> list[Json]:
    """Tool definitions in another form; the same ones in their own."""
    return [tool if form is to else _converted_tool(tool, to) for tool in tools]


def _converted_tool(tool: Json, to: MessageForm) -> Json:
    if to is MessageForm.ANTHROPIC:
        function = tool.get("function") or {}
        schema = function.get("parameters") or {"type": "object", "properties": {}}
        about = {"name": function.get("name", ""), "description": function.get("description", "")}
        return about | {"input_schema": schema}
    about = {"name": tool.get("name", ""), "description": tool.get("description", "")}
    return {"type": "function", "function": about | {"parameters": tool.get("input_schema") or {}}}


def tool_name(tool: Json) -> str:
    """What a tool definition of either form calls its tool."""
    function = tool.get("function")
    named = function if isinstance(function, dict) else tool
    return str(named.get("name") or "")


def is_tool_result(message: Json, form: MessageForm) -> bool:
    """Whether a message answers a call, and so cannot be the first."""
    return bool(read(message, form).results)


def without_open_calls(messages: Sequence[Json], form: MessageForm) -> tuple[Json, ...]:
    """The messages without calls at their end that nobody answered: no provider takes those."""
    kept = list(messages)
    while kept:
        for start in range(len(kept) - 1, -1, -1):
            if not is_tool_result(kept[start], form):
                break
        else:
            break
        asked = {call.id for call in read(kept[start], form).calls}
        answered = {one.call_id for m in kept[start + 1 :] for one in read(m, form).results}
        if asked <= answered:
            break
        del kept[start:]
    return tuple(kept)
