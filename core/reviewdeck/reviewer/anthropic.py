"""Anthropic's models, through the official library."""

from __future__ import annotations

import json
from typing import Any

import anthropic

from reviewdeck.reviewer.conversation import Call, Json, MessageForm, Runtime, Usage
from reviewdeck.reviewer.fork import ANSWER_TOKENS
from reviewdeck.reviewer.models import Answer, ModelRequest, Reply
from reviewdeck.reviewer.vendors import CutStream, VendorModel, open_client, parameters_for


def open_model(runtime: Runtime) -> VendorModel:
    """A model at this runtime."""
    client = open_client(anthropic, anthropic.AsyncAnthropic, runtime)

    async def ask(request: ModelRequest) -> Answer:
        create: Any = client.messages.create
        defaults = {"model": runtime.model, "max_tokens": ANSWER_TOKENS}
        settings: dict[str, Any] = {**defaults, **request.settings}
        if request.tools:
            settings["tools"] = list(request.tools)
        if request.system is not None:
            settings["system"] = request.system
        arguments = parameters_for(create, settings)
        # With an explicit timeout the library accepts long answers without streaming.
        arguments["timeout"] = runtime.timeout
        answer = await create(messages=list(request.messages), **arguments)
        if not arguments.get("stream"):
            return _reply(answer.model_dump(mode="json", exclude_none=True))
        streamed = _AnthropicStream()
        async with answer as events:
            async for event in events:
                streamed.add(event.model_dump(mode="json", exclude_none=True))
        return streamed.reply()

    return VendorModel(anthropic, client, runtime, MessageForm.ANTHROPIC, ask)


def _reply(message: Json) -> Reply:
    blocks = [block for block in message.get("content", ()) if isinstance(block, dict)]
    calls = tuple(
        Call(block["id"], block["name"], json.dumps(block.get("input") or {}, ensure_ascii=False))
        for block in blocks
        if block.get("type") == "tool_use"
    )
    return _build_reply(
        blocks, calls, _usage(message.get("usage") or {}), message.get("stop_reason")
    )


def _build_reply(
    blocks: list[Json], calls: tuple[Call, ...], usage: Usage, finish: str | None
) -> Reply:
    text = "".join(block.get("text", "") for block in blocks if block.get("type") == "text")
    # An empty message cannot be sent back.
    content = blocks or [{"type": "text", "text": "(nothing)"}]
    return Reply({"role": "assistant", "content": content}, text, calls, usage, finish or "")


class _AnthropicStream:
    """Assembles a streamed answer from its events."""

    def __init__(self) -> None:
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, str] = {}
        self._usage: Json = {}
        self._finish: str | None = None
        self._is_complete = False

    def add(self, event: Json) -> None:
        """Adds an event."""
        match event.get("type"):
            case "message_start":
                self._usage |= event["message"].get("usage") or {}
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._add_delta(event["index"], event["delta"])
            case "message_delta":
                self._usage |= event.get("usage") or {}
                self._finish = event["delta"].get("stop_reason") or self._finish
            case "message_stop":
                self._is_complete = True
            case _:
                pass  # pings, and events of later versions

    def _add_delta(self, index: int, delta: Json) -> None:
        block = self._blocks.setdefault(index, {"type": "text", "text": ""})
        match delta.get("type"):
            case "input_json_delta":
                self._inputs[index] = self._inputs.get(index, "") + delta.get("partial_json", "")
            case "text_delta":
                block["text"] = block.get("text", "") + delta.get("text", "")
            case "thinking_delta":
                block["thinking"] = block.get("thinking", "") + delta.get("thinking", "")
            case "signature_delta":
                block["signature"] = block.get("signature", "") + delta.get("signature", "")
            case _:
                pass

    def reply(self) -> Reply:
        """The complete answer. Raises CutStream if the stream ended early."""
        if not self._is_complete or self._finish is None:
            raise CutStream
        calls: list[Call] = []
        for index, block in sorted(self._blocks.items()):
            if block.get("type") == "tool_use":
                arguments = self._inputs.get(index) or json.dumps(block.get("input") or {})
                calls.append(Call(block["id"], block["name"], arguments))
                block["input"] = _object(arguments)
        blocks = [block for _, block in sorted(self._blocks.items()) if not _is_empty(block)]
        return _build_reply(blocks, tuple(calls), _usage(self._usage), self._finish)


def _is_empty(block: Json) -> bool:
    """Whether a block is an empty text, which Anthropic sends but does not accept."""
    return block.get("type") == "text" and not block.get("text")


def _object(arguments: str) -> Json:
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}  # The call is answered with the parse error.
    return value if isinstance(value, dict) else {}


def _usage(usage: Json) -> Usage:
    """Tokens as Anthropic reports them: cached tokens are not part of `input_tokens`."""
    cached = int(usage.get("cache_read_input_tokens") or 0)
    written = int(usage.get("cache_creation_input_tokens") or 0)
    plain = int(usage.get("input_tokens") or 0)
    return Usage(plain + cached + written, int(usage.get("output_tokens") or 0), cached, written)
