"""Models behind OpenAI's chat completions API, through the official library."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

import openai

from reviewdeck.agents.hermes.kit import members, objects, text_at
from reviewdeck.reviewer.conversation import Call, Json, MessageForm, Runtime, Usage
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.failures import AnswerFailed
from reviewdeck.reviewer.models import Answer, Failure, FailureKind, ModelRequest, Reply, text_of
from reviewdeck.reviewer.vendors import CUT, VendorModel, assembled, open_client, parameters_for
from reviewdeck.text.json import load_json


def open_model(runtime: Runtime) -> VendorModel:
    """A model at this runtime."""
    client = open_client(openai, openai.AsyncOpenAI, runtime)

    async def ask(request: ModelRequest) -> Answer:
        create: Any = client.chat.completions.create
        send: Any = client.chat.completions.with_streaming_response.create
        settings = {"model": runtime.model, **request.settings}
        tools = {"tools": request.tools} if request.tools else {}
        arguments = parameters_for(create, settings, messages=request.messages, **tools)
        return await assembled(send(**arguments), ChatAnswer())

    return VendorModel(openai, client, runtime, MessageForm.OPENAI, ask)


_JOINED: Final = frozenset(
    {"content", "reasoning", "reasoning_content", "refusal", "summary", "text", "thinking"}
)
"""Fields inside an object that come in pieces; every other one comes whole, perhaps repeatedly."""
_NAMES: Final = frozenset({"role", "id", "type", "name", "index"})
"""Fields of a message that come whole; every other text of it comes in pieces."""


@dataclass(slots=True)
class _ChatCall:
    """A tool call while its pieces come."""

    fields: Json = field(default_factory=dict)
    """Its fields, without those of `function`."""
    function: Json = field(default_factory=dict)
    """The fields of `function`, without the arguments."""
    pieces: list[str] = field(default_factory=list)
    """Of its arguments."""

    @property
    def id(self) -> str:
        """Its id; empty before it came."""
        return str(self.fields.get("id") or "")

    def add(self, piece: Json) -> None:
        """Adds a piece: a name that is repeated is the same name."""
        for key, value in piece.items():
            if key not in {"index", "function"} and value not in (None, ""):
                self.fields[key] = _merged(self.fields.get(key), value, key)
        for key, value in members(piece.get("function")).items():
            if key == "arguments":
                self.pieces += [] if value is None else [_as_json(value)]
            elif value not in (None, ""):
                self.function[key] = _merged(self.function.get(key), value, key)

    def message(self, id: str) -> Json:
        """The call as it is sent back."""
        head = {"id": id, "type": "function"}
        function = {"name": "", **self.function, "arguments": "".join(self.pieces)}
        return {**head, **self.fields, "id": id, "function": function}


class ChatAnswer:
    """Assembles an answer from its chunks; a whole answer is one chunk.

    Every field that a provider adds to a message or a call is kept and sent back: some refuse the
    next request without it.
    """

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._fields: Json = {}
        self._calls: list[_ChatCall] = []
        self._at: dict[object, _ChatCall] = {}
        """The last call at each index: Ollama counts every call as 0."""
        self._finish = ""
        self._usage = Usage()

    def add(self, chunk: Json) -> None:
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = usage_of(usage)
        for choice in objects(chunk.get("choices"))[:1]:
            self._add_choice(choice)

    def _add_choice(self, choice: Json) -> None:
        is_whole = isinstance(choice.get("message"), dict)
        self._finish = str(choice.get("finish_reason") or self._finish)
        if is_whole:
            self._finish = self._finish or "stop"
        for key, value in members(choice.get("message" if is_whole else "delta")).items():
            if key == "tool_calls":
                for piece in objects(value):
                    self._add_call(piece, is_whole=is_whole)
            elif isinstance(value, str) and key not in _NAMES:
                self._texts.setdefault(key, []).append(value)
            elif value is not None and key != "role":
                self._fields[key] = _merged(self._fields.get(key), value, key)

    def _add_call(self, piece: Json, *, is_whole: bool) -> None:
        index = len(self._calls) if is_whole else piece.get("index")
        call = self._at.get(index)
        if call is None or _is_another(call, piece):
            call = _ChatCall()
            self._calls.append(call)
        self._at[index] = call
        call.add(piece)

    def reply(self) -> Reply:
        """The complete answer. Raises AnswerFailed if it ended early, or as a failure."""
        if not self._finish:
            raise AnswerFailed(CUT)
        early = _early(self._finish)
        message = self._message()
        refusal = text_at(message, "refusal")
        if refusal.strip():
            early = early or ExchangeEnd.REFUSED
        text = text_of(message.get("content"))
        calls = tuple(
            Call(call["id"], str(call["function"]["name"]), call["function"]["arguments"])
            for call in message.get("tool_calls", ())
        )
        said = refusal if refusal.strip() else text
        return Reply(message, text, calls, self._usage, self._finish, early, said=said)

    def _message(self) -> Json:
        texts = {key: "".join(pieces) for key, pieces in self._texts.items()}
        content = self._fields.get("content")
        if isinstance(content, list) and texts.get("content"):
            content = [*content, {"type": "text", "text": texts["content"]}]
        elif not isinstance(content, list):
            content = texts.get("content") or (None if self._calls else "")
        others = {key: value for key, value in texts.items() if value and key != "content"}
        fields = {key: value for key, value in self._fields.items() if value != []}
        message: Json = {"role": "assistant", **fields, "content": content, **others}
        if self._calls:
            message["tool_calls"] = self._calls_with_ids()
        return message

    def _calls_with_ids(self) -> list[Json]:
        """The calls, each with an id of its own: some servers send none, or one for all."""
        ids: dict[str, None] = {}
        calls = []
        for number, call in enumerate(self._calls):
            id = call.id if call.id and call.id not in ids else f"call_{number}"
            while id in ids:
                id += "_"
            ids[id] = None
            calls.append(call.message(id))
        return calls


def _is_another(call: _ChatCall, piece: Json) -> bool:
    if id := piece.get("id"):
        return bool(call.id) and id != call.id
    has_name = bool(members(piece.get("function")).get("name"))
    return has_name and not call.id and _is_json("".join(call.pieces))


def _is_json(text: str) -> bool:
    try:
        load_json(text)
    except ValueError:
        return False
    return True


def _as_json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _merged(old: Any, new: Any, key: str) -> Any:
    """Two values of one field: texts in pieces are joined, objects and lists merged."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old | {
            name: _merged(old.get(name), value, name)
            for name, value in new.items()
            if value is not None or name not in old
        }
    if isinstance(old, list) and isinstance(new, list):
        # An element of the same index and kind as the last one continues it.
        joined = list(old)
        for element in new:
            last = joined[-1] if joined else None
            if isinstance(element, dict) and isinstance(last, dict) and _continues(last, element):
                joined[-1] = _merged(last, element, "")
            else:
                joined.append(element)
        return joined
    if isinstance(old, str) and isinstance(new, str) and key in _JOINED:
        return old + new
    return new


def _continues(last: Json, element: Json) -> bool:
    if element.get("index") is None or element["index"] != last.get("index"):
        return False
    names = ("type", "id")
    return all(
        last.get(name) == element.get(name)
        for name in names
        if last.get(name) and element.get(name)
    )


_WHOLE: Final = frozenset(
    {"stop", "tool_calls", "function_call", "end_turn", "eos", "stop_sequence"}
)
_TRUNCATED: Final = frozenset({"length", "max_tokens", "model_length"})
_BUSY: Final = frozenset({"insufficient_system_resource", "error", "abort"})


def _early(finish: str) -> ExchangeEnd | None:
    """Why an answer is no whole one, by its `finish_reason`. Raises AnswerFailed for a failure."""
    word = finish.lower()
    if word in _WHOLE:
        return None
    if word in _TRUNCATED:
        return ExchangeEnd.TRUNCATED
    if word in _BUSY:
        raise AnswerFailed(Failure(FailureKind.OVERLOADED, f"The provider stopped: {finish}."))
    if word.startswith("function_call_filter"):  # Gemini: it wrote a call that it cannot read.
        raise AnswerFailed(Failure(FailureKind.MALFORMED, f"The provider stopped: {finish}."))
    if word == "refusal":
        return ExchangeEnd.REFUSED
    if word.startswith(("content_filter", "safety", "recitation", "prohibited", "blocked")):
        return ExchangeEnd.FILTERED
    return None


def usage_of(usage: Json) -> Usage:
    """Tokens as this API reports them: cached tokens are part of the prompt."""
    details = members(usage.get("prompt_tokens_details"))
    cost = usage.get("cost")
    # DeepSeek counts them beside the others.
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")
    return Usage(
        input=_number(usage.get("prompt_tokens")),
        output=_number(usage.get("completion_tokens")),
        cached=_number(cached),
        written=_number(details.get("cache_write_tokens")),
        cost=float(cost) if isinstance(cost, int | float) else None,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
