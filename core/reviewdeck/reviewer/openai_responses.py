"""Models behind OpenAI's Responses interface, through the official library.

A review gets here in the place of an app server, which cannot review. Nothing is stored there, and
what is sent is the conversation anew: there is no request of the parent's to be the same as.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import openai

from reviewdeck.reviewer.conversation import Call, Json, MessageForm, Runtime, Said, Usage
from reviewdeck.reviewer.models import Answer, Cancel, ModelRequest, Reply, read, write
from reviewdeck.reviewer.vendors import Caller, CutStream, client_options, parameters_for

_TAKEN_OVER: Final = ("reasoning", "prompt_cache_key", "service_tier", "extra_headers")
"""Settings that mean the same here."""


def open_model(runtime: Runtime) -> OpenAIResponses:
    """A model at this runtime."""
    return OpenAIResponses(runtime)


class OpenAIResponses:
    """Satisfies `Model`. Its messages are those of chat completions."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._caller = Caller(openai, runtime)
        self._client = openai.AsyncOpenAI(**client_options(runtime))

    @property
    def form(self) -> MessageForm:
        """Chat completions, turned round at the wire."""
        return MessageForm.OPENAI

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """Answers one request."""
        return self._caller.call(lambda: self._ask(request), cancel)

    def close(self) -> None:
        """Closes its connections."""
        self._caller.close(self._client.close)

    async def _ask(self, request: ModelRequest) -> Answer:
        create: Any = self._client.responses.create
        settings = {key: request.settings[key] for key in _TAKEN_OVER if key in request.settings}
        said = [read(message, MessageForm.OPENAI) for message in request.messages]
        arguments = parameters_for(create, settings) | {
            "model": self._runtime.model,
            "instructions": "\n\n".join(one.text for one in said if one.role == "system"),
            "input": [item for one in said if one.role != "system" for item in _items(one)],
            "tools": [_flat(tool) for tool in request.tools],
            "store": False,
            "stream": True,
        }
        streamed = _ResponsesStream()
        async with await create(**arguments) as events:
            async for event in events:
                streamed.take(event)
        return streamed.reply()


def _items(said: Said) -> Iterator[Json]:
    for result in said.results:
        yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
    if said.text:
        yield {"role": said.role, "content": said.text}
    for call in said.calls:
        about = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
        yield {"type": "function_call", **about}


def _flat(tool: Json) -> Json:
    function = tool.get("function")
    return {"type": "function", **function} if isinstance(function, dict) else tool


class _ResponsesStream:
    """An answer that comes in events."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: list[Call] = []
        self._usage = Usage()
        self._finish = ""

    def take(self, event: Any) -> None:
        """One event."""
        if event.type == "response.output_item.done":
            self._take_item(event.item)
        elif event.type in {"response.completed", "response.incomplete"}:
            self._finish = event.response.status or "completed"
            self._usage = _usage(event.response.usage)
        elif event.type in {"response.failed", "error"}:
            raise CutStream

    def _take_item(self, item: Any) -> None:
        if item.type == "function_call":
            self._calls.append(Call(item.call_id, item.name, item.arguments))
        elif item.type == "message":
            self._texts += [part.text for part in item.content if part.type == "output_text"]

    def reply(self) -> Reply:
        """The whole answer. Raises CutStream when its end did not come."""
        if not self._finish:
            raise CutStream
        said = Said("assistant", "".join(self._texts), tuple(self._calls))
        (message,) = write(said, MessageForm.OPENAI)
        return Reply(message, said.text, said.calls, self._usage, self._finish)


def _usage(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    details = getattr(usage, "input_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage(usage.input_tokens or 0, usage.output_tokens or 0, cached)
