"""Models behind OpenAI's Responses API, through the official library.

A review uses it in place of an app server, which cannot review. Nothing is stored there, and the
conversation is sent again: there is no parent request whose cache could be hit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import openai

from reviewdeck.reviewer.conversation import Call, Json, MessageForm, ParsedMessage, Runtime, Usage
from reviewdeck.reviewer.models import Answer, ModelRequest, Reply, read, write
from reviewdeck.reviewer.vendors import CutStream, VendorModel, open_client, parameters_for

_SHARED_SETTINGS: Final = ("reasoning", "prompt_cache_key", "service_tier", "extra_headers")
"""Settings with the same meaning in this API."""


def open_model(runtime: Runtime) -> VendorModel:
    """A model at this runtime, with messages of chat completions, converted for each request."""
    client = open_client(openai, openai.AsyncOpenAI, runtime)

    async def ask(request: ModelRequest) -> Answer:
        create: Any = client.responses.create
        settings = {
            key: request.settings[key] for key in _SHARED_SETTINGS if key in request.settings
        }
        messages = [read(message, MessageForm.OPENAI) for message in request.messages]
        arguments = parameters_for(create, settings) | {
            "model": runtime.model,
            "instructions": "\n\n".join(
                message.text for message in messages if message.role == "system"
            ),
            "input": [
                item for message in messages if message.role != "system" for item in _items(message)
            ],
            "tools": [_flat(tool) for tool in request.tools],
            "store": False,
            "stream": True,
        }
        streamed = _ResponsesStream()
        async with await create(**arguments) as events:
            async for event in events:
                streamed.add(event)
        return streamed.reply()

    return VendorModel(openai, client, runtime, MessageForm.OPENAI, ask)


def _items(message: ParsedMessage) -> Iterator[Json]:
    for result in message.results:
        yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
    if message.text:
        yield {"role": message.role, "content": message.text}
    for call in message.calls:
        about = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
        yield {"type": "function_call", **about}


def _flat(tool: Json) -> Json:
    function = tool.get("function")
    return {"type": "function", **function} if isinstance(function, dict) else tool


class _ResponsesStream:
    """Assembles a streamed answer from its events."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: list[Call] = []
        self._usage = Usage()
        self._finish = ""

    def add(self, event: Any) -> None:
        """Adds an event."""
        if event.type == "response.output_item.done":
            self._add_item(event.item)
        elif event.type in {"response.completed", "response.incomplete"}:
            self._finish = event.response.status or "completed"
            self._usage = _usage(event.response.usage)
        elif event.type in {"response.failed", "error"}:
            raise CutStream

    def _add_item(self, item: Any) -> None:
        if item.type == "function_call":
            self._calls.append(Call(item.call_id, item.name, item.arguments))
        elif item.type == "message":
            self._texts += [part.text for part in item.content if part.type == "output_text"]

    def reply(self) -> Reply:
        """The complete answer. Raises CutStream if the stream ended early."""
        if not self._finish:
            raise CutStream
        parsed = ParsedMessage("assistant", "".join(self._texts), tuple(self._calls))
        (message,) = write(parsed, MessageForm.OPENAI)
        return Reply(message, parsed.text, parsed.calls, self._usage, self._finish)


def _usage(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    details = getattr(usage, "input_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage(usage.input_tokens or 0, usage.output_tokens or 0, cached)
