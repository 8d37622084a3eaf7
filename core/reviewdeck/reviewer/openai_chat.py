"""Models behind OpenAI's chat completions API, through the official library."""

from __future__ import annotations

from typing import Any

import openai

from reviewdeck.reviewer.conversation import Call, Json, MessageForm, Runtime, Usage
from reviewdeck.reviewer.models import Answer, ModelRequest, Reply, read
from reviewdeck.reviewer.vendors import CutStream, VendorModel, open_client, parameters_for


def open_model(runtime: Runtime) -> VendorModel:
    """A model at this runtime."""
    client = open_client(openai, openai.AsyncOpenAI, runtime)

    async def ask(request: ModelRequest) -> Answer:
        create: Any = client.chat.completions.create
        settings = {"model": runtime.model, **request.settings}
        if request.tools:
            settings["tools"] = list(request.tools)
        arguments = parameters_for(create, settings)
        answer = await create(messages=list(request.messages), **arguments)
        if not arguments.get("stream"):
            return _reply(answer)
        streamed = _ChatStream()
        async with answer as chunks:
            async for chunk in chunks:
                streamed.add(chunk)
        return streamed.reply()

    return VendorModel(openai, client, runtime, MessageForm.OPENAI, ask)


def _reply(completion: Any) -> Reply:
    if not completion.choices:
        raise CutStream
    choice = completion.choices[0]
    fields: Json = choice.message.model_dump(mode="json", exclude_none=True)
    message: Json = {"role": "assistant", "content": fields.get("content")}
    for key in ("tool_calls", "reasoning_details"):
        if fields.get(key):
            message[key] = fields[key]
    parsed = read(message, MessageForm.OPENAI)
    usage = usage_of(completion.usage)
    return Reply(message, parsed.text, parsed.calls, usage, choice.finish_reason or "")


class _ChatStream:
    """Assembles a streamed answer from its chunks."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._reasoning: list[Any] = []
        self._finish = ""
        self._usage = Usage()

    def add(self, chunk: Any) -> None:
        """Adds a chunk."""
        if getattr(chunk, "usage", None) is not None:
            self._usage = usage_of(chunk.usage)
        for choice in chunk.choices[:1]:
            self._finish = choice.finish_reason or self._finish
            if choice.delta is not None:
                self._add_delta(choice.delta)

    def _add_delta(self, delta: Any) -> None:
        self._texts.append(delta.content or "")
        self._reasoning += getattr(delta, "reasoning_details", None) or []
        for piece in delta.tool_calls or ():
            call = self._calls.setdefault(piece.index, ["", "", ""])
            call[0] = piece.id or call[0]
            if piece.function is not None:
                call[1] += piece.function.name or ""
                call[2] += piece.function.arguments or ""

    def reply(self) -> Reply:
        """The complete answer. Raises CutStream if the stream ended early."""
        if not self._finish:
            raise CutStream
        text = "".join(self._texts)
        calls = tuple(Call(*parts) for _, parts in sorted(self._calls.items()))
        message: Json = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in calls
            ]
        elif not text:
            message["content"] = ""
        if self._reasoning:
            message["reasoning_details"] = self._reasoning
        return Reply(message, text, calls, self._usage, self._finish)


def usage_of(usage: Any) -> Usage:
    """Tokens as this API reports them: cached tokens are part of the prompt."""
    if usage is None:
        return Usage()
    details = getattr(usage, "prompt_tokens_details", None)
    cost = getattr(usage, "cost", None)
    return Usage(
        input=usage.prompt_tokens or 0,
        output=usage.completion_tokens or 0,
        cached=getattr(details, "cached_tokens", None) or 0,
        written=getattr(details, "cache_write_tokens", None) or 0,
        cost=float(cost) if isinstance(cost, int | float) else None,
    )
